import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { Recheck } from '../engine/recheck.ts';
import type { Plan, PlanRequest } from '../hooks/plan/plan-cache.ts';
import { permitTrusted } from '../hooks/trust/may-run.ts';
import { ifStillTrusted } from '../hooks/trust/still-trusted.ts';
import type { Answer } from '../hosts/host.ts';
import type { HostPlan } from '../hosts/respond.ts';
import type { ClaimStore } from '../hosts/sessions/claims.ts';
import { errorLines, type HookEvent } from '../model/index.ts';
import { recheckedEvents } from '../model/protect.ts';
import { folderInside, isFolder, stateFolder } from '../platform/folders.ts';
import { composeEngine } from './compose.ts';
import type { Context } from './context.ts';
import { fireOutside, openActions } from './fire-outside.ts';
import { type PlanSource, planFor } from './plan-source.ts';

/** One call of an agent's own hooks, as its entry makes it. */
export interface EntryCall {
  agent: string;
  /** What the entry says it is; the payload's own word counts more. */
  event: string | undefined;
  input: string;
  /** The file that the entry stands in. */
  from?: string | undefined;
}

/** What the entry's process prints, and what it exits with. */
export type HostAnswer = Answer;

export interface HostContext extends Context {
  /** The user's state folder, if it is known other than from the environment. */
  state?: string | undefined;
  /** The process that started the caller; 0 if unknown. */
  parent: number;
  plans: PlanSource;
  /** What is remembered of the events that were answered; absent: the files of the user's state folder. */
  claims?(memory: string): ClaimStore;
  /** The call carries no environment that would say which session the agent works for. */
  lacksAgentEnv: boolean;
  signal: AbortSignal;
  /** Lines for people. */
  warn(line: string): void;
  /** The file that starts hookloop. */
  program: string;
}

/** Kept, since a process that stays comes here for every call. */
let parts: typeof import('../hosts/answering.ts') | undefined;
let sessions: typeof import('./answer-in-session.ts') | undefined;

/** Answers a call of an agent's own hooks: with the session that the agent works for, or with the hooks that apply here. */
export async function answerHost(
  { agent, event, input, from }: EntryCall,
  context: HostContext,
): Promise<Answer | { kind: 'unknown-agent'; why: string }> {
  parts ??= await import('../hosts/answering.ts');
  const { agentNamed, agentNames, createLog, fileClaims, hosts, respond } = parts;
  const named = agentNamed(agent);
  if (!named) return { kind: 'unknown-agent', why: `unknown agent ${agent}; known: ${agentNames.join(', ')}` };
  const { env, cwd, warn } = context;
  const state = context.state ?? stateFolder(env);
  const memory = state === undefined ? undefined : join(state, 'hosts');
  const call = { agent: named, event, input };
  const asksUser = hosts[named].asksUser ?? false;
  if (env['HOOKLOOP_SESSION_DIR'] || (context.lacksAgentEnv && memory !== undefined)) {
    sessions ??= await import('./answer-in-session.ts');
    const inSession = await sessions.answerInSession(context, memory, call);
    if (inSession) return inSession;
  }
  const now = (): string => new Date().toISOString();
  return respond(
    { ...call, env, cwd, from },
    {
      plan: async (folders, session) =>
        hostPlan(await planIn(folders, session, memory, context), state, session, { ...context, asksUser }),
      warn,
      log: createLog(memory, now),
      memory,
      claims: memory === undefined ? undefined : (context.claims ?? fileClaims)(memory),
      now,
    },
  );
}

/** The plan of the first folder that exists, with the roots that the agent's session has come by before. */
async function planIn(
  folders: readonly string[],
  session: string | undefined,
  memory: string | undefined,
  { env, plans, ...context }: HostContext,
): Promise<Plan> {
  const [cwd = context.cwd, ...others] = new Set(folders.filter(isFolder));
  const request: PlanRequest = { cwd, env, only: undefined };
  const found = await planFor(request, plans);
  const roots = rootsOf(found);
  const known = [...roots];
  for (const other of others) known.push(...rootsOf(await planFor({ ...request, cwd: other }, plans)));
  const settled = parts!.settleRoots(memory, session, [...new Set(known)]);
  const earlier = settled.filter(root => !roots.includes(root));
  return earlier.length === 0 ? found : planFor({ ...request, roots: earlier }, plans);
}

async function hostPlan(
  { hooks, problems, places, pins, protect }: Plan,
  state: string | undefined,
  session: string | undefined,
  context: HostContext & { asksUser: boolean },
): Promise<HostPlan> {
  const { env, mask, warn, asksUser } = context;
  for (const line of errorLines(problems)) warn(line);
  const { root } = places;
  // Trust is read where the user has given it, wherever a project would like it to be.
  const trustEnv = state === undefined ? env : { ...env, XDG_STATE_HOME: dirname(state) };
  const moved = folderInside(root, env, homeOfUser());
  const refusal =
    moved && `${moved} leads into the project, and a project must not bring the user's hooks and trust with it`;
  const own = state !== undefined && session !== undefined ? { state, session, root, env: trustEnv } : undefined;
  if (protect && own && refusal === undefined) await (await import('./host-protect.ts')).settleHostBase(protect, own);
  const mayRun: HostPlan['mayRun'] = (event, wanted) =>
    permitTrusted({ pins, root, env: trustEnv, takesHash: false }, event, wanted);
  const recheckFor = async (event: HookEvent): Promise<Recheck | undefined> => {
    if (!own || !recheckedEvents.has(event.name)) return undefined;
    return (await import('./host-protect.ts')).hostRecheck({ ...own, plan, warn });
  };
  const plan: HostPlan = {
    hooks,
    problems,
    ...(refusal !== undefined && { refusal }),
    mayRun,
    async fire(event, wanted, signal) {
      const leavesOpen = asksUser && event.name === 'tool.calling';
      const opened = await openActions(wanted, { ...context, tell: warn, leavesOpen }, places, event);
      const engine = composeEngine({
        ...{ hooks: wanted, places, env, mask, relay: warn, warn },
        detach: true,
        onlyTrusted: run => ifStillTrusted(run, pins),
        actions: opened?.actions,
        recheck: await recheckFor(event),
      });
      const result = await fireOutside(engine, event, opened, [signal, context.signal]);
      if (wanted.some(({ shadow }) => shadow))
        (await import('./note-shadows.ts')).noteShadows(event, result, { hooks: wanted, root, env: trustEnv, mask });
      return result;
    },
    async rule(event) {
      const { hookRule, pinnedScripts } = await import('./protect-hooks.ts');
      return hookRule({ places, hooks, scripts: () => pinnedScripts(pins), env: trustEnv })(event);
    },
    asking: () => ({ root, process: parts!.agentProcess(context.parent) }),
  };
  return plan;
}

const rootsOf = ({ places: { root, outer = [] } }: Plan): readonly string[] => [root, ...outer];

let home: string | undefined;

/** As the system has it; a user that it does not know has none. Asked once: it reads the list of all users. */
function homeOfUser(): string {
  try {
    home ??= userInfo().homedir;
  } catch {
    home = '';
  }
  return home;
}
