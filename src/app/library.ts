import { fileURLToPath } from 'node:url';
import type { Engine } from '../engine/engine.ts';
import { type LoadedHooks, loadHooks } from '../hooks/discovery/load.ts';
import { createMask } from '../hooks/secrets/create-mask.ts';
import { type ActionRunners, describeProblem, type EventResult, type HookEvent, type Problem } from '../model/index.ts';
import { isFolder } from '../platform/folders.ts';
import { type ComposeOptions, composeEngine } from './compose.ts';
import type { DispatchActions } from './dispatch-actions.ts';
import { type FunctionHooks, toFunctionHooks } from './function-hooks.ts';
import type { NotStarted } from './session-ports.ts';

export { dialects } from '../dialects/index.ts';
export { type LoadOptions, loadHooks } from '../hooks/discovery/load.ts';
export type { Engine, LoadedHooks };

export type LibraryOptions = Partial<
  Pick<ComposeOptions, 'env' | 'mask' | 'actions' | 'onProgress' | 'relay' | 'warn' | 'dryRun'>
> & {
  /** Hooks that are functions; they run before those of the files. */
  hooks?: FunctionHooks;
};

/** Hook files with errors in something that is or may be a gate. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems.map(problem => describeProblem(problem)).join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** What was asked for cannot be run, and nothing has. */
export class SessionError extends Error {
  readonly why: NotStarted['why'];
  constructor({ why, text }: NotStarted, problems: readonly string[]) {
    super([...problems, text].join('\n'));
    this.name = 'SessionError';
    this.why = why;
  }
}

/** The file that starts hookloop, beside the library in the package. */
export const ownProgram = (): string => fileURLToPath(new URL('../bin/hookloop.cjs', import.meta.url));

/**
 * An engine for hooks that `loadHooks` found, with every kind of action. Contract: throws ConfigError when a gate is
 * broken, since an engine without it would wave everything through.
 */
export function createEngine(loaded: LoadedHooks, options: LibraryOptions = {}): Engine {
  const broken = loaded.problems.filter(problem => problem.refuses);
  if (broken.length > 0) throw new ConfigError(broken);
  const { hooks: functions = {}, ...rest } = options;
  const env = options.env ?? { ...process.env };
  const mask = options.mask ?? createMask(env);
  const own = toFunctionHooks(functions);
  const lazy = lazyDispatchActions(loaded, env, options.warn ?? (() => {}));
  const engine = composeEngine({
    ...rest,
    ...{ env, mask, places: loaded.places },
    hooks: [...own.hooks, ...loaded.hooks],
    actions: { ...lazy.actions, function: own.run, ...options.actions },
  });
  return { ...engine, settle: () => lazy.finish(engine) };
}

/**
 * Fires one event with the hooks that apply in a folder. Contract: rejects with ConfigError as `createEngine` does, and with
 * TypeError where there is no such folder, since its gates would let everything pass.
 */
export async function fire(
  event: HookEvent,
  { cwd = process.cwd(), signal, ...options }: LibraryOptions & { cwd?: string; signal?: AbortSignal } = {},
): Promise<EventResult> {
  if (!isFolder(cwd)) throw new TypeError(`cwd: ${cwd} is not a folder`);
  const engine = createEngine(loadHooks({ cwd, ...(options.env && { env: options.env }) }), options);
  const result = await engine.fire(event, signal ? { signal } : {});
  await engine.settle();
  return result;
}

/** Webhooks, children and judges are loaded when one of them runs. */
function lazyDispatchActions(
  { places }: LoadedHooks,
  env: ComposeOptions['env'],
  tellLine: (line: string) => void,
): { actions: ActionRunners; finish(engine: Engine): Promise<void> } {
  let opened: Promise<DispatchActions> | undefined;
  const openFor = (event: HookEvent): Promise<DispatchActions> => {
    opened ??= import('./dispatch-actions.ts').then(({ openDispatchActions }) =>
      openDispatchActions({ env, program: ownProgram(), tell: tellLine }, places, event),
    );
    return opened;
  };
  return {
    actions: {
      webhook: async (action, run) => (await openFor(run.event)).actions.webhook!(action, run),
      spawn: async (action, run) => (await openFor(run.event)).actions.spawn!(action, run),
      prompt: async (action, run) => (await openFor(run.event)).actions.prompt!(action, run),
      agent: async (action, run) => (await openFor(run.event)).actions.agent!(action, run),
      mcp_tool: async (action, run) => (await openFor(run.event)).actions.mcp_tool!(action, run),
    },
    async finish(engine) {
      const last = opened && (await opened);
      opened = undefined;
      await (last ? last.finish(engine.settle()) : engine.settle());
    },
  };
}
