import { basename, resolve } from 'node:path';
import { missingAgents, resolveAgent, type UnknownAgent } from '../agents/index.ts';
import { childOf, itemsOf, type Located } from '../config/located.ts';
import { createReport } from '../config/report.ts';
import { parseYaml } from '../config/yaml.ts';
import { nativeFiles, shownPath } from '../hooks/discovery/find-files.ts';
import type { Look } from '../hooks/discovery/look.ts';
import { startedPaths } from '../hooks/trust/named-files.ts';
import { findPipeline } from '../loop/pipeline/find-pipeline.ts';
import type { AgentFlaw } from '../loop/pipeline/pipeline-reader.ts';
import type { ResolvedPipeline } from '../loop/pipeline/resolve.ts';
import { type NamedAgents, namedAgents } from '../model/agent.ts';
import { type HookDefinition, isJudge, type Places, type Position, type Problem, type Source } from '../model/index.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import { isExecutable } from '../platform/files.ts';
import type { Where } from './context.ts';

/** Why a text names no agent, as `run` sees it. */
export const agentFlawFor =
  ({ cwd, env }: Where): AgentFlaw =>
  spec => {
    const known = resolveAgent(spec, { cwd, env });
    return 'message' in known ? known : undefined;
  };

/** Why the agents and judges of a pipeline cannot work: a stage has none, no one knows one, or it is not installed. */
export type AgentsFlaw =
  | { kind: 'none' }
  | { kind: 'unknown'; spec: string; flaw: UnknownAgent }
  | { kind: 'missing'; text: string };

export function agentsFlaw(
  plan: PipelinePlan,
  agents: NamedAgents,
  { root, ...where }: Where & { root: string },
): AgentsFlaw | undefined {
  if (plan.stages.some(stage => (stage.agent ?? agents.agent) === undefined)) return { kind: 'none' };
  const wanted = wantedBy(plan, agents);
  for (const spec of wanted.flat()) {
    const known = resolveAgent(spec, where);
    if ('message' in known) return { kind: 'unknown', spec, flaw: known };
  }
  const lacking = wanted.map(specs => missingAgents(specs, { ...where, root })).find(({ isAll }) => isAll);
  return lacking && { kind: 'missing', text: lacking.texts[0]! };
}

/** What is missing of agents that another stands in for. */
export const missingBeside = (
  plan: PipelinePlan,
  agents: NamedAgents,
  where: Where & { root: string },
): readonly string[] => [
  ...new Set(
    wantedBy(plan, agents)
      .map(specs => missingAgents(specs, where))
      .flatMap(({ texts, isAll }) => (isAll ? [] : texts)),
  ),
];

/** The agents of the session and of each stage, and its judges: of each list one must be there. */
function wantedBy({ stages }: PipelinePlan, agents: NamedAgents): (readonly string[])[] {
  const judges = stages.map(({ termination }) => ('judge' in termination ? termination.judge : undefined));
  const named = [agents, ...stages, ...judges.map(judge => namedAgents(judge))];
  return named.flatMap(({ agent, otherAgents = [] }) => (agent === undefined ? [] : [[agent, ...otherAgents]]));
}

export const unknownAgentText = ({ message, hint }: UnknownAgent): string => [message, hint].filter(Boolean).join('; ');

/** Where a pipeline that is named was looked for. */
export const noPipelineText = ({ name, hint, tried }: Extract<ResolvedPipeline, { kind: 'not-found' }>): string =>
  [`no pipeline "${name}"`, hint, `looked at ${tried.join(', ')}`].filter(Boolean).join('; ');

/** An agent of a settings file that no one knows. */
interface UnknownSetting {
  of: 'agent' | 'judge';
  spec: string;
  problem: Problem;
}

/** What is wrong with `agent:` and `judge:` of hookloop.yaml, the project's and the user's. */
export const unknownSettings = (places: Places, look: Look, flawOf: AgentFlaw): UnknownSetting[] =>
  nativeFiles(places, look).flatMap(({ file, text }) => unknownIn(file, text, flawOf));

function unknownIn(file: string, text: string, flawOf: AgentFlaw): UnknownSetting[] {
  const parsed = parseYaml(text);
  const root = parsed.kind === 'parsed' ? parsed.root : undefined;
  const named = { agent: childOf(root, 'agent'), judge: childOf(childOf(root, 'judge'), 'agent') };
  return (['agent', 'judge'] as const).flatMap(of =>
    [named[of], ...itemsOf(named[of])].flatMap(node => {
      const spec = textOf(node);
      const flaw = spec === undefined ? undefined : flawOf(spec);
      if (spec === undefined || flaw === undefined) return [];
      const report = createReport(file, text, false);
      report.error(node!.span, flaw.message, flaw.hint);
      return [{ of, spec, problem: report.problems[0]! }];
    }),
  );
}

/** A value of another type, or an empty one, is told where the file's shape is. */
const textOf = (node: Located | undefined): string | undefined =>
  node?.kind === 'scalar' && typeof node.value === 'string' && node.value.trim() !== '' ? node.value : undefined;

/** Hooks that ask a model and wait for its answer: without one they refuse. */
export const needsJudge = ({ action, wait, disabled }: HookDefinition): boolean =>
  isJudge(action) && wait && disabled === undefined;

