import type { OpenSession } from '../loop/open.ts';
import { agentAt } from './agents.ts';
import type { SpawnParent } from './spawn.ts';

/** A session as its children see it. */
export function parentOf(
  session: OpenSession,
  { env, places, label = session.paths.name }: Pick<SpawnParent, 'env' | 'places'> & { label?: string | undefined },
): SpawnParent {
  const { paths, run, state } = session;
  const { child, tasksFile, ...settings } = session.settings;
  return {
    ...{ paths, label, env, places, settings },
    redone: state.work.redone,
    agentAt: event => agentAt(session, event),
    depth: child?.depth ?? 0,
    run: run.number,
  };
}
