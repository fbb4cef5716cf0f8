import type { OpenSession } from '../loop/open.ts';
import { agentAt } from './agents.ts';
import type { SpawnParent } from './spawn.ts';

/** A session as its children see it. */
export function parentOf(
  session: OpenSession,
  { env, places, label = session.paths.name }: Pick<SpawnParent, 'env' | 'places'> & { label?: string | undefined },
): SpawnParent {
  const { paths, run, entries } = session;
  const { child, tasksFile, ...settings } = session.settings;
  const redone = entries.flatMap(entry =>
    entry.kind === 'session.resumed' && entry.again !== undefined ? [{ key: entry.again, run: entry.run.number }] : [],
  );
  return {
    ...{ paths, label, env, places, settings, redone },
    agentAt: event => agentAt(session, event),
    depth: child?.depth ?? 0,
    run: run.number,
  };
}
