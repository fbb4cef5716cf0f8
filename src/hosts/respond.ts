import {
  type EventResult,
  type HookDefinition,
  type HookEvent,
  isPending,
  proceed,
  strictest,
} from '../model/index.ts';
import type { Answer, Host, NativeEvent, Payload, Reply } from './host.ts';
import { hosts } from './index.ts';
import { claim } from './memory/claims.ts';
import { parsePayload } from './payload.ts';
import type { HostCall, HostPorts } from './ports.ts';
import { isGuarded, refusalReply, toReply } from './reply.ts';
import { tellWhatFits } from './tell.ts';

/** Runs our hooks for an agent and answers in its language. Contract: never rejects; where we cannot tell, gates say no. */
export async function respond(call: HostCall, ports: HostPorts): Promise<Answer> {
  const host = hosts[call.agent];
  const payload = parsePayload(call.input);
  const native = (payload.kind === 'payload' ? nameIn(payload.fields) : undefined) ?? call.event;
  if (native === undefined)
    return { stdout: '', stderr: 'hookloop: neither the payload nor the command names an event\n', exitCode: 2 };
  const spec = Object.hasOwn(host.events, native) ? host.events[native] : undefined;
  if (!spec) return pass(host, native, `${call.agent} ${native} is no event of ours`, ports);
  try {
    if (payload.kind === 'bad') return cannotTell(host, native, spec, payload.why, ports);
    return await respondTo(host, native, spec, payload.fields, call, ports);
  } catch (error) {
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
  const plan = await ports.plan(projectOf(host, events[0], call));
  if (plan.problems.some(problem => problem.refuses))
    return cannotTell(
      host,
      native,
      spec,
      'a hook file that is or may hold a gate has errors (see hookloop check)',
      ports,
    );
  const reply = await fireAll(events, plan.hooks, spec.timeoutMs, ports);
  return host.answer(native, tellWhatFits(host, spec, events, reply, ports));
}

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

/** The project that the agent was started in, which its current folder need not be part of. */
function projectOf(host: Host, event: HookEvent | undefined, { env, cwd }: HostCall): string {
  const named = [...host.projectVariables.map(name => env[name]), event?.cwd];
  return named.find(folder => folder?.startsWith('/')) ?? cwd;
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
  const permit = ports.mayRun(event, wanted);
  if (permit.note !== undefined) ports.warn(permit.note);
  if (permit.refusal !== undefined) return resultOf(event, refusalReply(permit.refusal));
  // What the agent runs itself is nothing that we could have run for it.
  const ours = permit.hooks.filter(hook => hook.match.notAgent !== event.agent);
  if (ours.length === 0) return resultOf(event, toReply([]));
  const ids = ours.map(hook => hook.id);
  const claimed = ports.claims && (await claim(ports.claims, event, ids, limitMs));
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

/** Whoever asked has gone: what the hooks would have said is not known. Those that took too long have said it. */
const isCutShort = ({ results }: EventResult, signal: AbortSignal): boolean =>
  !signal.aborted && results.some(result => result.status === 'finished' && result.outcome.kind === 'cancelled');

const resultOf = ({ name }: HookEvent, { decision, feedback }: Reply): EventResult => ({
  event: name,
  decision,
  feedback,
  results: [],
});
