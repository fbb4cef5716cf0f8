import { changedInput, isOpen, replacedOutputText } from '../model/changed-call.ts';
import {
  type Decision,
  type EventName,
  type EventResult,
  type HookEvent,
  proceed,
  type Refusal,
  strictest,
} from '../model/index.ts';
import { reasonOf } from './answer-json.ts';
import type { Host, NativeEvent, Reply } from './host.ts';
import { openNotes, openRefusedTurns } from './sessions/session-memory.ts';

/** One reply for all events of a payload. The text of a hook that refuses takes the place of its reason, as in a session. */
export function toReply(results: readonly EventResult[]): Reply {
  const decision = strictest(results.map(result => result.decision));
  const input = results.map(result => changedInput(result.decision)).findLast(found => found !== undefined);
  const output = decision.kind === 'proceed' ? decision.output : undefined;
  let reason = decision.kind === 'proceed' ? '' : decision.reason;
  const beside: string[] = [];
  const messages: string[] = [];
  for (const hook of results.flatMap(result => result.results)) {
    if (hook.status === 'finished' && hook.message) messages.push(hook.message);
    if (hook.status !== 'finished' || !hook.feedback) continue;
    const { feedback, decision: own } = hook;
    if (own.kind === 'proceed' || !reason.includes(own.reason)) beside.push(feedback);
    else if (!reason.includes(feedback)) reason = reason.replace(own.reason, () => feedback);
  }
  return {
    decision: decision.kind === 'proceed' ? proceed : { ...decision, reason },
    feedback: beside.join('\n'),
    ...(messages.length > 0 && { message: messages.join('\n') }),
    ...(input !== undefined && isOpen(decision) && { input }),
    ...(output !== undefined && { output }),
  };
}

export const refusalReply = (reason: string): Reply => ({
  decision: { kind: 'block', reason, by: 'hookloop' },
  feedback: '',
});

/** Events that are refused where we cannot tell what the hooks would say. The end of a turn is not: it would never end. */
const refusedInDoubt: ReadonlySet<EventName> = new Set([
  'config.changing',
  'subagent.starting',
  'tool.calling',
  'prompt.submitting',
  'task.completing',
  'permission.requesting',
]);

export const isRefusedInDoubt = (fires: readonly EventName[]): boolean => fires.some(name => refusedInDoubt.has(name));

/** Where things are kept between two calls, and where lines for people go. */
interface Keeping {
  memory: string | undefined;
  warn(line: string): void;
}

/**
 * What of a reply goes into this answer. Text that has no room in it waits for one that has; a turn that was refused
 * too often without anything done in between may end.
 */
export function whatFits(
  host: Host,
  spec: NativeEvent,
  events: readonly HookEvent[],
  reply: Reply,
  keeping: Keeping,
): Reply {
  const { decision, ...said } = host.capsTurns ? reply : limitTurns(spec, events, reply, keeping);
  const isReplaced = reply.output !== undefined && !host.replacesOutput;
  const feedback = join(isReplaced ? replacedOutputText(events[0]?.tool, reply.output) : '', said.feedback);
  const notes = openNotes(keeping.memory, events[0]?.session);
  const { output, ...others } = reply;
  const kept = isReplaced || output === undefined ? others : { ...others, output };
  const fits = (told: Decision, text: string): Reply => ({ ...kept, decision: told, feedback: text });
  if (spec.fires.includes('session.ended')) {
    notes.take();
    return fits(decision, feedback);
  }
  if (spec.feedback) return fits(decision, join(notes.take(), feedback));
  const unheard = isFixable(decision, spec) && !spec.blocks ? reasonOf(decision) : '';
  const later = join(unheard, decision.kind === 'proceed' || !spec.blocks ? feedback : '');
  if (later !== '') notes.keep(later);
  if (unheard !== '') return fits(proceed, '');
  return fits(decision, decision.kind === 'proceed' ? '' : feedback);
}

/** To fix something takes a text that the agent reads, now or later. */
const isFixable = (decision: Decision, { fires }: NativeEvent): decision is Refusal =>
  decision.kind === 'revise' || (decision.kind === 'block' && fires.some(isEnding));

/** A refusal of it makes the agent, or its subagent, go on. */
const isEnding = (name: EventName): boolean => name === 'turn.ending' || name === 'subagent.ending';

const join = (...texts: string[]): string => texts.filter(text => text !== '').join('\n');

function limitTurns(spec: NativeEvent, events: readonly HookEvent[], reply: Reply, keeping: Keeping): Reply {
  const [first] = events;
  const turns = openRefusedTurns(keeping.memory, first?.session);
  if (first?.name.startsWith('tool.') && first.name !== 'tool.calling') turns.forget();
  if (!spec.blocks || !spec.fires.some(isEnding)) return reply;
  if (reply.decision.kind === 'proceed' || reply.decision.kind === 'abort') turns.forget();
  else if (!turns.mayRefuse()) {
    turns.forget();
    keeping.warn(`hookloop: the turn ends although it was refused: ${reasonOf(reply.decision)}`);
    return { ...reply, decision: proceed };
  }
  return reply;
}
