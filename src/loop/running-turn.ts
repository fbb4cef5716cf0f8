import { callKey, isToldTwice } from '../model/call-key.ts';
import { type Decision, type EventName, isPending } from '../model/index.ts';
import { inRun, partOf, type StepKey } from '../model/step-key.ts';
import { noteTold, type TurnRecord } from './agent-record.ts';
import { SessionEnd } from './durable.ts';
import type { Fields, InSession } from './fire.ts';
import type { Position, Session } from './session.ts';

/** One turn of the agent, while it lasts, or the pause between two. */
export interface RunningTurn {
  position: Position;
  /** Names the turn; events in it are numbered. */
  key: StepKey;
  count: number;
  progressed: boolean;
  turnEnd: AbortController;
  record: TurnRecord;
  /** A hook in this turn has ended the session. */
  ending?: SessionEnd | undefined;
  /** The protocol and the agent's own hooks may both tell of a call. */
  calls: ToldCalls;
  /** The tool of a call that was refused and made all the same; it ends the turn. */
  calledAnyway?: string;
  /** No turn at all: no one waits for the agent, and there is none to end. */
  isPause?: true;
}

interface InTurn {
  /** The agent itself is told of a refusal: it need not hear of it again with the next prompt. */
  answersAgent?: boolean;
}

/** Fires the hooks of something in a turn, once, whoever tells of it. */
export function fireInTurn(
  inSession: InSession,
  turn: RunningTurn,
  name: EventName,
  fields: Fields,
  options: InTurn = {},
): Promise<Decision> {
  const { toolCallId } = fields;
  if (toolCallId === undefined) return fireNumbered(inSession, turn, name, fields, options);
  const teller = options.answersAgent ? 'hooks' : 'protocol';
  const call = isPending(name) ? turn.calls.about(fields, teller) : turn.calls.behind(fields, teller);
  if (call.isRefused && !isPending(name)) return Promise.resolve({ kind: 'proceed' });
  // One call may edit several files.
  const part = name === 'file.edited' ? `${name} ${fields.file}` : name;
  const known = call.decided.get(part);
  if (known) return known;
  const decided = fireNumbered(inSession, turn, name, fields, options).then(decision => {
    if (isPending(name) && decision.kind !== 'proceed') call.isRefused = true;
    return decision;
  });
  call.decided.set(part, decided);
  return decided;
}

/** What a hook refused is allowed after all: what becomes of the call is told like that of any other. */
export function allow(turn: RunningTurn, fields: Fields): void {
  if (fields.toolCallId !== undefined) turn.calls.about(fields, 'protocol').isRefused = false;
}

/** Names the next thing that happens in the turn. */
export function nextKey(turn: RunningTurn): StepKey {
  turn.count += 1;
  return partOf(turn.key, `e${turn.count}`);
}

export const block = (reason: string): Decision => ({ kind: 'block', reason, by: 'hookloop' });

/** A hook that ends the session ends the turn too; the agent hears a no meanwhile. */
export async function duringTurn(turn: RunningTurn, work: () => Promise<Decision>): Promise<Decision> {
  if (turn.ending) return block(turn.ending.message);
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SessionEnd)) throw error;
    endTurn(turn, error);
    return block(error.message);
  }
}

export function endTurn(turn: RunningTurn, end: SessionEnd): void {
  turn.ending ??= end;
  turn.turnEnd.abort();
}

async function fireNumbered(
  { session, fire }: InSession,
  turn: RunningTurn,
  name: EventName,
  fields: Fields,
  { answersAgent }: InTurn,
): Promise<Decision> {
  const key = nextKey(turn);
  turn.record.happened(key, { name, ...fields });
  if (answersAgent) session.durable.answered(key);
  const result = await fire(turn.position, name, { key, fields });
  const { decision, feedback } = result;
  if (decision.kind === 'proceed') return decision;
  const refusal = feedback === '' ? decision : { ...decision, reason: feedback };
  if (answersAgent) noteTold(session.durable, key, refusal.reason, result);
  // What is left to a person is not refused yet.
  const isLeft = refusal.kind === 'block' && refusal.ask && !answersAgent;
  if (name === 'tool.calling' && !isLeft) turn.record.refused(key, fields);
  return refusal;
}

/** What the agent does between two turns, while gates run or hooks wait: it is no turn, and gates hold all the same. */
export function createPause(
  { now, run, settings }: Session,
  number: number,
  recordOf: (key: StepKey) => TurnRecord,
): RunningTurn {
  // Numbered in this run: what a crash cut off here is not told again.
  const key = inRun(run.number, `p${number}`);
  return {
    // Where the session is just then.
    get position() {
      return now.position;
    },
    key,
    count: 0,
    progressed: false,
    turnEnd: new AbortController(),
    record: recordOf(key),
    calls: createToldCalls(settings.root),
    isPause: true,
    get ending() {
      return now.ending;
    },
    set ending(end) {
      now.ending = end;
    },
  };
}

/** Who tells of a call: the agent's own hooks, which wait for the answer before it is made, or its protocol. */
type Teller = 'hooks' | 'protocol';

interface ToldCall {
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
interface ToldCalls {
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
