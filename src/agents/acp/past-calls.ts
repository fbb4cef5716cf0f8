import { callKey } from '../../model/call-key.ts';
import { createToolCall, patch, recordOf, type ToolCall } from './tool-call.ts';
import { callingEvent } from './tool-events.ts';
import type { Tracked } from './tracked.ts';

/** Calls that have got their end. An agent may use an id again; a late word about an old call is only that. */
export interface PastCalls {
  add(tracked: Tracked, turn: number): void;
  /** What an update under an id that was used begins: nothing (`old`), a call that goes on where the old one was, or any call. */
  news(key: string, id: string, update: unknown, turn: number): ToolCall | 'old' | undefined;
  /** Hooks know calls by their ids, so each has one of its own in a turn. */
  newCall(id: string): ToolCall;
  endTurn(): void;
}

const maxKept = 1000;

export function createPastCalls(root: string, mcpAsExecute = false): PastCalls {
  const kept = new Map<string, { call: ToolCall; questions: ReadonlySet<string>; turn: number }>();
  const uses = new Map<string, number>();
  const ownId = (id: string): string => {
    const count = (uses.get(id) ?? 0) + 1;
    uses.set(id, count);
    return count === 1 ? id : `${id}#${count}`;
  };
  return {
    add({ key, call, heard }, turn) {
      const { rawOutput: _output, ...told } = call;
      kept.delete(key);
      kept.set(key, { call: { ...told, content: [], terminal: '' }, questions: new Set(heard.keys()), turn });
      if (kept.size > maxKept) kept.delete(kept.keys().next().value!);
    },
    news(key, id, update, turn) {
      const old = kept.get(key);
      if (!old) return undefined;
      const isNew = recordOf(update)['sessionUpdate'] === 'tool_call';
      if (isNew && old.turn !== turn) return undefined;
      const call = isNew ? createToolCall(id, mcpAsExecute) : { ...old.call };
      patch(call, update);
      const isOpen = isNew && (call.status === 'pending' || call.status === 'running');
      if (!isOpen && old.questions.has(callKey(callingEvent(call, root), root))) return 'old';
      return isNew ? undefined : { ...old.call, id: ownId(id) };
    },
    newCall: id => createToolCall(ownId(id), mcpAsExecute),
    endTurn: () => uses.clear(),
  };
}
