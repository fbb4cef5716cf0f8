import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadyProcesses } from './actions/ready/ports.ts';
import { createScratch, type Scratch } from './actions/scratch.ts';
import { createShellRunner } from './actions/shell.ts';
import { cleanOldSpills, createSpill, type Spill } from './actions/spill.ts';
import { wires } from './dialects/wires.ts';
import { createEngine, type Engine } from './engine/engine.ts';
import type { Progress } from './engine/run-hook.ts';
import { stateFolder } from './folders.ts';
import type { ActionKind, ActionRunners, AroundHook, HookDefinition, Places, RunAction } from './model/index.ts';

export interface ComposeOptions {
  hooks: readonly HookDefinition[];
  places: Places;
  env: Readonly<Record<string, string | undefined>>;
  mask: (text: string) => string;
  onProgress?: (progress: Progress) => void;
  /** Gets stderr lines of hooks whose dialect shows them as they come. */
  relay?: (line: string) => void;
  /** Hears of what was changed or lost on the way to a hook. */
  warn?: (text: string) => void;
  /** Hooks nobody waits for outlive this process. */
  detach?: boolean;
  dryRun?: boolean;
  /** Stands before each run of a shell or child: the scripts must be those that were trusted. */
  guard?<Kind extends ActionKind>(run: RunAction<Kind>): RunAction<Kind>;
  /** Runners for further kinds of actions, or other ones for ours. */
  actions?: ActionRunners;
  /** Keeps the results of hooks that are part of a session. */
  around?: AroundHook;
  /** Where long output and long values go; absent: the user's state folder, for a week. */
  outputFolder?: string;
  /** Files for the output of hooks, made beforehand by a program that stays. */
  spares?: SpareFiles;
}

export interface SpareFiles {
  folder: string;
  spill: Spill;
  /** Processes with such files. */
  ready?: ReadyProcesses;
}

/** An engine with its real parts. */
export function composeEngine(options: ComposeOptions): Engine {
  const { hooks, places, env, mask, onProgress, relay, warn, detach, dryRun, around, outputFolder } = options;
  const { spill, scratch, ready } =
    outputFolder === undefined ? privateFiles(env, options.spares) : filesIn(outputFolder);
  const shell = createShellRunner({
    env,
    spill,
    scratch,
    ready,
    ...(relay && { relay }),
    ...(warn && { warn }),
    ...(detach && { detach }),
  });
  return createEngine({
    hooks,
    wires,
    places,
    env,
    actions: guarded({ shell, ...options.actions }, options.guard),
    evaluate: async (condition, variables) =>
      (await import('./conditions/evaluate.ts')).evaluateCondition(condition, variables),
    mask,
    save: text => saveOrNot(scratch, text),
    ...(onProgress && { onProgress }),
    ...(around && { around }),
    ...(dryRun && { dryRun }),
  });
}

function guarded(actions: ActionRunners, guard: ComposeOptions['guard']): ActionRunners {
  if (!guard) return actions;
  const { shell, spawn } = actions;
  return { ...actions, ...(shell && { shell: guard(shell) }), ...(spawn && { spawn: guard(spawn) }) };
}

interface OutputFiles {
  spill: Spill;
  scratch: Scratch;
  ready?: ReadyProcesses | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Long output and long values live in the user's state folder for a week. */
function privateFiles(env: ComposeOptions['env'], spares?: SpareFiles): OutputFiles {
  const folder = outputFolderOf(env);
  const ours = spares?.folder === folder ? spares : undefined;
  const spill = ours?.spill ?? createSpill(folder);
  let cleaned = false;
  const open: Spill['open'] = name => {
    const opened = spill.open(name);
    // Later, when the hook that wanted the file is running.
    if (!cleaned) setImmediate(() => cleanDaily(folder));
    cleaned = true;
    return opened;
  };
  return { spill: { ...spill, open }, scratch: createScratch(folder), ready: ours?.ready };
}

/** Whose environment it is decides: serve answers for its user only, but HOME may be another. */
export const outputFolderOf = (env: ComposeOptions['env']): string =>
  join(stateFolder(env) ?? join('/tmp', `hookloop-${process.getuid?.() ?? 'user'}`), 'output');

const filesIn = (folder: string): OutputFiles => ({
  spill: createSpill(folder),
  scratch: createScratch(folder),
});

/** Every hook opens files here, so looking through all of them is for once a day. */
function cleanDaily(folder: string): void {
  const mark = join(folder, 'cleaned');
  try {
    if (Date.now() - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0) < dayMs) return;
    writeFileSync(mark, '', { mode: 0o600 });
    cleanOldSpills(folder, 7 * dayMs);
  } catch {
    // Old files may stay; a hook must not fail for them.
  }
}

function saveOrNot(scratch: Scratch, text: string): string | undefined {
  try {
    return scratch.write('feedback', text);
  } catch {
    return undefined;
  }
}
