import { dialects } from '../dialects/index.ts';
import type { Settings } from '../dialects/native/config.ts';
import { loadSettings, pathOf, shownPath } from '../hooks/discovery/find-files.ts';
import type { LoadedHooks } from '../hooks/discovery/load.ts';
import { createLook } from '../hooks/discovery/look.ts';
import { loadApplyingHooks } from '../hooks/plan/compile.ts';
import type { AgentFlaw } from '../loop/pipeline/pipeline-reader.ts';
import { resolvePipeline } from '../loop/pipeline/resolve.ts';
import { promptPlan, tasksPlan } from '../loop/pipeline/short-forms.ts';
import type { Places, Problem } from '../model/index.ts';
import type { PipelinePlan, StagePlan } from '../model/pipeline.ts';
import { brokenGate } from '../model/words.ts';
import { readChecklist, untickedCount } from '../session/checklist.ts';
import {
  agentFlawFor,
  agentsFlaw,
  findSpawned,
  needsJudge,
  noPipelineText,
  unknownAgentText,
  unknownSettings,
} from './check-references.ts';
import type { Where } from './context.ts';
import type { NotStarted } from './session-ports.ts';

/** What a session is asked to do. */
export interface SessionRequest {
  pipeline?: string | undefined;
  prompt?: string | undefined;
  /** A checklist, absolute. */
  tasksFile?: string | undefined;
  /** Tasks of the session's own. */
  tasks?: readonly string[] | undefined;
  agent?: string | undefined;
  session?: string | undefined;
  maxIterations?: number | undefined;
  maxRetries?: number | undefined;
  maxFailures?: number | undefined;
  /** null: none. */
  turnTimeoutMs: number | null;
  permissions: 'allow' | 'ask';
  values: Readonly<Record<string, unknown>>;
  noHooks: boolean;
  requireTrust: boolean;
}

export interface Prepared {
  kind: 'prepared';
  plan: PipelinePlan;
  agent: string;
  loaded: LoadedHooks;
  settings: Settings;
  problems: readonly Problem[];
}

/** Why nothing runs; `text` is for the person, `problems` are shown first. */
export interface Unprepared {
  kind: 'bad-config' | 'usage' | 'no-agent';
  problems: readonly Problem[];
  text: string;
  about?: NotStarted['about'];
}

const brokenHook = 'nothing was run, because a hook that would apply has errors (see hookloop check)';

/**
 * Why no session may begin or go on with hooks that have errors, whether or not they are gates. Only a file whose
 * dialect says so is left out as a whole instead, with a warning.
 */
export function whyNoSession(problems: readonly Problem[], places: Places): string | undefined {
  if (problems.some(isRefusing)) return brokenGate;
  const leftOut = dialects
    .filter(({ badFile }) => badFile === 'leave-out')
    .flatMap(({ locations }) => locations.map(location => pathOf(location, places)))
    .flatMap(path => (path === undefined ? [] : [shownPath(path, places)]));
  const isStopping = ({ severity, at }: Problem): boolean => severity === 'error' && !leftOut.includes(at.file);
  return problems.some(isStopping) ? brokenHook : undefined;
}

const isRefusing = ({ refuses }: Problem): boolean => refuses;

/** Looks up everything a session needs. Nothing has run yet, and nothing does if any of it is wrong. */
export function prepare(request: SessionRequest, where: Where): Prepared | Unprepared {
  const look = createLook();
  const loaded = loadApplyingHooks({ cwd: where.cwd, env: where.env, look });
  const settings = loadSettings(loaded.places, look);
  const found = pipelineFor(request, loaded, look, request.agent === undefined ? agentFlawFor(where) : undefined);
  if (found.kind !== 'plan') return found;
  const plan = limited(found.plan, request);
  const agent = request.agent ?? plan.agent ?? settings.agent;
  const ofHooks = request.noHooks ? [] : hookProblems(plan, loaded, settings, where, look);
  const ofAgent =
    request.agent === undefined && plan.agent === undefined ? agentProblem(settings, loaded, where, look) : [];
  const problems = [...found.problems, ...ofHooks, ...ofAgent];
  const why = whyNoSession(
    request.noHooks ? found.problems.filter(isRefusing) : [...found.problems, ...ofHooks],
    loaded.places,
  );
  if (why !== undefined) return { kind: 'bad-config', problems, text: why };
  const flaw = agentsFlaw(plan, agent, { cwd: where.cwd, env: where.env, root: loaded.places.root });
  if (flaw?.kind === 'none')
    return { kind: 'usage', problems, about: 'agent', text: 'no agent is named: write agent: in hookloop.yaml' };
  if (flaw?.kind === 'unknown')
    return {
      kind: flaw.spec === request.agent ? 'usage' : 'bad-config',
      problems,
      text: problems.some(({ message }) => message === flaw.flaw.message)
        ? 'nothing was run, because nobody knows that agent'
        : unknownAgentText(flaw.flaw),
    };
  if (flaw) return { kind: 'no-agent', problems, text: flaw.text };
  return { kind: 'prepared', plan, agent: agent ?? '', loaded, settings, problems };
}

