import type { MayRun } from '../hooks/trust/may-run.ts';
import { carrying, changedCallText, changedInput, withInput } from '../model/changed-call.ts';
import { brokenPart, goneText } from '../model/gone.ts';
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
import type { Answer, Host, NativeEvent, Payload, Reply } from './host.ts';
import { type AgentName, hosts } from './index.ts';
import { foldersOf, gitEventsOf, type ParsedPayload, parsePayload, readEvents } from './native-events.ts';
import { isRefusedInDoubt, refusalReply, toReply, whatFits } from './reply.ts';
import { type Asking, type ClaimStore, claim } from './sessions/claims.ts';

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

/** The hooks that apply to a call, and what runs them. */
export interface HostPlan {
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
  /** Why none of them counts. */
  refusal?: string;
  mayRun: MayRun;
  fire(event: HookEvent, hooks: readonly HookDefinition[], signal: AbortSignal): Promise<EventResult>;
  /** Decides about a tool call beside the hooks, whether or not there are any; absent: `fire` does. */
  rule?(event: HookEvent): Promise<Decision>;
  /** Who asks; claims need it. */
  asking?(): Asking;
}

export interface HostPorts {
  /** The hooks that apply in the first of the folders, in the others, and in roots that the agent's session had before. */
  plan(folders: readonly string[], session: string | undefined): Promise<HostPlan>;
  /** Lines for people. */
  warn(line: string): void;
  /** What passed without a word. */
  log(line: string): void;
  /** Where things are kept between two calls; without it nothing is. */
  memory: string | undefined;
  /** Without them every call runs the hooks. */
  claims: ClaimStore | undefined;
  now(): string;
}

/** Runs our hooks for an agent and answers in its language. Contract: never rejects; where we cannot tell, gates say no. */
export async function respond(call: HostCall, ports: HostPorts): Promise<Answer> {
  const host = hosts[call.agent];
  const payload = parsePayload(call.input);
  const native = eventOf(host, call.event, payload);
  if (native === undefined)
    return { stdout: '', stderr: 'hookloop: neither the payload nor the command names an event\n', exitCode: 2 };
  const spec = Object.hasOwn(host.events, native) ? host.events[native]! : undefined;
  const found: Found = spec
    ? await ask(host, native, spec, payload, call, ports)
    : { kind: 'not-ours', why: `${call.agent} ${native} is not an event Hookloop knows` };
  if (found.kind === 'replied') return host.answer(native, found.reply);
  if (found.kind === 'not-ours') {
    ports.log(found.why);
    return host.answer(native, toReply([]));
  }
  // A gate that cannot answer says no; for the rest it is enough that people are told.
  const text = `hookloop: no hook was run: ${found.why}`;
  ports.warn(text);
  return host.answer(native, spec?.blocks && isRefusedInDoubt(spec.fires) ? refusalReply(text) : toReply([]));
}

/** What comes of a call. `unclear`: we cannot tell what the hooks would say. */
type Found = { kind: 'replied'; reply: Reply } | { kind: 'not-ours' | 'unclear'; why: string };

async function ask(
  host: Host,
  native: string,
  spec: NativeEvent,
  payload: ParsedPayload,
  call: HostCall,
  ports: HostPorts,
): Promise<Found> {
  try {
    if (payload.kind === 'bad') return unclear(payload.why);
    const told = nameIn(payload.fields) ?? native;
    if (told !== native && !isSameMoment(told, spec))
      return unclear(`the entry is of ${native}, the payload of ${JSON.stringify(told)}`);
    const reading = readEvents(host, native, payload.fields, ports.now);
    if (reading.kind === 'other') return { kind: 'not-ours', why: `${host.name} ${native}: ${reading.why}` };
    if (reading.kind === 'bad') return unclear(`bad payload: ${reading.flaws.join('; ')}`);
    const { events } = reading;
    const plan = await ports.plan(foldersOf(host, payload.fields, events[0]?.cwd, call), events[0]?.session);
    if (plan.refusal !== undefined) return unclear(plan.refusal);
    if (plan.problems.some(problem => problem.refuses))
      return unclear('a hook file that has or may have gates contains errors (see hookloop check)');
    const isWanted = (name: EventName): boolean => plan.hooks.some(hook => hook.event === name);
    const reply = await fireAll(events, call => gitEventsOf(call, isWanted), plan, spec.timeoutMs, ports);
    return { kind: 'replied', reply: whatFits(host, spec, events, reply, ports) };
  } catch (error) {
    const broken = brokenPart(error);
    if (broken !== undefined) return unclear(goneText(broken, call.from));
    if (error instanceof Error && error.stack !== undefined) ports.warn(error.stack);
    return unclear(`this is a bug: ${error}`);
  }
}

const unclear = (why: string): Found => ({ kind: 'unclear', why });

