import { callKey, isToldTwice } from '../model/call-key.ts';
import type { Decision } from '../model/index.ts';
import type { Fields } from './fire.ts';

/** Who tells of a call: the agent's own hooks, which wait for the answer before it is made, or its protocol. */
export type Teller = 'hooks' | 'protocol';

export interface ToldCall {
  fields: Fields;
  teller: Teller;
  /** What was decided about its events. */
  decided: Map<string, Promise<Decision>>;
  /** What the agent says of a refused call later is no failure of the tool. */
  isRefused: boolean;
}

/**
 * The tool calls of one turn, each once, whoever tells of it. An id alone is no call: what was decided about one holds
 * for another of the same id only if they are the same in everything.
 */
export interface ToldCalls {
  /** The call that is about to be made. */
  about(fields: Fields, teller: Teller): ToldCall;
  /** The call that something has come of. What says little of it belongs to the last that was not refused. */
  behind(fields: Fields, teller: Teller): ToldCall;
  /** Whether the agent's own hooks were answered about the call that its protocol tells of. */
  wasAnswered(fields: Fields): boolean;
}

export function createToldCalls(root: string): ToldCalls {
  const byId = new Map<string, ToldCall[]>();
  const callsOf = ({ toolCallId = '' }: Fields): ToldCall[] => {
    const calls = byId.get(toolCallId) ?? [];
    byId.set(toolCallId, calls);
    return calls;
  };
  const isSame = (call: ToldCall, fields: Fields, teller: Teller): boolean => {
    if (call.teller === teller) return callKey(call.fields, root) === callKey(fields, root);
    return teller === 'protocol' ? isToldTwice(fields, call.fields, root) : isToldTwice(call.fields, fields, root);
  };
  const known = (fields: Fields, teller: Teller): ToldCall | undefined =>
    callsOf(fields).findLast(call => isSame(call, fields, teller));
  const add = (fields: Fields, teller: Teller): ToldCall => {
    const call: ToldCall = { fields, teller, decided: new Map(), isRefused: false };
    callsOf(fields).push(call);
    return call;
  };
  return {
    about: (fields, teller) => known(fields, teller) ?? add(fields, teller),
    behind: (fields, teller) =>
      known(fields, teller) ??
      callsOf(fields).findLast(call => !call.isRefused) ??
      callsOf(fields).at(-1) ??
      add(fields, teller),
    wasAnswered: fields => callsOf(fields).some(call => call.teller === 'hooks' && isSame(call, fields, 'protocol')),
  };
}
