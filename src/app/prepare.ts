import { dialects } from '../dialects/index.ts';
import type { Settings } from '../dialects/native/settings.ts';
import { loadSettings, pathOf, shownPath } from '../hooks/discovery/find-files.ts';
import type { LoadedHooks } from '../hooks/discovery/load.ts';
import { createLook } from '../hooks/discovery/look.ts';
import { loadApplyingHooks } from '../hooks/plan/compile.ts';
import { type ResolvedPipeline, resolvePipeline } from '../loop/pipeline/resolve.ts';
import { promptPlan, tasksPlan } from '../loop/pipeline/short-forms.ts';
import { agentSpecsOf } from '../loop/session.ts';
import { type NamedAgents, namedAgents } from '../model/agent.ts';
import type { Places, Problem } from '../model/index.ts';
import { given } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import { type PipelinePlan, pipelineHooks, type StagePlan, type Termination } from '../model/pipeline.ts';
import { brokenGate } from '../model/words.ts';
import { readChecklist, untickedCount } from '../session/checklist.ts';
import { unreportedLimit } from './check-limits.ts';
import { protectProblems } from './check-protect.ts';
import {
  type AgentsFlaw,
  agentFlawFor,
  agentsFlaw,
  findSpawned,
  missingBeside,
  needsJudge,
  noPipelineText,
  unknownAgentText,
  unknownSettings,
} from './check-references.ts';
import { withLimits } from './loop-rules.ts';
import { type NotStarted, notStarted, type SessionPorts } from './session-ports.ts';

/** What a session is asked to do. */
export interface SessionRequest {
  pipeline?: string | undefined;
  prompt?: string | undefined;
  /** A checklist, absolute. */
  tasksFile?: string | undefined;
  /** Tasks of the session's own. */
  tasks?: readonly string[] | undefined;
  /** One, or several of which the next takes over while those before it are limited. */
  agent?: string | readonly string[] | undefined;
  session?: string | undefined;
  maxIterations?: number | undefined;
  maxRetries?: number | undefined;
  maxFailures?: number | undefined;
  /** Before those of hookloop.yaml. */
  limits?: Limits | undefined;
  /** null: none. */
  turnTimeoutMs: number | null;
  maxWaitMs?: number | undefined;
  permissions: 'allow' | 'ask';
  values: Readonly<Record<string, unknown>>;
  noHooks: boolean;
  requireTrust: boolean;
}

export interface Prepared {
  kind: 'prepared';
  plan: PipelinePlan;
  agents: NamedAgents;
  loaded: LoadedHooks;
  settings: Settings;
}

const brokenHook = 'nothing was run: a hook that would apply has errors (see hookloop check)';

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

/** Looks up everything a session needs, and tells what is wrong with it. Nothing has run yet, and nothing does if any of it is wrong. */
export function prepare(
  request: SessionRequest,
  { cwd, env, onProblem, onRemark }: SessionPorts,
): Prepared | NotStarted {
  const look = createLook();
  const loaded = loadApplyingHooks({ cwd, env, look });
  const { places } = loaded;
  const settings = loadSettings(places, look);
  const agentFlaw = agentFlawFor({ cwd, env });
  const found = pipelineFor(
    request,
    name => resolvePipeline(name, { places, look, agentFlaw: request.agent === undefined ? agentFlaw : undefined }),
    onProblem,
  );
  if (found.kind !== 'plan') return found;
  const plan = limited(found.plan, request);
  const agents = [namedAgents(request.agent), plan, settings].find(({ agent }) => agent !== undefined) ?? {};
  const unknown = unknownSettings(places, look, agentFlaw);
  const unknownAs = (of: 'agent' | 'judge'): Problem[] =>
    unknown.flatMap(one => (one.of === of && isNamedIn(settings, of, one.spec) ? [one.problem] : []));
  const hooks = [...loaded.hooks, ...pipelineHooks(plan)];
  // Also what only a session would find out: children that are not there, and a judge that no one knows.
  const ofHooks = request.noHooks
    ? []
    : [
        ...loaded.problems,
        ...findSpawned(hooks, places, look).problems,
        ...protectProblems(places, look),
        ...(hooks.some(needsJudge) ? unknownAs('judge').map(problem => ({ ...problem, refuses: true })) : []),
      ];
  const ofAgent = request.agent === undefined && plan.agent === undefined ? unknownAs('agent') : [];
  const problems = [...found.problems, ...ofHooks, ...ofAgent];
  for (const problem of problems) onProblem(problem);
  const ofPipeline = request.noHooks ? found.problems.filter(isRefusing) : found.problems;
  const why = whyNoSession([...ofPipeline, ...ofHooks], places);
  if (why !== undefined) return notStarted('bad-config', why);
  const where = { cwd, env, root: places.root };
  const flaw = agentsFlaw(plan, agents, where);
  if (flaw) return notStartedBy(flaw, request, problems);
  const unreported = unreportedLimit(
    plan.stages.flatMap(stage => agentSpecsOf({ plan, settings: { agent: '', ...agents } }, stage)),
    withLimits(settings, request.limits),
  );
  if (unreported !== undefined) return notStarted(request.limits ? 'usage' : 'bad-config', unreported);
  for (const text of missingBeside(plan, agents, where))
    onRemark(`${text}; another agent of the list stands in for it`);
  return { kind: 'prepared', plan, agents, loaded, settings };
}