/** What the payload names, unless the entry is of an event that is refused in doubt: then a payload cannot make it another. */
function eventOf({ events }: Host, named: string | undefined, payload: ParsedPayload): string | undefined {
  const spec = named !== undefined && Object.hasOwn(events, named) ? events[named]! : undefined;
  if (spec?.blocks && isRefusedInDoubt(spec.fires)) return named;
  return (payload.kind === 'payload' ? nameIn(payload.fields) : undefined) ?? named;
}

/** Agents that run the entries of another have names of their own for the same event. */
const isSameMoment = (name: string, { fires }: NativeEvent): boolean =>
  Object.values(hosts).some(
    ({ events }) => Object.hasOwn(events, name) && events[name]!.fires.some(event => fires.includes(event)),
  );

const nameIn = ({ hook_event_name: name }: Payload): string | undefined =>
  typeof name === 'string' ? name : undefined;

/** In order, until one is refused. */
async function fireAll(
  events: readonly HookEvent[],
  followedBy: (call: HookEvent) => Promise<readonly HookEvent[]>,
  plan: HostPlan,
  timeoutMs: number,
  ports: HostPorts,
): Promise<Reply> {
  const limitMs = ownLimitMs(timeoutMs);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), limitMs);
  const results: EventResult[] = [];
  try {
    const due = [...events];
    for (let event = due.shift(); event; event = due.shift()) {
      // Also without any hook: one that was there and is gone may have been a gate.
      const wanted = plan.hooks.filter(hook => hook.event === event!.name);
      const [fired, ruled] = await Promise.all([
        runPermitted(event, wanted, { limitMs, signal: controller.signal }, plan, ports),
        hooksStart().then(() => ruleOf(plan, event!)),
      ]);
      const input = changedInput(fired.decision);
      const made = input === undefined ? event : withInput(event, input);
      const ruledAgain = made === event ? proceed : await ruleOf(plan, made);
      const decided = onlyAsked(made, event, fired.decision);
      const decision = carrying(strictest([ruled, ruledAgain, decided]), input);
      results.push({ ...fired, decision });
      if (decision.kind === 'abort' || (isPending(event.name) && decision.kind !== 'proceed')) break;
      due.unshift(...(await followedBy(made)));
    }
  } finally {
    clearTimeout(timer);
  }
  return toReply(results);
}

const ruleOf = async ({ rule }: HostPlan, event: HookEvent): Promise<Decision> =>
  event.name === 'tool.calling' && rule ? rule(event) : proceed;

/** In the answer to a question another input could only be given with a yes, which is the user's to say. */
const onlyAsked = (made: HookEvent, asked: HookEvent, decision: Decision): Decision =>
  made === asked || asked.name === 'tool.calling' ? decision : refusalReply(changedCallText(made.input)).decision;

/** The rule is asked while the hooks run, not before. */
const hooksStart = (): Promise<void> => new Promise(resolve => process.nextTick(resolve));

/** We give up before the agent does: what follows from that is then ours to say. */
export const ownLimitMs = (timeoutMs: number): number => timeoutMs - Math.min(10_000, timeoutMs / 2);

async function runPermitted(
  event: HookEvent,
  wanted: readonly HookDefinition[],
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
  { mayRun, fire, asking }: HostPlan,
  { warn, claims }: HostPorts,
): Promise<EventResult> {
  const permit = mayRun(event, wanted);
  if (permit.note !== undefined) warn(permit.note);
  if (permit.refusal !== undefined) return resultOf(event, refusalReply(permit.refusal).decision);
  const { hooks } = permit;
  if (hooks.length === 0) return resultOf(event, proceed);
  const ids = hooks.map(hook => hook.id);
  const claimed = claims && (await claim(claims, event, ids, limitMs, asking?.() ?? unknown));
  const theirs = claimed?.kind === 'theirs' ? claimed : undefined;
  const left = theirs ? hooks.filter(hook => !theirs.hooks.includes(hook.id)) : hooks;
  if (theirs && left.length === 0) return resultOf(event, theirs.decision);
  const fired = await fire(event, left, signal);
  const isLate =
    signal.aborted &&
    isRefusedInDoubt([event.name]) &&
    fired.decision.kind === 'proceed' &&
    left.some(({ shadow }) => !shadow);
  const late = `the hooks of ${event.name} did not answer within ${limitMs / 1000} s`;
  const decisions = [theirs?.decision ?? proceed, isLate ? refusalReply(late).decision : fired.decision];
  const result = { ...fired, decision: carrying(strictest(decisions), changedInput(fired.decision)) };
  if (claimed?.kind === 'mine') claimed.done(isCutShort(fired, signal) ? undefined : result.decision);
  return result;
}

const unknown: Asking = { root: '', process: '' };

/** Whoever asked has gone: what the hooks would have said is not known. Those that took too long have said it. */
const isCutShort = ({ results }: EventResult, signal: AbortSignal): boolean =>
  !signal.aborted && results.some(result => result.status === 'finished' && result.outcome.kind === 'cancelled');

const resultOf = ({ name }: HookEvent, decision: Decision): EventResult => ({
  event: name,
  decision,
  feedback: '',
  results: [],
});
