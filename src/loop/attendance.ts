import type { Decision, EventName } from '../model/index.ts';
import { type Fields, fire } from './fire.ts';
import type { Loop, Scene } from './loop.ts';
import { SessionEnd } from './session-end.ts';

/** One turn of the agent, while it lasts. */
export interface Attendance {
  scene: Scene;
  /** Names the turn; events in it are numbered. */
  key: string;
  count: number;
  progressed: boolean;
  turnEnd: AbortController;
  /** A hook in this turn has ended the session. */
  ending?: SessionEnd;
  /** What was decided about events of tool calls: the protocol and the agent's own hooks may both tell of them. */
  decided: Map<string, Promise<Decision>>;
  /** Calls that were refused: what the agent says of them later is no failure of the tool. */
  refused: Set<string>;
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
  if (turn.refused.has(toolCallId) && name !== 'tool.calling') return Promise.resolve({ kind: 'proceed' });
  // One call may edit several files; everything else happens to a call once.
  const id = [name, toolCallId, name === 'file.edited' ? fields.file : ''].join('\n');
  const known = turn.decided.get(id);
  if (known) return known;
  const decided = fireNumbered(loop, turn, name, fields, options).then(decision => {
    if (name === 'tool.calling' && decision.kind !== 'proceed') turn.refused.add(toolCallId);
    return decision;
  });
  turn.decided.set(id, decided);
  return decided;
}

/** What a hook refused is allowed after all: what becomes of the call is told like that of any other. */
export function allow(turn: Attendance, { toolCallId }: Fields): void {
  if (toolCallId !== undefined) turn.refused.delete(toolCallId);
}

/** Names the next thing that happens in the turn. */
export function nextKey(turn: Attendance): string {
  turn.count += 1;
  return `${turn.key}/e${turn.count}`;
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
  if (answersAgent) loop.durable.answered(key);
  const { decision, feedback } = await fire(loop, turn.scene, name, { key, fields });
  return decision.kind === 'proceed' || feedback === '' ? decision : { ...decision, reason: feedback };
}