const isNamedIn = ({ agent, otherAgents = [], judge }: Settings, of: 'agent' | 'judge', spec: string): boolean =>
  of === 'judge' ? judge === spec : agent === spec || otherAgents.includes(spec);

/** `told`: what people have been told already. */
function notStartedBy(flaw: AgentsFlaw, request: SessionRequest, told: readonly Problem[]): NotStarted {
  if (flaw.kind === 'none') return notStarted('usage', 'no agent is named: write agent: in hookloop.yaml', 'agent');
  if (flaw.kind !== 'unknown') return notStarted('no-agent', flaw.text);
  return notStarted(
    [request.agent].flat().includes(flaw.spec) ? 'usage' : 'bad-config',
    told.some(({ message }) => message === flaw.flaw.message)
      ? 'nothing was run: that agent is unknown'
      : unknownAgentText(flaw.flaw),
  );
}

type FoundPipeline = Omit<Extract<ResolvedPipeline, { kind: 'plan' }>, 'paths'>;

function pipelineFor(
  { tasksFile, tasks, prompt, pipeline, maxIterations }: SessionRequest,
  resolve: (name: string) => ResolvedPipeline,
  onProblem: SessionPorts['onProblem'],
): FoundPipeline | NotStarted {
  const short = (plan: PipelinePlan): FoundPipeline => ({ kind: 'plan', plan, problems: [] });
  if (tasksFile !== undefined) {
    const checklist = readChecklist(tasksFile);
    if (checklist.kind === 'unreadable') return notStarted('usage', checklist.reason, 'tasks');
    if (checklist.tasks.length === 0)
      return notStarted('usage', `${tasksFile} has no tasks: write lines like "- [ ] do this"`, 'tasks');
    if (pipeline === undefined) return short(tasksPlan({ unticked: untickedCount(checklist.tasks), maxIterations }));
  }
  if (tasks !== undefined) return short(tasksPlan({ unticked: tasks.length, maxIterations }));
  if (prompt !== undefined) return short(promptPlan(prompt, maxIterations));
  if (pipeline === undefined) return notStarted('usage', 'what should run? Name a pipeline, a prompt or tasks');
  const resolved = resolve(pipeline);
  if (resolved.kind === 'plan') return resolved;
  if (resolved.kind === 'not-found') return notStarted('bad-config', noPipelineText(resolved));
  for (const problem of resolved.problems) onProblem(problem);
  return notStarted('bad-config', 'the pipeline cannot run');
}

/** `maxIterations` is a limit: it makes no stage longer than its file wants it. The agent of a request goes before what files say. */
function limited(plan: PipelinePlan, { maxIterations: limit, agent }: SessionRequest): PipelinePlan {
  const own = agent === undefined ? {} : { agent: undefined, otherAgents: undefined };
  const stages = plan.stages.map(
    (stage): StagePlan => given({ ...stage, ...own, termination: endedBy(limit, stage.termination) }) as StagePlan,
  );
  return given({ ...plan, stages, ...own }) as PipelinePlan;
}

function endedBy(limit: number | undefined, termination: Termination): Termination {
  if (limit === undefined) return termination;
  if (termination.type !== 'fixed') return { ...termination, max: limit };
  return { ...termination, iterations: Math.min(termination.iterations, limit) };
}
