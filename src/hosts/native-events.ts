import { resolve } from 'node:path';
import { type EventName, type HookEvent, toEvent } from '../model/index.ts';
import { isObject, isTooDeep, jsonOf, maxJsonDepth } from '../model/json.ts';
import { anyGit, callFiles, callKinds, fileOf, patchedFiles, patchIn, shellTextsOf } from '../model/tool-call.ts';
import type { Host, NativeEvent, Payload } from './host.ts';

export type ParsedPayload = { kind: 'payload'; fields: Payload } | { kind: 'bad'; why: string };

/** Nothing at all is an empty payload. */
export function parsePayload(input: string): ParsedPayload {
  if (input.trim() === '') return { kind: 'payload', fields: {} };
  const value = jsonOf(input);
  if (value === undefined) return { kind: 'bad', why: 'the payload is not JSON' };
  if (!isObject(value)) return { kind: 'bad', why: 'the payload is not a JSON object' };
  if (isTooDeep(value)) return { kind: 'bad', why: `the payload is nested deeper than ${maxJsonDepth}` };
  return { kind: 'payload', fields: value };
}

/**
 * The project that the agent was started in, which its current folder need not be part of, and others that it lists. An
 * agent that does not name it may be anywhere: then the folder it speaks of and the one we were started in both count.
 */
export function foldersOf(
  { projectVariables, projectsField = '' }: Pick<Host, 'projectVariables' | 'projectsField'>,
  payload: Payload,
  told: unknown,
  { env, cwd }: { env: Readonly<Record<string, string | undefined>>; cwd: string },
): string[] {
  const named = projectVariables.map(name => env[name]).find(isAbsolute);
  const listed = [payload[projectsField]].flat().filter(isAbsolute);
  if (named !== undefined) return [named, ...listed];
  return isAbsolute(told) ? [told, cwd, ...listed] : [cwd, ...listed];
}

const isAbsolute = (folder: unknown): folder is string => typeof folder === 'string' && folder.startsWith('/');

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

/** `other`: nothing of ours; it passes untouched. `bad`: a field has a type that no one sends. */
export type Reading =
  | { kind: 'events'; events: readonly HookEvent[] }
  | { kind: 'other'; why: string }
  | { kind: 'bad'; flaws: readonly string[] };

/** The events of one payload, and one `file.edited` for each file that a tool has changed. `native` is one of the host's. */
export function readEvents(host: Host, native: string, payload: Payload, now: () => string): Reading {
  const told = host.read?.(native, payload) ?? { fields: payload };
  if (typeof told === 'string') return { kind: 'other', why: told };
  const { fields, fires = host.events[native]!.fires } = told;
  const events: HookEvent[] = [];
  for (const name of fires) {
    const called = events.find(event => event.name === 'tool.called');
    if (name === 'file.edited' && called) {
      events.push(...editedEvents(called));
      continue;
    }
    const reading = toEvent(name, fields, now);
    if (reading.kind === 'bad') return reading;
    // A gate for certain tools would not see it.
    if (name === 'tool.calling' && !reading.event.tool) return { kind: 'bad', flaws: ['no tool is named'] };
    const file = fileIn(reading.event);
    events.push({ ...reading.event, ...(file !== undefined && { file }), agent: host.name });
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

/** The files that a call of an edit tool has left changed, absolute where the agent's folder is known; none for other tools. */
export function editedFiles(event: HookEvent): readonly string[] {
  const { input, output, cwd } = event;
  if (!callKinds(event).has('edit')) return [];
  const patch = patchIn(input);
  const named = patch === undefined ? namedFiles(input, output) : hasFailed(output) ? [] : filesLeftBy(patch);
  return [...new Set(named.map(file => absolute(file, cwd)))];
}

const absolute = (file: string, cwd: string | undefined): string => (cwd?.startsWith('/') ? resolve(cwd, file) : file);

/** One file, and in some forms of a multiple edit one more for each edit. */
function namedFiles(input: unknown, output: unknown): string[] {
  const edits: unknown = (input as { edits?: unknown } | undefined)?.edits;
  const files = [fileOf(input), ...(Array.isArray(edits) ? edits.map(fileOf) : [])];
  const found = files.filter(file => file !== undefined);
  const answered = found.length > 0 ? undefined : fileOf(output);
  return answered === undefined ? found : [answered];
}

/** A deleted file is none that a formatter could open; a moved one is where it went. */
function filesLeftBy(patch: string): string[] {
  const files: string[] = [];
  for (const { action, file } of patchedFiles(patch)) {
    if (action === 'Delete File') continue;
    if (action === 'Move to') files.pop();
    files.push(file);
  }
  return files;
}

/** Codex has no event for a tool that failed: its answer begins with the exit code. */
const hasFailed = (output: unknown): boolean => typeof output === 'string' && /^Exit code: [1-9]/.test(output);

/** The text of a value that some agents send as text and others as an object with a message. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const message = (value as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? message : JSON.stringify(value ?? '');
}

/** JSON in a text, where an agent sends a value that way. */
export function parsed(value: unknown): unknown {
  const read = typeof value === 'string' ? jsonOf(value) : undefined;
  return read === undefined ? value : read;
}

/**
 * What a tool call is about to do to the repository, as events of their own: whoever refuses one of them refuses the call.
 * Commands are read only where hooks of these events are wanted; one that no one finds may do all of it.
 */
export async function gitEventsOf(call: HookEvent, isWanted: (name: EventName) => boolean): Promise<HookEvent[]> {
  if (call.name !== 'tool.calling' || !gitEventNames.some(isWanted) || !callKinds(call).has('shell')) return [];
  const { gitEvents } = await import('../shell/git.ts');
  const texts = shellTextsOf(call.input);
  const isOpen = texts.length === 0 || call.facts?.names?.includes(anyGit);
  const names = isOpen ? gitEventNames : texts.flatMap(gitEvents);
  return [...new Set(names)].filter(isWanted).map(name => ({ ...call, name }));
}

export const gitEventNames = ['branch.creating', 'commit.creating'] as const satisfies readonly EventName[];