/**
 * Looks for the child pipelines of hooks as `run` will: the files that exist, and what is wrong with the names that lead
 * nowhere.
 */
export function findSpawned(
  hooks: readonly HookDefinition[],
  places: Places,
  look: Look,
): { paths: readonly string[]; problems: readonly Problem[] } {
  const positionIn = createPositionIn(places, look);
  const paths = new Set<string>();
  const problems = new Map<string, Problem>();
  for (const { action, source, disabled, onFailure } of hooks) {
    if (action.kind !== 'spawn' || disabled !== undefined) continue;
    const found = findPipeline({ name: action.pipeline, from: resolve(places.root, source.file) }, places, look);
    if (found.kind !== 'not-found') {
      paths.add(found.path);
      continue;
    }
    const at = positionIn(source, action.pipeline, 'pipeline');
    const message = `no pipeline "${action.pipeline}"`;
    // A hook of the user's own file stands in every project, and its pipeline may be in some of them only.
    const isOfProject = source.scope !== 'user' && source.scope !== 'plugin';
    problems.set(JSON.stringify([message, at]), {
      ...{ severity: isOfProject ? 'error' : 'warning', message, at },
      hint: [found.hint, `looked at ${found.tried.join(', ')}`].filter(Boolean).join(' '),
      refuses: isOfProject && onFailure === 'abort',
    });
  }
  return { paths: [...paths], problems: [...problems.values()] };
}

/** Scripts that commands name and that cannot be run: missing, links to nothing, folders, not executable. */
export function scriptProblems(hooks: readonly HookDefinition[], places: Places, look: Look): Problem[] {
  const positionIn = createPositionIn(places, look);
  const problems = new Map<string, Problem>();
  for (const hook of hooks) {
    if (hook.disabled !== undefined || hook.unavailable !== undefined) continue;
    const own = hook.root === undefined ? places : { ...places, root: hook.root, repo: hook.root };
    // A command in the user's own file runs in every project, and its script may be in some of them only.
    const isEverywhere = hook.source.scope === 'user' && hook.action.kind === 'shell';
    for (const { path, isProgram } of startedPaths(hook, own)) {
      const flaw = scriptFlaw(path, isProgram, look);
      if (flaw === undefined || (isEverywhere && path.startsWith(`${own.root}/`))) continue;
      const shown = shownPath(path, own);
      const at = positionInCommand(hook, basename(path), positionIn);
      const message = `${shown} ${flaw}`;
      problems.set(JSON.stringify([message, at]), {
        ...{ severity: 'warning', message, at, refuses: false },
        ...(flaw === notExecutable && { hint: `chmod +x ${shown}` }),
      });
    }
  }
  return [...problems.values()];
}

/** Other commands of the same line may name the same script. */
function positionInCommand({ action, source }: HookDefinition, name: string, positionIn: PositionIn): Position {
  const command = action.kind === 'shell' ? action.command : '';
  for (const written of [JSON.stringify(command), `'${command}'`, command]) {
    const at = positionIn(source, written);
    const inside = written.indexOf(name);
    if (inside >= 0 && at.lineText?.startsWith(written, at.column - 1))
      return { ...at, column: at.column + inside, length: name.length };
  }
  return positionIn(source, name);
}

const notExecutable = 'is not executable, so this command cannot start it';

function scriptFlaw(path: string, isProgram: boolean, look: Look): string | undefined {
  const stats = look.stat(path);
  if (!stats) return look.failures.get(path) ?? 'does not exist';
  if (!stats.isFile()) return stats.isDirectory() ? 'is a folder, not a script' : undefined;
  return isProgram && !isExecutable(path) ? notExecutable : undefined;
}

/** Where a text stands in a hook's entry, behind its key if one is given; the entry's first line where it cannot be seen. */
type PositionIn = (source: Source, text: string, key?: string) => Position;

/** No entry of a hook is taken to be longer than so many lines. */
const maxLines = 20;

export function createPositionIn(places: Places, look: Look): PositionIn {
  const known = new Map<string, readonly string[]>();
  const linesOf = (file: string): readonly string[] => {
    const content = known.has(file) ? undefined : look.text(resolve(places.root, file));
    if (content) known.set(file, content.kind === 'text' ? content.text.split('\n') : []);
    return known.get(file)!;
  };
  return ({ file, line }, text, key) => {
    const lines = linesOf(file).slice(line - 1, line - 1 + maxLines);
    const columns = lines.map(one => columnOf(one, text, key));
    const found = columns.findIndex(column => column !== -1);
    const lineText = lines[Math.max(0, found)];
    if (lineText === undefined) return { file, line, column: 1 };
    const column = found === -1 ? lineText.search(/\S|$/) : columns[found]!;
    const length = found === -1 ? lineText.length - column : text.length;
    return { file, line: line + Math.max(0, found), column: column + 1, lineText, length: Math.max(1, length) };
  };
}

function columnOf(line: string, text: string, key: string | undefined): number {
  if (text === '') return -1;
  const before = key === undefined ? undefined : new RegExp(`\\b${key}["']?\\s*[:=]\\s*["']?$`);
  for (let at = line.indexOf(text); at !== -1; at = line.indexOf(text, at + 1))
    if (before === undefined || before.test(line.slice(0, at))) return at;
  return -1;
}
