import { changedCallText, isSameInput } from '../model/changed-call.ts';
import type { Decision, HookEvent } from '../model/index.ts';
import type { Durable } from './durable.ts';
import { refusedCallText } from './pending-texts.ts';
import { block, type RunningTurn } from './running-turn.ts';

/**
 * Calls that hooks want made with another input, of agents whose protocol has no room for one: such a call is refused, and
 * the agent is told what to call instead.
 */
export function createChangedCalls({ pending }: Durable) {
  const offered: Pick<HookEvent, 'tool' | 'input'>[] = [];
  return {
    /** The agent makes the call as it was told to: a hook that would change it once more would never let it happen. */
    isAsOffered: ({ tool, input }: HookEvent): boolean =>
      offered.some(call => call.tool === tool && isSameInput(call.input, input)),
    async refuse(turn: RunningTurn, call: HookEvent, input: unknown): Promise<Decision> {
      offered.push({ ...(call.tool !== undefined && { tool: call.tool }), input });
      if (offered.length > maxOffered) offered.shift();
      const reason = changedCallText(input);
      const key = turn.nextKey();
      turn.record.refused(key, call);
      await pending.tellWithNextPrompt(key, refusedCallText(call, reason));
      return block(reason);
    },
  };
}

/** An agent that was told to call something does so soon, or never. */
const maxOffered = 100;
