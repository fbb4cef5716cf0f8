import { join, resolve } from 'node:path';
import { fillJson } from '../actions/webhook/fill.ts';
import type { Settings } from '../dialects/native/settings.ts';
import { beginSession, type OpenSession } from '../loop/open.ts';
import { resolvePipeline } from '../loop/pipeline/resolve.ts';
import { type NamedAgents, namedAgents } from '../model/agent.ts';
import {
  type ActionRun,
  describeProblem,
  type HookDefinition,
  type HookEvent,
  type Places,
  type RunAction,
  type SpawnAction,
} from '../model/index.ts';
import { given } from '../model/json.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import type { SessionSettings, SessionStatus } from '../model/record.ts';
import { isInside } from '../model/step-key.ts';
import { version } from '../platform/build.ts';
import { childNamed, type SessionFiles } from '../session/paths.ts';
import type { Redone } from '../session/state/work.ts';
import type { SessionStore, StoredSession } from '../session/store.ts';
import { whyNoWorktree } from '../workspace/worktree.ts';
import { agentsFlaw, noPipelineText, unknownAgentText } from './check-references.ts';
import type { ComposeOptions } from './compose.ts';
import type { Env } from './context.ts';
import { agentsAt, childEnv } from './session-environment.ts';
import { notOpen, type Report } from './session-ports.ts';

/** What a session shares with its children and theirs. */
export interface SharedParts {
  /** The project, as the command line found it. */
  places: Places;
  /** Hooks of project, user and plugin. */
  hooks: readonly HookDefinition[];
  /** What hookloop.yaml says. */
  config: Settings;
  /** Wraps the runners of shells and children: scripts must be those that were trusted or pinned. */
  onlyTrusted?: ComposeOptions['onlyTrusted'];
  /** Keeps the agent from lifting its own gates. */
  rule?: ComposeOptions['rule'];
  /** Runs hooks that are functions of the program. */
  functions?: RunAction<'function'> | undefined;
  /** A person has looked at what has changed since the session last ran. */
  acceptsChanges?: boolean | undefined;
  /** The user's whole environment. Agents find in it what they sign in with. */
  env: Env;
  mask(text: string): string;
  report: Report;
  /** Values of the user's secrets files. */
  secrets(): Readonly<Record<string, string>>;
  /** The file that starts this program, for the agent's tools. */
  program: string;
  atOnce: AbortSignal;
}

/** One session to run. A child may work elsewhere, with fewer hooks, and sees less of the user's environment. */
export interface SessionRun {
  shared: SharedParts;
  session: OpenSession;
  places: Places;
  hooks: readonly HookDefinition[];
  env: Env;
  stop: AbortSignal;
}

/** The session that children belong to, or what stands in its place for an event that belongs to none. */
export interface SpawnParent extends Pick<OpenSession, 'store' | 'name' | 'paths'> {
  /** What it has in its environment, the run's mark with it. */
  env: Readonly<Record<string, string>>;
  /** Where it works. */
  places: Places;
  settings: Omit<SessionSettings, 'child' | 'tasksFile'>;
  /** The agents of children that name none. */
  agentsAt(event: HookEvent): readonly string[];
  /** 0 for a session that is no one's child. */
  depth: number;
  run: number;
  redone: readonly Redone[];
}

/** A child that was started before. */
export interface KnownChild {
  name: string;
  paths: SessionFiles;
  plan: PipelinePlan;
  /** Absent while it is at work, or since a crash. */
  status?: SessionStatus;
  reason?: string;
}

/** `{parent}/{hook_point}-{iteration}`, and `-2`, `-3` for further ones at that point: the hook's event as its file spells it, made fit for a folder. */
function childName({ name }: SpawnParent, { hook, event }: ActionRun, nth: number): string {
  const safe = hook.spelling.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return `${name}/${safe.slice(0, 64) || 'hook'}-${event.iteration ?? 0}${nth > 1 ? `-${nth}` : ''}`;
}

/**
 * The children that belong to one run of a hook, in the order in which they were started: further ones are retries. Those
 * of earlier runs of the parent do not count in work that was done anew since.
 */
export async function childrenOf(parent: SpawnParent, run: ActionRun, key: string): Promise<KnownChild[]> {
  const { store, redone } = parent;
  const found: KnownChild[] = [];
  for (let nth = 1; ; nth += 1) {
    const stored = await store.find(childName(parent, run, nth));
    if (stored.kind !== 'found') return found;
    const child = await readChild(store, stored, key, redone);
    if (child) found.push(child);
  }
}

