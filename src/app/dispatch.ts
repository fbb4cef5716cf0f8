import { createJudgeRunner } from '../actions/judge/runner.ts';
import { createMark, markedEnv } from '../actions/process/stop.ts';
import type { Settings } from '../dialects/native/config.ts';
import { loadSettings } from '../hooks/discovery/find.ts';
import { loadHooks } from '../hooks/discovery/load.ts';
import { createLook } from '../hooks/discovery/look.ts';
import type { ActionRunners, HookDefinition } from '../model/index.ts';
import { type SessionFiles, sessionFiles, sessionWithoutName } from '../session/paths.ts';
import type { SharedParts, SpawnParent } from './child-sessions.ts';
import { agentWithCredentials, depthVariable, given } from './session-environment.ts';
import { runOpened } from './session-parts.ts';
import { sessionsOf } from './sessions.ts';
import { createSpawnRunner } from './spawn.ts';

export type DispatchOptions = Pick<SharedParts, 'places' | 'env' | 'mask' | 'secrets' | 'watcher' | 'program'>;

export type InsideActions = Required<Pick<ActionRunners, 'spawn' | 'prompt' | 'agent'>>;

/** Where children of events live that belong to no session. */
export const dispatchPaths = (root: string): SessionFiles => sessionFiles(root, sessionWithoutName);

/** Child pipelines and judges for events that are fired from outside of a session. Files are read when one of them runs. */
export function createDispatchActions(options: DispatchOptions): InsideActions {
  const { places, mask } = options;
  const env = given(markedEnv(options.env, `${createMark()}-dispatch`));
  let found: { hooks: readonly HookDefinition[]; settings: Settings } | undefined;
  const load = (): NonNullable<typeof found> => {
    const look = createLook();
    found ??= {
      hooks: loadHooks({ cwd: places.cwd, env: options.env, look }).hooks,
      settings: loadSettings(places, look),
    };
    return found;
  };
  const judges = createJudgeRunner({
    judgeFor() {
      const { judge, agent } = load().settings;
      const spec = judge ?? agent;
      if (spec === undefined) return { reason: 'nobody to ask: write judge: { agent: ... } in hookloop.yaml' };
      return agentWithCredentials(spec, { cwd: places.root, env: options.env, watchEdits: false });
    },
    cwd: places.root,
    env,
    mask,
  });
  return {
    ...judges,
    spawn: (action, run) => {
      const { hooks, settings } = load();
      const { judge, maxFailures } = settings;
      const shared: SharedParts = {
        ...options,
        hooks,
        atOnce: new AbortController().signal,
        ...(judge !== undefined && { judge }),
        ...(maxFailures !== undefined && { maxFailures }),
      };
      const spawn = createSpawnRunner({
        shared,
        parent: parentWithout(options, env, settings),
        runChild: (session, child, stop) => runOpened({ ...shared, session, child, stop }),
      });
      return spawn(action, run);
    },
  };
}

const turnTimeoutMs = 3_600_000;

function parentWithout(
  { places }: DispatchOptions,
  env: Readonly<Record<string, string>>,
  { agent, maxRetries }: Settings,
): SpawnParent {
  const { root } = places;
  const paths = dispatchPaths(root);
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
    agentAt: () => agent,
    // An agent of a child may cause events too.
    depth: Number(env[depthVariable] ?? 0) || 0,
    run: 1,
    redone: [],
  };
}
