import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  cleanOldSpills,
  createScratch,
  createSpill,
  keepText,
  type Scratch,
  type Spill,
} from '../actions/output-files.ts';
import { createShellRunner, type ShellRunnerOptions } from '../actions/shell/runner.ts';
import { wires as allWires } from '../dialects/wires.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import type { EnginePorts } from '../engine/run-hook.ts';
import { createByteMask } from '../hooks/secrets/create-mask.ts';
import { brokenPart, goneText } from '../model/gone.ts';
import type { ActionKind, ActionRunners, DialectWire, HookDefinition, Places, RunAction } from '../model/index.ts';
import { spillIndex, stateFolder } from '../platform/folders.ts';

type OfEngine = Pick<
  EnginePorts,
  'places' | 'env' | 'onProgress' | 'around' | 'dryRun' | 'rule' | 'recheck' | 'filesMark'
>;

/** `relay` gets stderr lines of hooks whose dialect shows them as they come, `warn` what was changed or lost on the way to a hook. */
export interface ComposeOptions extends OfEngine, Pick<ShellRunnerOptions, 'relay' | 'warn' | 'detach' | 'watch'> {
  hooks: readonly HookDefinition[];
  mask: (text: string) => string;
  /** Wraps the runners of shells and children: the scripts must be those that were trusted. */
  onlyTrusted?: (<Kind extends ActionKind>(run: RunAction<Kind>) => RunAction<Kind>) | undefined;
  /** Runners for further kinds of actions, or in place of ours. */
  actions?: ActionRunners | undefined;
  /** In place of those of the dialects. */
  wires?: readonly DialectWire[] | undefined;
  /** Where long output and long values go; absent: the user's state folder, for a week. */
  outputFolder?: string;
}

/** An engine with its real parts. */
export function composeEngine(options: ComposeOptions): Engine {
  const { actions, wires = allWires, onlyTrusted, outputFolder, relay, warn, detach, watch, ...ports } = options;
  const { places, env, mask } = ports;
  const { spill, scratch } = outputFolder === undefined ? privateFiles(env) : filesIn(outputFolder, env);
  const shell = createShellRunner({
    ...{ env, scratch, relay, warn, detach, watch },
    spill: { ...spill, mask: () => createByteMask(mask) },
  });
  return createEngine({
    ...ports,
    wires,
    actions: trustedOnly({ shell, ...actions }, onlyTrusted),
    evaluate,
    save: (text, hook) => keepForAgent(text, hook, { outputFolder, scratch, places }),
  });
}

const evaluate: EnginePorts['evaluate'] = async (condition, variables) => {
  try {
    return (await import('../config/conditions/evaluate.ts')).evaluateCondition(condition, variables);
  } catch (error) {
    const part = brokenPart(error);
    throw part === undefined ? error : new Error(goneText(part));
  }
};

function trustedOnly(actions: ActionRunners, onlyTrusted: ComposeOptions['onlyTrusted']): ActionRunners {
  if (!onlyTrusted) return actions;
  const { shell, spawn, mcp_tool } = actions;
  return {
    ...actions,
    ...(shell && { shell: onlyTrusted(shell) }),
    ...(spawn && { spawn: onlyTrusted(spawn) }),
    ...(mcp_tool && { mcp_tool: onlyTrusted(mcp_tool) }),
  };
}

interface OutputFiles {
  spill: Spill;
  scratch: Scratch;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Long output and long values live in the user's state folder for a week. */
function privateFiles(env: ComposeOptions['env']): OutputFiles {
  const folder = outputFolderOf(env);
  // Later, while a hook is running.
  process.nextTick(cleanDaily, folder);
  return filesIn(folder, env);
}

/** The caller's environment decides: serve answers only its own user, but HOME may differ. */
const outputFolderOf = (env: ComposeOptions['env']): string =>
  join(stateFolder(env) ?? join('/tmp', `hookloop-${process.getuid?.() ?? 'user'}`), 'output');

const filesIn = (folder: string, env: ComposeOptions['env']): OutputFiles => ({
  spill: createSpill(folder, spillIndex(env)),
  scratch: createScratch(folder),
});

/** To go through all files once a day is enough. */
function cleanDaily(folder: string): void {
  const mark = join(folder, 'cleaned');
  try {
    const cleanedAt = statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - cleanedAt < dayMs || !existsSync(folder)) return;
    writeFileSync(mark, '', { mode: 0o600 });
    cleanOldSpills(folder, 7 * dayMs);
  } catch {
    // Old files may stay; a hook must not fail for them.
  }
}

/** Keeps a text that is too long for an agent and returns its path, relative if the file is inside the project. */
function keepForAgent(
  text: string,
  hook: HookDefinition,
  { outputFolder, scratch, places }: { outputFolder: string | undefined; scratch: Scratch; places: Places },
): string | undefined {
  const name = fileNameOf(hook);
  try {
    if (outputFolder === undefined) return scratch.write(name, text);
    const path = keepText(outputFolder, name, text);
    const inside = relative(places.root, path);
    return inside.startsWith('..') ? path : inside;
  } catch {
    return undefined;
  }
}

/** `Unit tests (fast)` as `unit-tests-fast`. */
const fileNameOf = ({ name }: HookDefinition): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-|-$/g, '') || 'hook';
