import type { Notice } from '../../model/notice.ts';
import { shortened } from '../print/foreign.ts';
import type { Told } from '../print/told.ts';

type ToolNotice = Extract<Notice, { type: 'agent.tool' }>;

/** A call is told of once when it runs, by whoever tells of it first. What came of it is an event. */
export interface ToolTelling {
  /** What the agent shows of a call. */
  shown(notice: ToolNotice): readonly Told[];
  /** What hooks are asked about a call, in words. */
  asked(id: string | undefined, told: Told): readonly Told[];
}

export function createToolTelling(): ToolTelling {
  /** Whether it was told of, by its id. */
  const calls = new Map<string, boolean>();
  const learn = (id: string, isTold: boolean): void => {
    calls.set(id, isTold);
    // Ids are for one turn or so; a session has many.
    if (calls.size > maxCalls) calls.delete(calls.keys().next().value!);
  };
  return {
    shown({ id, title, status }) {
      const isTold = calls.get(id) === true;
      const isDue = !isTold && (status === 'running' || status === 'completed');
      learn(id, isTold || isDue);
      return isDue ? [{ mark: 'begun', text: `tool ${shortened(title, 100)}` }] : [];
    },
    asked(id, told) {
      if (id === undefined) return [told];
      if (calls.has(id)) return [];
      learn(id, true);
      return [told];
    },
  };
}

const maxCalls = 1000;
