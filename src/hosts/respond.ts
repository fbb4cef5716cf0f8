import type { MayRun } from '../hooks/trust/may-run.ts';
import { goneText } from '../model/gone.ts';
import {
  type Decision,
  type EventName,
  type EventResult,
  type HookDefinition,
  type HookEvent,
  isPending,
  type Problem,
  proceed,
  strictest,
} from '../model/index.ts';
import { brokenPart } from '../platform/build.ts';
import { gitEventsOf } from './git-events.ts';
import type { Answer, Host, NativeEvent, Payload, Reply } from './host.ts';
import { type AgentName, hosts } from './index.ts';
import { foldersOf, type ParsedPayload, parsePayload } from './payload.ts';
import { isGuarded, refusalReply, toReply, whatFits } from './reply.ts';
import type { ClaimStore } from './sessions/claim-store.ts';
import { type Asking, claim } from './sessions/claims.ts';

/** One call of an agent's hook entry. */
export interface HostCall {
  agent: AgentName;
  /** What the entry says it is; the payload's own word counts more. */
  event: string | undefined;
  input: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** The file that the entry stands in, where it says so. */
  from?: string | undefined;
}

export interface HostPlan {
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
  /** Why none of them counts. */
  refusal?: string;
}

export interface HostPorts {
  /** The hooks that apply in the first of the folders, in the others, and in roots that the agent's session had before. */
  plan(folders: readonly string[], session: string | undefined): Promise<HostPlan>;
  fire(event: HookEvent, hooks: readonly HookDefinition[], signal: AbortSignal): Promise<EventResult>;
  mayRun: MayRun;
  /** Decides about a tool call beside the hooks, whether or not there are any; absent: `fire` does. */
  rule?(event: HookEvent): Promise<Decision>;
  /** Lines for people. */
  warn(line: string): void;
  /** What passed without a word. */
  log(line: string): void;
  /** Where things are kept between two calls; without it nothing is. */
  memory: string | undefined;
  /** Without them every call runs the hooks. */
  claims: ClaimStore | undefined;
  /** Known once there is a plan; claims need it. */
  asking?(): Asking;
  now(): string;
}

/** Runs our hooks for an agent and answers in its language. Contract: never rejects; where we cannot tell, gates say no. */
export async function respond(call: HostCall, ports: HostPorts): Promise<Answer> {
  const host = hosts[call.agent];
  const payload = parsePayload(call.input);
  const native = eventOf(host, call.event, payload);
  if (native === undefined)
    return { stdout: '', stderr: 'hookloop: neither the payload nor the command names an event\n', exitCode: 2 };
  const spec = Object.hasOwn(host.events, native) ? host.events[native] : undefined;
  if (!spec) return pass(host, native, `${call.agent} ${native} is no event of ours`, ports);
  try {
    if (payload.kind === 'bad') return cannotTell(host, native, spec, payload.why, ports);
    const told = nameIn(payload.fields) ?? native;
    if (told !== native && !isSameMoment(told, spec))
      return cannotTell(host, native, spec, `the entry is of ${native}, the payload of ${JSON.stringify(told)}`, ports);
    return await respondTo(host, native, spec, payload.fields, call, ports);
  } catch (error) {
    const broken = brokenPart(error);
    if (broken !== undefined) return cannotTell(host, native, spec, goneText(broken, call.from), ports);
    if (error instanceof Error && error.stack !== undefined) ports.warn(error.stack);
    return cannotTell(host, native, spec, `this is a bug: ${error}`, ports);
  }
}

async function respondTo(
  host: Host,
  native: string,
  spec: NativeEvent,
  payload: Payload,
  call: HostCall,
  ports: HostPorts,
): Promise<Answer> {
  const reading = host.read(native, payload, ports.now);
  if (reading.kind === 'other') return pass(host, native, `${host.name} ${native}: ${reading.why}`, ports);
  if (reading.kind === 'bad') return cannotTell(host, native, spec, `bad payload: ${reading.flaws.join('; ')}`, ports);
  const { events } = reading;
  const plan = await ports.plan(foldersOf(host, payload, events[0]?.cwd, call), events[0]?.session);
  if (plan.refusal !== undefined) return cannotTell(host, native, spec, plan.refusal, ports);
  if (plan.problems.some(problem => problem.refuses))
    return cannotTell(
      host,
      native,
      spec,
      'a hook file that is or may hold a gate has errors (see hookloop check)',
      ports,
    );
  const isWanted = (name: EventName): boolean => plan.hooks.some(hook => hook.event === name);
  const pending = await Promise.all(events.map(async event => [event, ...(await gitEventsOf(event, isWanted))]));
  const reply = await fireAll(pending.flat(), plan.hooks, spec.timeoutMs, ports);
  return host.answer(native, whatFits(host, spec, events, reply, ports));
}

