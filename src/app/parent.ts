import type { OpenSession } from '../loop/open.ts';
import { agentAt } from './agents.ts';
import type { SpawnParent } from './spawn.ts';

/** A session as its children see it. */
export function parentOf(session: OpenSession, { env, places }: Pick<SpawnParent, 'env' | 'places'>): SpawnParent {
  const { store, name, paths, run, state } = session;
  const { child, tasksFile, ...settings } = session.settings;
  return {
    ...{ store, name, paths, env, places, settings },
    redone: state.work.redone,
    agentAt: event => agentAt(session, event),
    depth: child?.depth ?? 0,
    run: run.number,
  };
}