async function readChild(
  store: SessionStore,
  { name, files }: StoredSession,
  key: string,
  redone: readonly Redone[],
): Promise<KnownChild | undefined> {
  const { state, end } = await store.state(name);
  const { started, closed } = state;
  if (end.kind === 'unreadable' || !started) return undefined;
  const of = started.settings.child;
  const isRedone = ({ key: whole, run }: Redone): boolean => run > of!.run && (key === whole || isInside(key, whole));
  if (of?.key !== key || redone.some(isRedone)) return undefined;
  const child = { name, paths: files, plan: started.plan };
  if (end.kind === 'damaged' || !closed) return child;
  return given({ ...child, status: closed.status, reason: closed.reason });
}

/** A session as its children see it. */
export function parentOf(session: OpenSession, { env, places }: Pick<SpawnParent, 'env' | 'places'>): SpawnParent {
  const { store, name, paths, run, state } = session;
  const { child, tasksFile, ...settings } = session.settings;
  return {
    ...{ store, name, paths, env, places, settings },
    redone: state.work.redone,
    agentsAt: event => agentsAt(session, event),
    depth: child?.depth ?? 0,
    run: run.number,
  };
}

type Begun = OpenSession | { kind: 'refused'; reason: string };

/** Looks up everything a child needs and makes its session. Nothing is left behind where something is wrong. */
export async function beginChild(
  action: SpawnAction,
  run: ActionRun,
  shared: SharedParts,
  parent: SpawnParent,
): Promise<Begun> {
  const from = resolve(shared.places.root, run.hook.source.file);
  const places = run.hook.root === undefined ? shared.places : run.places;
  const resolved = resolvePipeline(action.pipeline, { places, from });
  if (resolved.kind === 'not-found') return refused(noPipelineText(resolved));
  if (resolved.kind === 'bad')
    return refused(
      `the pipeline cannot run:\n${resolved.problems.map(problem => describeProblem(problem)).join('\n')}`,
    );
  const { plan } = resolved;
  // A loop that runs alone has its agent in its stage.
  const own = [plan, ...(plan.stages.length === 1 ? plan.stages : [])].find(({ agent }) => agent !== undefined);
  const { agent, otherAgents }: NamedAgents = own ?? namedAgents(parent.agentsAt(run.event));
  const why = whyNoAgent(plan, given({ agent, otherAgents }), shared);
  if (why !== undefined) return refused(why);
  const inputs = fillInputs(action, run, parent.env);
  if (!inputs) return refused('its inputs are nested too deep');
  const unknown = inputs.unknown.map(name => `\${${name}}`).join(', ');
  if (unknown !== '')
    shared.report.remark({ level: 'warning', text: `${run.hook.name}: ${unknown} is unknown, so it is empty` });
  const noWorktree = action.isolate && (await whyNoWorktree(parent.settings.root, childEnv(parent.env, [])));
  if (noWorktree !== undefined) return refused(noWorktree);
  const { otherAgents: _, ...ofParent } = parent.settings;
  for (let nth = 1; ; nth += 1) {
    const name = childName(parent, run, nth);
    const opened = await beginSession(parent.store, name, {
      ...{ plan, values: inputs.values, program: version, mask: shared.mask },
      settings: {
        ...ofParent,
        agent: agent ?? '',
        ...(otherAgents && { otherAgents }),
        root: action.isolate ? join(childOf(parent, name).folder, 'worktree') : parent.settings.root,
        noHooks: false,
        child: { ...(run.key !== undefined && { key: run.key }), run: parent.run, depth: parent.depth + 1 },
      },
    });
    if (opened.kind === 'open') return opened;
    if (opened.kind !== 'exists') return refused(notOpen(name, opened).text);
  }
}

const childOf = ({ paths }: SpawnParent, name: string): SessionFiles => childNamed(paths, name.split('/').at(-1)!)!;

const refused = (reason: string): Begun => ({ kind: 'refused', reason });

function whyNoAgent(plan: PipelinePlan, agents: NamedAgents, { places, env }: SharedParts): string | undefined {
  const flaw = agentsFlaw(plan, agents, { cwd: places.root, root: places.root, env });
  if (flaw?.kind === 'none') return `no agent: write agent: in ${plan.file ?? 'the pipeline'} or in hookloop.yaml`;
  return flaw?.kind === 'unknown' ? unknownAgentText(flaw.flaw) : flaw?.text;
}

/**
 * Puts the event's values, then the session's environment, where a spawn writes `${NAME}`; a name that no one knows is
 * empty. What a value holds is not filled in again. Undefined where the inputs are nested too deep.
 */
function fillInputs({ inputs }: SpawnAction, { presentation }: ActionRun, env: Env) {
  const unknown = new Set<string>();
  const own = (values: typeof env, name: string): string | undefined =>
    Object.hasOwn(values, name) ? values[name] : undefined;
  const filled = fillJson(inputs, {
    of(name) {
      const text = own(presentation.env, name) ?? own(env, name);
      if (text === undefined) unknown.add(name);
      return { text: text ?? '', from: 'event' };
    },
  });
  return filled === undefined ? undefined : { values: filled as SpawnAction['inputs'], unknown: [...unknown] };
}