/** What the payload names, unless the entry is of an event that is guarded: then a payload cannot make it another. */
function eventOf({ events }: Host, named: string | undefined, payload: ParsedPayload): string | undefined {
  const spec = named !== undefined && Object.hasOwn(events, named) ? events[named]! : undefined;
  if (spec?.blocks && isGuarded(spec.fires)) return named;
  return (payload.kind === 'payload' ? nameIn(payload.fields) : undefined) ?? named;
}

/** Agents that run the entries of another have names of their own for the same event. */
const isSameMoment = (name: string, { fires }: NativeEvent): boolean =>
  Object.values(hosts).some(
    ({ events }) => Object.hasOwn(events, name) && events[name]!.fires.some(event => fires.includes(event)),
  );

const nameIn = ({ hook_event_name: name }: Payload): string | undefined =>
  typeof name === 'string' ? name : undefined;

function pass(host: Host, native: string, why: string, { log }: HostPorts): Answer {
  log(why);
  return host.answer(native, toReply([]));
}

/** A gate that cannot answer says no; what only looks on is told to people. */
function cannotTell(host: Host, native: string, spec: NativeEvent, why: string, { warn }: HostPorts): Answer {
  const text = `hookloop: no hook was run: ${why}`;
  warn(text);
  return host.answer(native, spec.blocks && isGuarded(spec.fires) ? refusalReply(text) : toReply([]));
}

/** In order; a refused moment is the last one. */
async function fireAll(
  events: readonly HookEvent[],
  hooks: readonly HookDefinition[],
  timeoutMs: number,
  ports: HostPorts,
): Promise<Reply> {
  const limitMs = ownLimitMs(timeoutMs);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), limitMs);
  const results: EventResult[] = [];
  try {
    for (const event of events) {
      // Also without any hook: one that was there and is gone may have been a gate.
      const wanted = hooks.filter(hook => hook.event === event.name);
      const result = await fireOnce(event, wanted, limitMs, controller.signal, ports);
      results.push(result);
      if (result.decision.kind === 'abort' || (isPending(event.name) && result.decision.kind !== 'proceed')) break;
    }
  } finally {
    clearTimeout(timer);
  }
  return toReply(results);
}

/** We give up before the agent does: what follows from that is then ours to say. */
export const ownLimitMs = (timeoutMs: number): number => timeoutMs - Math.min(10_000, timeoutMs / 2);

async function fireOnce(
  event: HookEvent,
  wanted: readonly HookDefinition[],
  limitMs: number,
  signal: AbortSignal,
  ports: HostPorts,
): Promise<EventResult> {
  const ruled = (event.name === 'tool.calling' && (await ports.rule?.(event))) || proceed;
  const fired = await runPermitted(event, wanted, limitMs, signal, ports);
  return ruled === proceed ? fired : { ...fired, decision: strictest([ruled, fired.decision]) };
}

async function runPermitted(
  event: HookEvent,
  wanted: readonly HookDefinition[],
  limitMs: number,
  signal: AbortSignal,
  ports: HostPorts,
): Promise<EventResult> {
  const permit = ports.mayRun(event, wanted);
  if (permit.note !== undefined) ports.warn(permit.note);
  if (permit.refusal !== undefined) return resultOf(event, refusalReply(permit.refusal));
  // What the agent runs itself is nothing that we could have run for it.
  const ours = permit.hooks.filter(hook => hook.match.notAgent !== event.agent);
  if (ours.length === 0) return resultOf(event, toReply([]));
  const ids = ours.map(hook => hook.id);
  const claimed = ports.claims && (await claim(ports.claims, event, ids, limitMs, ports.asking?.() ?? unknown));
  const theirs = claimed?.kind === 'theirs' ? claimed : undefined;
  const left = theirs ? ours.filter(hook => !theirs.hooks.includes(hook.id)) : ours;
  if (theirs && left.length === 0) return resultOf(event, { decision: theirs.decision, feedback: '' });
  const fired = await ports.fire(event, left, signal);
  const isLate = signal.aborted && isGuarded([event.name]) && fired.decision.kind === 'proceed';
  const late = `the hooks of ${event.name} did not answer within ${limitMs / 1000} s`;
  const decisions = [theirs?.decision ?? proceed, isLate ? refusalReply(late).decision : fired.decision];
  const result = { ...fired, decision: strictest(decisions) };
  if (claimed?.kind === 'mine') claimed.done(isCutShort(fired, signal) ? undefined : result.decision);
  return result;
}

const unknown: Asking = { root: '', process: '' };

/** Whoever asked has gone: what the hooks would have said is not known. Those that took too long have said it. */
const isCutShort = ({ results }: EventResult, signal: AbortSignal): boolean =>
  !signal.aborted && results.some(result => result.status === 'finished' && result.outcome.kind === 'cancelled');

const resultOf = ({ name }: HookEvent, { decision, feedback }: Reply): EventResult => ({
  event: name,
  decision,
  feedback,
  results: [],
});