type Looking = ReturnType<typeof createLook>;

/** Also what only a session would find out: children that are not there, and a judge that no one knows. */
function hookProblems(
  plan: PipelinePlan,
  { hooks, problems, places }: LoadedHooks,
  { judge }: Settings,
  where: Where,
  look: Looking,
): Problem[] {
  const all = [...hooks, ...plan.hooks, ...plan.stages.flatMap(stage => stage.hooks)];
  const unknown = all.some(needsJudge) ? unknownSettings(places, look, agentFlawFor(where)) : [];
  const judges = unknown.filter(({ of, spec }) => of === 'judge' && spec === judge);
  return [
    ...problems,
    ...findSpawned(all, places, look).problems,
    ...judges.map(({ problem }) => ({ ...problem, refuses: true })),
  ];
}

const agentProblem = ({ agent }: Settings, { places }: LoadedHooks, where: Where, look: Looking): Problem[] =>
  unknownSettings(places, look, agentFlawFor(where)).flatMap(({ of, spec, problem }) =>
    of === 'agent' && spec === agent ? [problem] : [],
  );

type Planned = { kind: 'plan'; plan: PipelinePlan; problems: readonly Problem[] } | Unprepared;

function pipelineFor(request: SessionRequest, { places }: LoadedHooks, look: Looking, agentFlaw?: AgentFlaw): Planned {
  const { maxIterations } = request;
  if (request.tasksFile !== undefined) {
    const checklist = readChecklist(request.tasksFile);
    if (checklist.kind === 'unreadable') return { kind: 'usage', problems: [], about: 'tasks', text: checklist.reason };
    if (checklist.tasks.length === 0) {
      const text = `${request.tasksFile} has no tasks: write lines like "- [ ] do this"`;
      return { kind: 'usage', problems: [], about: 'tasks', text };
    }
    if (request.pipeline === undefined)
      return planned(tasksPlan({ unticked: untickedCount(checklist.tasks), maxIterations }));
  }
  if (request.tasks !== undefined) return planned(tasksPlan({ unticked: request.tasks.length, maxIterations }));
  if (request.prompt !== undefined) return planned(promptPlan(request.prompt, maxIterations));
  const resolved = resolvePipeline(request.pipeline!, { places, look, agentFlaw });
  if (resolved.kind === 'plan') return resolved;
  if (resolved.kind === 'bad')
    return { kind: 'bad-config', problems: resolved.problems, text: 'the pipeline cannot run' };
  return { kind: 'bad-config', problems: [], text: noPipelineText(resolved) };
}

const planned = (plan: PipelinePlan): Planned => ({ kind: 'plan', plan, problems: [] });

/** `maxIterations` is a limit: it makes no stage longer than its file wants it. The agent of a request goes before what files say. */
function limited(plan: PipelinePlan, { maxIterations: limit, agent }: SessionRequest): PipelinePlan {
  const stages = plan.stages.map((stage): StagePlan => {
    const { agent: own, termination, ...rest } = stage;
    const ended =
      limit === undefined
        ? termination
        : termination.type === 'fixed'
          ? { ...termination, iterations: Math.min(termination.iterations, limit) }
          : { ...termination, max: limit };
    return { ...rest, termination: ended, ...(own !== undefined && agent === undefined && { agent: own }) };
  });
  const { agent: own, ...rest } = plan;
  return { ...rest, stages, ...(own !== undefined && agent === undefined && { agent: own }) };
}
