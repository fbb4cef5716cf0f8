import { read } from '../config/read.ts';
import { createReport, fileProblem } from '../config/report.ts';
import { flag, record } from '../config/shape.ts';
import { parseYaml } from '../config/yaml.ts';
import { couldBeOurs } from '../dialects/pipelines/config.ts';
import { findPipelineFiles, shownPath } from '../hooks/discovery/find-files.ts';
import { createLook, type Look } from '../hooks/discovery/look.ts';
import type { AgentFlaw } from '../loop/pipeline/pipeline-reader.ts';
import { createReader } from '../loop/pipeline/pipeline-reader.ts';
import { type ResolvedPipeline, resolvePipeline } from '../loop/pipeline/resolve.ts';
import type { HookDefinition, Places, Problem } from '../model/index.ts';
import { pipelineHooks } from '../model/pipeline.ts';
import { judgeProblems } from './check-judges.ts';
import { protectProblems } from './check-protect.ts';
import { agentFlawFor, findSpawned, scriptProblems, unknownSettings } from './check-references.ts';
import { syntaxProblems } from './check-syntax.ts';
import type { Where } from './context.ts';
import { type AllHooks, loadAllHooks } from './list.ts';
import { bothRun } from './migrate/both-run.ts';
import { userConfigFile } from './protect-hooks.ts';

/** What is wrong with hook files, pipelines and settings, by file and line. */
export interface Checked {
  problems: readonly Problem[];
  hookFiles: number;
  hooks: number;
}

export function check(where: Where, look: Look = createLook()): Checked {
  const all = loadAllHooks(where, look);
  const { places } = all;
  const agentFlaw = agentFlawFor(where);
  const parts = pipelineParts(all, look, agentFlaw);
  const hooks = [...all.hooks, ...parts.hooks];
  const problems = [
    ...all.problems,
    ...parts.problems,
    ...unknownSettings(places, look, agentFlaw).map(({ problem }) => problem),
    ...protectProblems(places, look),
    ...userConfigProblems(places, look),
    ...syntaxProblems(hooks, places, look),
    ...scriptProblems(hooks, places, look),
    ...judgeProblems(hooks, places, look),
    ...bothRun(all.hooks, places),
  ];
  return { problems: problems.toSorted(byPosition), hookFiles: all.files.size, hooks: all.hooks.length };
}

const byPosition = ({ at: a }: Problem, { at: b }: Problem): number =>
  (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column;

/**
 * What pipelines consist of beyond their own files: the loops, stages and children they name, wherever those stand.
 * Gives only what the files by themselves have not told yet.
 */
function pipelineParts(
  { places, files, hooks, problems }: AllHooks,
  look: Look,
  agentFlaw: AgentFlaw,
): { hooks: readonly HookDefinition[]; problems: readonly Problem[] } {
  const reader = createReader(places, look, agentFlaw);
  const { found } = findPipelineFiles(places, look);
  const ours = found.filter(({ file, text }) => files.has(file) || couldBeOurs(text)).map(({ path }) => path);
  for (const path of ours) reader.use(path);
  const { resolved, told } = resolveAll(ours, hooks, { places, look, agentFlaw, isPipeline: reader.isPipeline });
  return {
    hooks: unknownOf(resolved.flatMap(hooksOf), hooks, ({ id }) => id),
    problems: unknownOf(
      [...reader.problems(), ...resolved.flatMap(one => (one.kind === 'not-found' ? [] : one.problems)), ...told],
      problems,
      ({ severity, message, at: { file, line, column } }) => JSON.stringify([severity, message, file, line, column]),
    ),
  };
}

/** Each pipeline once, and with it the children that its hooks start; loops alone where they are no part of a pipeline. */
function resolveAll(
  paths: readonly string[],
  hooks: readonly HookDefinition[],
  options: { places: Places; look: Look; agentFlaw: AgentFlaw; isPipeline(path: string): boolean },
): { resolved: ResolvedPipeline[]; told: readonly Problem[] } {
  const resolved = new Map<string, ResolvedPipeline>();
  const told: Problem[] = [];
  const add = (path: string): void => {
    if (resolved.has(path)) return;
    const one = resolvePipeline(path, options);
    resolved.set(path, one);
    follow(hooksOf(one));
  };
  const follow = (starting: readonly HookDefinition[]): void => {
    const spawned = findSpawned(starting, options.places, options.look);
    for (const problem of spawned.problems) told.push(problem);
    for (const path of spawned.paths) add(path);
  };
  for (const path of paths) if (options.isPipeline(path)) add(path);
  follow(hooks);
  const parts = new Set([...resolved.values()].flatMap(one => (one.kind === 'not-found' ? [] : one.paths)));
  for (const path of paths) if (!parts.has(path)) add(path);
  return { resolved: [...resolved.values()], told };
}

const hooksOf = (one: ResolvedPipeline): readonly HookDefinition[] =>
  one.kind === 'plan' ? pipelineHooks(one.plan) : [];

/** Each once, by its key, and none of those that are known. */
function unknownOf<T>(found: readonly T[], known: readonly T[], keyOf: (item: T) => string): T[] {
  const keys = new Set(known.map(keyOf));
  return [...new Map(found.filter(item => !keys.has(keyOf(item))).map(item => [keyOf(item), item])).values()];
}

const userConfigShape = record(
  { protect_hooks: flag('Whether agents are kept from changing hook files (default true)') },
  { closed: true },
);

/** What is wrong with the user's own settings: a typo there counts as not written. */
function userConfigProblems(places: Places, look: Look): readonly Problem[] {
  const path = userConfigFile(places);
  const file = shownPath(path, places);
  const content = look.text(path);
  if (content.kind === 'absent') return [];
  if (content.kind !== 'text') return [fileProblem(file, content.reason, false)];
  const report = createReport(file, content.text, false);
  const parsed = parseYaml(content.text);
  for (const flaw of parsed.flaws) report.flaw(flaw);
  if (parsed.kind === 'parsed' && parsed.root) read(parsed.root, userConfigShape, report);
  return report.problems;
}
