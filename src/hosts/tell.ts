import { type Decision, type HookEvent, proceed, type Refusal } from '../model/index.ts';
import type { Host, NativeEvent, Reply } from './host.ts';
import { openNotes } from './memory/notes.ts';
import { openRefusedTurns } from './memory/refused-turns.ts';
import type { HostPorts } from './ports.ts';
import { reasonOf } from './shared/answer.ts';

/**
 * What of a reply goes into this answer. Text that has no room in it waits for one that has; a turn that was refused
 * too often without anything done in between may end.
 */
export function tellWhatFits(
  host: Host,
  spec: NativeEvent,
  events: readonly HookEvent[],
  reply: Reply,
  ports: HostPorts,
): Reply {
  const fitting = whatFits(host, spec, events, reply, ports);
  return reply.message === undefined ? fitting : { ...fitting, message: reply.message };
}

function whatFits(host: Host, spec: NativeEvent, events: readonly HookEvent[], reply: Reply, ports: HostPorts): Reply {
  const session = events[0]?.session;
  const notes = openNotes(ports.memory, session);
  const { decision, feedback } = host.capsTurns ? reply : limitTurns(spec, events, reply, ports);
  const unheard = isMendable(decision, spec) && !spec.blocks && !spec.feedback ? reasonOf(decision) : '';
  if (spec.fires.includes('session.ended')) {
    notes.take();
    return { decision, feedback };
  }
  if (spec.feedback) return { decision, feedback: join(notes.take(), feedback) };
  const later = join(unheard, decision.kind === 'proceed' || !spec.blocks ? feedback : '');
  if (later !== '') notes.keep(later);
  if (unheard !== '') return { decision: proceed, feedback: '' };
  return { decision, feedback: decision.kind === 'proceed' ? '' : feedback };
}

/** To mend something takes a text that the agent reads, now or later. */
const isMendable = (decision: Decision, { fires }: NativeEvent): decision is Refusal =>
  decision.kind === 'revise' || (decision.kind === 'block' && fires.includes('turn.ending'));

const join = (...texts: string[]): string => texts.filter(text => text !== '').join('\n');

function limitTurns(spec: NativeEvent, events: readonly HookEvent[], reply: Reply, ports: HostPorts): Reply {
  const [first] = events;
  const turns = openRefusedTurns(ports.memory, first?.session);
  if (first?.name.startsWith('tool.') && first.name !== 'tool.calling') turns.forget();
  if (!spec.blocks || !spec.fires.includes('turn.ending')) return reply;
  if (reply.decision.kind === 'proceed' || reply.decision.kind === 'abort') turns.forget();
  else if (!turns.mayRefuse()) {
    turns.forget();
    ports.warn(`hookloop: the turn ends although it was refused: ${reasonOf(reply.decision)}`);
    return { ...reply, decision: proceed };
  }
  return reply;
}
