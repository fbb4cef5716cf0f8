import { type Decision, type EventName, isPending } from '../model/index.ts';
import { partOf, type StepKey } from '../model/step-key.ts';
import { type Fields, fire } from './fire.ts';
import type { Loop, Scene } from './loop.ts';
import { SessionEnd } from './session-end.ts';
import type { ToldCalls } from './told-calls.ts';
import type { Transcript } from './transcript.ts';

/** One turn of the agent, while it lasts. */
export interface Attendance {
  scene: Scene;
  /** Names the turn; events in it are numbered. */
  key: StepKey;
  count: number;
  progressed: boolean;
  turnEnd: AbortController;
  transcript: Transcript;
  /** A hook in this turn has ended the session. */
  ending?: SessionEnd | undefined;
  /** The protocol and the agent's own hooks may both tell of a call. */
  calls: ToldCalls;
  /** The tool of a call that was refused and made all the same; it ends the turn. */
  calledAnyway?: string;
  /** No turn at all: no one waits for the agent, and there is none to end. */
  isPause?: true;
}

export interface InTurn {
  /** The agent itself is told of a refusal: it need not hear of it again with the next prompt. */
  answersAgent?: boolean;
}

/** Fires the hooks of something in a turn, once, whoever tells of it. */
export function fireInTurn(
  loop: Loop,
  turn: Attendance,
  name: EventName,
  fields: Fields,
  options: InTurn = {},
): Promise<Decision> {
  const { toolCallId } = fields;
  if (toolCallId === undefined) return fireNumbered(loop, turn, name, fields, options);
  const teller = options.answersAgent ? 'hooks' : 'protocol';
  const call = isPending(name) ? turn.calls.about(fields, teller) : turn.calls.behind(fields, teller);
  if (call.isRefused && !isPending(name)) return Promise.resolve({ kind: 'proceed' });
  // One call may edit several files.
  const part = name === 'file.edited' ? `${name} ${fields.file}` : name;
  const known = call.decided.get(part);
  if (known) return known;
  const decided = fireNumbered(loop, turn, name, fields, options).then(decision => {
    if (isPending(name) && decision.kind !== 'proceed') call.isRefused = true;
    return decision;
  });
  call.decided.set(part, decided);
  return decided;
}

/** What a hook refused is allowed after all: what becomes of the call is told like that of any other. */
export function allow(turn: Attendance, fields: Fields): void {
  if (fields.toolCallId !== undefined) turn.calls.about(fields, 'protocol').isRefused = false;
}

/** Names the next thing that happens in the turn. */
export function nextKey(turn: Attendance): StepKey {
  turn.count += 1;
  return partOf(turn.key, `e${turn.count}`);
}

export const block = (reason: string): Decision => ({ kind: 'block', reason, by: 'hookloop' });

/** A hook that ends the session ends the turn too; the agent hears a no meanwhile. */
export async function duringTurn(turn: Attendance, work: () => Promise<Decision>): Promise<Decision> {
  if (turn.ending) return block(turn.ending.message);
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SessionEnd)) throw error;
    turn.ending ??= error;
    turn.turnEnd.abort();
    return block(error.message);
  }
}

async function fireNumbered(
  loop: Loop,
  turn: Attendance,
  name: EventName,
  fields: Fields,
  { answersAgent }: InTurn,
): Promise<Decision> {
  const key = nextKey(turn);
  turn.transcript.happened({ name, ...fields });
  if (answersAgent) loop.durable.answered(key);
  const { decision, feedback } = await fire(loop, turn.scene, name, { key, fields });
  return decision.kind === 'proceed' || feedback === '' ? decision : { ...decision, reason: feedback };
}
