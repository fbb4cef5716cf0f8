import { type EventName, type HookEvent, toEvent } from '../../model/index.ts';
import { callFiles, callKinds } from '../../model/tool-call.ts';
import type { AgentName, NativeEvent, Payload, Reading } from '../host.ts';
import { absolute, editedFiles } from './edited-files.ts';

/** More than people wait for; hooks have their own, shorter limits. */
const timeoutMs = 600_000;

type Effect = 'blocks' | 'feedback' | 'closed';

/** A row of an agent's table: what it fires, and what the agent does with the answer. */
export const native = (
  fires: readonly EventName[],
  effects: readonly Effect[] = [],
  limitMs = timeoutMs,
): NativeEvent => ({
  fires,
  blocks: effects.includes('blocks'),
  feedback: effects.includes('feedback'),
  timeoutMs: limitMs,
  ...(effects.includes('closed') && { closed: true }),
});

/** The events of one payload, and one `file.edited` for each file that a tool has changed. */
export function toEvents(agent: AgentName, names: readonly EventName[], payload: Payload, now: () => string): Reading {
  const events: HookEvent[] = [];
  for (const name of names) {
    const called = events.find(event => event.name === 'tool.called');
    if (name === 'file.edited' && called) {
      events.push(...editedEvents(called));
      continue;
    }
    const reading = toEvent(name, payload, now);
    if (reading.kind === 'bad') return reading;
    // A gate for certain tools would not see it.
    if (name === 'tool.calling' && !reading.event.tool) return { kind: 'bad', flaws: ['no tool is named'] };
    const file = fileIn(reading.event);
    events.push({ ...reading.event, ...(file !== undefined && { file }), agent });
  }
  return { kind: 'events', events };
}

/** The file that an event is about, absolute where the agent's folder is known. */
function fileIn(event: HookEvent): string | undefined {
  const kinds = callKinds(event);
  const file = event.file ?? (kinds.has('edit') || kinds.has('read') ? callFiles(event)[0] : undefined);
  return file === undefined ? undefined : absolute(file, event.cwd);
}

function editedEvents(called: HookEvent): HookEvent[] {
  const { at, session, cwd, agent, tool, toolCallId } = called;
  const fields = Object.fromEntries(
    Object.entries({ at, session, cwd, agent, tool, toolCallId }).filter(([, value]) => value !== undefined),
  );
  return editedFiles(called).map(file => ({ ...fields, name: 'file.edited', file }));
}

/** The text of a value that some agents send as text and others as an object with a message. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const message = (value as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? message : JSON.stringify(value ?? '');
}

/** JSON in a text, where an agent sends a value that way. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
