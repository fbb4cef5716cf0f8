import type { HookEvent } from '../../model/index.ts';
import { fieldsOf } from '../../model/json.ts';
import { idOf, isText } from './protocol.ts';

type Told = HookEvent<'context.compacting'> | HookEvent<'context.compacted'>;

const maxSummary = 64 * 1024;

/** Reads compactions from what the agent sends, the beginning and the end of each once. One that fails has no end. */
export function createCompactions(tell: (event: Told) => void) {
  const begun = new Map<string, { summary: string; isOver: boolean }>();
  return {
    /** Whether the update was about one. */
    take(update: unknown): boolean {
      const { sessionUpdate: kind, compactionId, status, summary, content } = fieldsOf(update);
      if (kind !== 'compaction_update' && kind !== 'compaction_summary_chunk') return false;
      const id = idOf(compactionId);
      const known = begun.get(id) ?? { summary: '', isOver: false };
      if (!begun.has(id)) tell({ name: 'context.compacting' });
      begun.set(id, known);
      if (kind === 'compaction_summary_chunk') known.summary = cut(known.summary + textOf(content));
      else if (Array.isArray(summary)) known.summary = cut(summary.map(textOf).join(''));
      if (status !== 'completed' || known.isOver) return true;
      known.isOver = true;
      tell({ name: 'context.compacted', ...(known.summary !== '' && { summary: known.summary }) });
      return true;
    },
  };
}

function textOf(block: unknown): string {
  const { text } = fieldsOf(block);
  return isText(text) ? text : '';
}

const cut = (text: string): string => text.slice(0, maxSummary);
