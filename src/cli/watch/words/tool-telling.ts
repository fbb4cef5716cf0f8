import type { Notice } from '../../../model/notice.ts';
import { shortened } from './foreign.ts';
import type { Told } from './told.ts';

type ToolNotice = Extract<Notice, { type: 'agent.tool' }>;

/** A call is told of once when it runs, by whoever tells of it first, and again when it fails. */
export interface ToolTelling {
  /** What the agent shows of a call. */
  shown(notice: ToolNotice): readonly Told[];
  /** What hooks are asked about a call, in words. */
  asked(id: string | undefined, told: Told): readonly Told[];
  /** Whether the agent has shown the call, so that it tells how it ends. */
  isShown(id: string | undefined): boolean;
}

interface Known {
  /** Those in which it was told of. */
  words?: string;
  isShown: boolean;
}

export function createToolTelling(): ToolTelling {
  const calls = new Map<string, Known>();
  const learn = (id: string, known: Known): void => {
    calls.set(id, known);
    // Ids are for one turn or so; a session has many.
    if (calls.size > maxCalls) calls.delete(calls.keys().next().value!);
  };
  return {
    shown({ id, title, status }) {
      const known = calls.get(id);
      const words = known?.words ?? `tool ${shortened(title, 100)}`;
      learn(id, status === 'pending' ? { ...known, isShown: true } : { words, isShown: true });
      if (status === 'failed') return [{ mark: 'note', text: `${words} failed` }];
      return status === 'pending' || known?.words !== undefined ? [] : [{ mark: 'begun', text: words }];
    },
    asked(id, told) {
      if (id === undefined) return [told];
      if (calls.has(id)) return [];
      learn(id, { words: told.text, isShown: false });
      return [told];
    },
    isShown: id => id !== undefined && calls.get(id)?.isShown === true,
  };
}

const maxCalls = 1000;
