import { dialects } from '../dialects/index.ts';
import { wires } from '../dialects/wires.ts';
import { loadPipelineFiles, pathOf, pipelineFolders } from '../hooks/discovery/find-files.ts';
import type { OuterRoot } from '../hooks/discovery/load.ts';
import { createLook, type Look } from '../hooks/discovery/look.ts';
import { loadApplyingHooks, rootsAbove } from '../hooks/plan/compile.ts';
import {
  type ActionOutcome,
  type Decision,
  type DialectName,
  decide,
  eventNames,
  type HookDefinition,
  isJudge,
  type LeftOut,
  type Places,
  type Problem,
  type Scope,
  scopes,
} from '../model/index.ts';
import { given } from '../model/json.ts';
import type { Where } from './context.ts';

/** Everything that hook files and pipeline files say, in the order of events and, inside one, in the order hooks run. */
export interface AllHooks {
  places: Places;
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
  /** Files that have hooks or problems, and every pipeline file. */
  files: ReadonlySet<string>;
  outer: readonly OuterRoot[];
  /** Hooks of files that are left to the program whose format they are in. */
  leftOut: readonly LeftOut[];
  /** Roots that want to end the search, nearest first. */
  ends: readonly string[];
  /** One of them does not, since its file is not trusted. */
  isEndIgnored: boolean;
}

export function loadAllHooks({ cwd, env }: Where, look: Look = createLook()): AllHooks {
  const { places, outer, ends, leftOut, ...loaded } = loadApplyingHooks({ cwd, env, look });
  const pipelines = loadPipelineFiles(places, look);
  const hooks = [...pipelines.hooks, ...loaded.hooks].toSorted(
    (a, b) =>
      eventNames.indexOf(a.event) - eventNames.indexOf(b.event) ||
      scopes.indexOf(a.source.scope) - scopes.indexOf(b.source.scope),
  );
  const problems = [...loaded.problems, ...pipelines.problems];
  const files = new Set([
    ...loaded.files.filter(file => !hooks.some(({ source }) => source.file.startsWith(`${file}/`))),
    ...hooks.map(({ source }) => source.file),
    ...problems.map(({ at }) => at.file),
    ...pipelines.files,
  ]);
  const isEndIgnored = ends.some(end => rootsAbove(end, places).length > 0);
  return { places, hooks, problems, files, outer, ends, leftOut, isEndIgnored };
}

/** Why a hook will not run, or undefined if it will. */
export const whyNotRunnable = ({ disabled, unavailable }: HookDefinition): string | undefined =>
  disabled ?? unavailable;

/** What the session does next where a hook breaks, says no, or takes too long. */
export interface Consequences {
  failed: Decision['kind'];
  /** How an action of its kind says no, as opposed to breaking; absent where it cannot. */
  refused?: { answer: string; decision: Decision['kind'] };
  /** Absent where it has no time limit. */
  late?: Decision['kind'];
}

/** Asks the hook's own dialect, so that nothing here has to know its rules. */
export function consequencesOf(hook: HookDefinition): Consequences {
  const wire = wires.find(({ name }) => name === hook.source.dialect)!;
  const after = (outcome: ActionOutcome): Decision['kind'] =>
    decide(wire.interpret(outcome, hook, { name: hook.event }).verdict, outcome, hook).kind;
  const { kind } = hook.action;
  if (kind === 'deny' || kind === 'tell') return { failed: after({ kind: 'ruled', text: '' }) };
  const isAsked = isJudge(hook.action);
  const no: ActionOutcome = isAsked ? { kind: 'judged', ok: false, reason: 'no' } : exited(2);
  return given({
    failed: after(exited(1)),
    refused: isAsked || kind === 'shell' ? { answer: isAsked ? 'no' : 'exit 2', decision: after(no) } : undefined,
    late: hook.timeoutMs === null ? undefined : after({ ...exited(1), kind: 'timed-out', afterMs: 1 }),
  });
}

const exited = (exitCode: number) => ({ kind: 'exited', exitCode, stdout: '', stderr: '' }) as const;

/** Where hooks of a dialect can be put. */
export interface HookLocations {
  dialect: DialectName;
  project: string;
  /** Absent where the user can have none for all projects. */
  user?: string;
}

export const hookLocations = (places: Places): HookLocations[] =>
  dialects.map(({ name, locations }) => {
    const shown = (scope: Scope): string | undefined => {
      const location = locations.find(one => one.scope === scope && one.onlyIf === undefined);
      if (!location) return undefined;
      const path = scope === 'project' ? location.path : (pathOf(location, places) ?? location.path);
      return location.holds === 'scripts' ? `${path}/TYPE/*.sh` : path;
    };
    const project = shown('project') ?? `${pipelineFolders[2]}/, ${pipelineFolders[3]}/`;
    return given({ dialect: name, project, user: shown('user') });
  });
