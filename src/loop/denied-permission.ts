import type { Decision, HookEvent } from '../model/index.ts';
import type { RunningTurn } from './running-turn.ts';

/** Tells hooks of a call that was not permitted. */
export async function tellIfDenied(turn: RunningTurn, event: HookEvent, decision: Decision): Promise<Decision> {
  if (decision.kind === 'proceed' || !turn.position.engine.listensTo('permission.denied')) return decision;
  const { name: _name, session: _session, at: _at, ...fields } = event;
  await turn.fire('permission.denied', { ...fields, reason: decision.reason });
  return decision;
}
