import type { SessionRecord } from '../model/record.ts';
import { firingOf, formatKey, parseKey } from '../model/step-key.ts';
import { listChildren } from '../session/history/sessions.ts';
import { readJournal } from '../session/journal/read.ts';
import type { SessionPaths } from '../session/paths.ts';

/** Why the child pipeline that a run of a hook has started failed, in the words of the innermost; undefined: none has failed. */
export function causeInChild(parent: SessionPaths, hookRun: string): string | undefined {
  // The last one: those before it were tried again.
  for (const child of listChildren(parent).toReversed()) {
    const entries = entriesOf(child);
    const [started, closed] = [entries[0], entries.at(-1)];
    if (started?.kind !== 'session.started' || started.settings.child?.key !== hookRun) continue;
    if (closed?.kind !== 'session.closed' || closed.status !== 'failed') return undefined;
    const endedBy = entries.findLast(
      entry =>
        entry.kind === 'hook.finished' &&
        formatKey(firingOf(parseKey(entry.key))) === closed.failedIn &&
        entry.result.status === 'finished' &&
        entry.result.decision.kind === 'abort',
    );
    const deeper = endedBy?.kind === 'hook.finished' ? causeInChild(child, endedBy.key) : undefined;
    return deeper ?? closed.reason;
  }
  return undefined;
}

function entriesOf({ journal }: SessionPaths): readonly SessionRecord[] {
  const reading = readJournal<SessionRecord>(journal);
  return reading.kind === 'read' ? reading.entries : [];
}
