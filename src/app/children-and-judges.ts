import { createJudgeRunner } from '../actions/judge/runner.ts';
import { createMark, markedEnv } from '../actions/process/stop.ts';
import { loadSettings } from '../hooks/discovery/find-files.ts';
import { loadHooks } from '../hooks/discovery/load.ts';
import { createLook } from '../hooks/discovery/look.ts';
import type { ActionRunners, JudgeAction } from '../model/index.ts';
import { sessionFiles, sessionWithoutName } from '../session/paths.ts';
import type { SharedParts, SpawnParent } from './child-sessions.ts';
import { agentWithCredentials, depthVariable, setIn } from './session-environment.ts';
import { sessionsOf } from './sessions.ts';
import { createSpawnRunner } from './spawn.ts';

export type ChildAndJudgeOptions = Pick<SharedParts, 'places' | 'env' | 'mask' | 'secrets' | 'report' | 'program'>;

export type ChildAndJudgeActions = Required<Pick<ActionRunners, 'spawn' | JudgeAction['kind']>>;

/** Child pipelines and judges for events that are fired from outside a session. Files are read when one of them runs. */
export function createChildAndJudgeActions(options: ChildAndJudgeOptions): ChildAndJudgeActions {
  const { places, mask } = options;
  const env = setIn(markedEnv(options.env, `${createMark()}-dispatch`));
  let found: Pick<SharedParts, 'hooks' | 'config'> | undefined;
  const load = (): NonNullable<typeof found> => {
    const look = createLook();
    found ??= {
      hooks: loadHooks({ cwd: places.cwd, env: options.env, look }).hooks,
      config: loadSettings(places, look),
    };
    return found;
  };
  const judges = createJudgeRunner({
    judgeFor() {
      const { judge, agent } = load().config;
      const spec = judge ?? agent;
      if (spec === undefined) return { reason: 'there is no one to ask: write judge: { agent: ... } in hookloop.yaml' };
      return agentWithCredentials(spec, { cwd: places.root, env: options.env, watchEdits: false });
    },
    cwd: places.root,
    env,
    mask,
  });
  return {
    ...judges,
    spawn: (action, run) => {
      const shared = { ...options, ...load(), atOnce: new AbortController().signal };
      const spawn = createSpawnRunner({
        shared,
        parent: parentWithout(shared, env),
        // One part of the program for all that run sessions.
        play: async child => (await import('./session-parts.ts')).runOpened(child),
      });
      return spawn(action, run);
    },
  };
}

const turnTimeoutMs = 3_600_000;

function parentWithout({ places, config }: SharedParts, env: Readonly<Record<string, string>>): SpawnParent {
  const { root } = places;
  const { agent, otherAgents = [], maxRetries } = config;
  // Where children of events live that belong to no session.
  const paths = sessionFiles(root, sessionWithoutName);
  return {
    ...{ paths, env, places },
    name: paths.name,
    store: sessionsOf(root, env).store,
    settings: {
      ...{ agent: agent ?? '', root, turnTimeoutMs },
      permissions: 'allow',
      noHooks: false,
      ...(maxRetries !== undefined && { maxRetries }),
    },
    agentsAt: () => (agent === undefined ? [] : [agent, ...otherAgents]),
    // An agent of a child may cause events too.
    depth: Number(env[depthVariable] ?? 0) || 0,
    run: 1,
    redone: [],
  };
}
