import { isAbsolute, relative, resolve } from 'node:path';
import type { HookEvent, ToolFacts } from '../../model/event.ts';
import { callKinds } from '../../model/tool-call.ts';
import { anyGit, shellTextOf, type ToolKind, toolKind } from '../../model/tools.ts';

/** A tool call as far as the agent has told of it. Each report patches the ones before. */
export interface ToolCall {
  readonly id: string;
  /** The agent is known to tell of tools of MCP servers as of kind `execute`. */
  readonly mcpAsExecute: boolean;
  title?: string;
  /** The first title. */
  announced?: string;
  name?: string;
  kind?: string;
  status: 'pending' | 'running' | 'completed' | 'failed';
  rawInput?: unknown;
  rawOutput?: unknown;
  content: readonly unknown[];
  /** The last that were shown: a report without any takes none back. */
  diffs: readonly Diff[];
  locations: readonly unknown[];
  meta: Readonly<Record<string, unknown>>;
  /** What a terminal of the agent's own has printed. */
  terminal: string;
}

export interface Diff {
  path: string;
  before: string;
  after: string;
}

export const createToolCall = (id: string, mcpAsExecute = false): ToolCall => ({
  id,
  mcpAsExecute,
  status: 'pending',
  content: [],
  diffs: [],
  locations: [],
  meta: {},
  terminal: '',
});

/** What is absent, null or of no sense stays as it was. */
export function patch(call: ToolCall, update: unknown): void {
  const { title, name, kind, status, rawInput, rawOutput, content, locations, _meta } = recordOf(update);
  if (isText(title)) {
    call.title = title;
    call.announced ??= title;
  }
  if (isText(name)) call.name = name;
  if (typeof kind === 'string') call.kind = kind;
  if (typeof status === 'string') call.status = statuses.get(status) ?? call.status;
  const diffs = diffsIn(content);
  if (diffs.length > 0) call.diffs = diffs;
  const isInput = rawInput !== undefined && rawInput !== null && !isShownOnly(rawInput, diffs);
  if (isInput && !(isEmpty(rawInput) && hasInput(call))) call.rawInput = rawInput;
  if (rawOutput !== undefined && rawOutput !== null) call.rawOutput = rawOutput;
  if (Array.isArray(content)) call.content = content;
  if (Array.isArray(locations)) call.locations = locations;
  const meta = recordOf(_meta);
  call.meta = {
    ...call.meta,
    ...meta,
    claudeCode: { ...recordOf(call.meta['claudeCode']), ...recordOf(meta['claudeCode']) },
  };
  const { data } = recordOf(meta['terminal_output_delta']);
  if (typeof data === 'string') call.terminal = (call.terminal + data).slice(-maxTerminal);
  const hasOutput = isText(call.terminal) || (call.rawOutput && !isEmpty(call.rawOutput));
  if (hasOutput && call.status === 'pending') call.status = 'running';
}

/** What opencode puts before a person in place of what the tool is called with: a diff that the report has as its content too. */
function isShownOnly(input: unknown, diffs: readonly Diff[]): boolean {
  const { filepath, diff, ...more } = recordOf(input);
  return (
    isText(diff) && Object.keys(more).length === 0 && diffs.length > 0 && diffs.every(({ path }) => path === filepath)
  );
}

const maxTerminal = 64 * 1024;
const statuses: ReadonlyMap<string, ToolCall['status']> = new Map([
  ['pending', 'pending'],
  ['in_progress', 'running'],
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['cancelled', 'failed'],
]);

/**
 * The tool as the agent calls it, unless it does more than a tool of that name; else the name Claude has for what it does.
 * Hooks look at names: a command that calls itself `Read` must not be shown to them as one.
 */
export function toolName(call: ToolCall): string {
  const does: readonly ToolKind[] = [...doneKinds(call)].filter(kind => kind === 'shell' || kind === 'edit');
  const isFitting = (name: string): boolean => {
    const kind = toolKind(name);
    return kind === undefined || kind === 'mcp' || does.length === 0 || does.includes(kind);
  };
  const told = namesTold(call).find(isFitting);
  if (told) return told;
  if (does.includes('shell')) return 'Bash';
  const isNewFile = call.diffs.length > 0 && call.diffs.every(({ before }) => before === '');
  if (does.includes('edit')) return isNewFile ? 'Write' : 'Edit';
  // Where there is an input, later titles say how the call goes on (opencode).
  const title = hasInput(call) ? call.announced : call.title;
  return namesByKind.get(call.kind ?? '') ?? idPrefix(call) ?? title ?? 'unknown';
}

const namesByKind: ReadonlyMap<string, string> = new Map([
  ['read', 'Read'],
  ['search', 'Grep'],
  ['fetch', 'WebFetch'],
]);

/** Every name that the agent has given the call. */
function namesTold(call: ToolCall): readonly string[] {
  const told = [call.name, recordOf(call.meta['claudeCode'])['toolName'], call.meta['toolName']].filter(isText);
  const mcp = mcpCall(call);
  const known = [idPrefix(call), call.announced].filter(name => name !== undefined && toolKind(name) !== undefined);
  return [...told, ...(mcp ? [mcp.name] : []), ...known.filter(isText)];
}

/** Gemini's ids are `<tool>__<id>`; opencode's first title is the tool. */
const idPrefix = ({ id }: ToolCall): string | undefined => /^([A-Za-z][\w.-]*)__./.exec(id)?.[1];

/**
 * How codex tells of tools of MCP servers. What a tool is called with is often the model's own: with any field beside these
 * it is no such call, whatever it says.
 */
function mcpCall({ rawInput }: ToolCall): { name: string; input: unknown } | undefined {
  const { server, tool, arguments: wrapped, ...more } = recordOf(rawInput);
  if (!isText(server) || !isText(tool) || Object.keys(more).length > 0) return undefined;
  return { name: `mcp__${server}__${tool}`, input: isRecord(wrapped) ? wrapped : rawInput };
}

/** What the call does, whatever it is called. */
function doneKinds(call: ToolCall): ReadonlySet<ToolKind> {
  const isMcpAlone = call.mcpAsExecute && call.kind === 'execute' && mcpCall(call);
  const kind = isMcpAlone ? undefined : kindsByKind.get(call.kind ?? '');
  const kinds: ToolKind[] = [...(kind ? [kind] : []), ...(call.diffs.length > 0 ? (['edit'] as const) : [])];
  return callKinds({ input: mcpCall(call)?.input ?? call.rawInput, facts: { kinds } });
}

const kindsByKind: ReadonlyMap<string, ToolKind> = new Map([
  ['execute', 'shell'],
  ['edit', 'edit'],
  ['delete', 'edit'],
  ['move', 'edit'],
  ['read', 'read'],
  ['search', 'search'],
  ['fetch', 'fetch'],
]);

/** What is known of the call that its event does not say; undefined where it says all. */
export function toolFacts(
  call: ToolCall,
  event: Pick<HookEvent, 'tool' | 'input' | 'file'>,
  root: string,
): ToolFacts | undefined {
  const said = callKinds(event);
  // What is moved or removed is neither edited nor written, so gates on either of them are asked.
  const changes = call.kind === 'delete' || call.kind === 'move' ? ['Edit', 'Write'] : [];
  // What else the input holds may be what runs, whatever the title says.
  const open = lacksCommand(call) && hasInput(call) ? [anyGit] : [];
  const names = [...namesTold(call), ...changes, ...open].filter(name => name !== event.tool);
  const kinds = [...doneKinds(call)].filter(kind => !said.has(kind));
  const files = toolFiles(call, root).filter(file => file !== event.file);
  if (names.length + kinds.length + files.length === 0) return undefined;
  return {
    ...(names.length > 0 && { names: [...new Set(names)] }),
    ...(kinds.length > 0 && { kinds }),
    ...(files.length > 0 && { files }),
  };
}

/** What the tool is called with. Where the agent does not say (Gemini), what its title and diff give, in Claude's fields. */
export function toolInput(call: ToolCall): unknown {
  const { rawInput } = call;
  const mcp = mcpCall(call);
  if (mcp) return mcp.input;
  if (hasInput(call)) return lacksCommand(call) ? { ...recordOf(rawInput), command: call.title } : rawInput;
  const changes = call.diffs.map(({ path, before, after }) =>
    before === '' ? { file_path: path, content: after } : { file_path: path, old_string: before, new_string: after },
  );
  if (changes.length > 0) return changes.length === 1 ? changes[0] : { changes };
  if (call.kind === 'execute' && call.title !== undefined) return { command: call.title };
  const path = locationsOf(call)[0];
  return path === undefined ? rawInput : { file_path: path };
}

/** A shell is called with a command; where it is told beside the input, hooks must not miss it. */
const lacksCommand = (call: ToolCall): boolean =>
  call.title !== undefined &&
  isRecord(call.rawInput) &&
  toolKind(toolName(call)) === 'shell' &&
  !shellTextOf(call.rawInput)?.trim();

/** At first many agents tell of an input without fields. */
export const hasInput = ({ rawInput }: ToolCall): boolean => rawInput !== undefined && !isEmpty(rawInput);

/** Whether what the call does can be told from its input; of a command some agents tell the folder alone before it runs. */
export function isInputKnown(call: ToolCall): boolean {
  if (!hasInput(call)) return call.diffs.length > 0;
  return call.status !== 'pending' || !doneKinds(call).has('shell') || Boolean(shellTextOf(call.rawInput)?.trim());
}

const isEmpty = (input: unknown): boolean => isRecord(input) && Object.keys(input).length === 0;

export const isShellCall = (call: ToolCall): boolean =>
  doneKinds(call).has('shell') || (toolKind(toolName(call)) === 'shell' && shellTextOf(call.rawInput) !== undefined);

/** Claude adds what its own hooks would see; others give an output or a text. */
export function toolOutput(call: ToolCall): unknown {
  const texts = call.content.map(part => recordOf(recordOf(part)['content'])['text']).filter(isText);
  const printed = call.terminal === '' ? texts.join('\n') : call.terminal;
  return recordOf(call.meta['claudeCode'])['toolResponse'] ?? call.rawOutput ?? (printed === '' ? undefined : printed);
}

/** The files a call is about, relative to the root where they lie inside. */
export function toolFiles(call: ToolCall, root: string): readonly string[] {
  const kinds = doneKinds(call);
  return kinds.has('edit') || kinds.has('read') ? pathsOf(call, root) : [];
}

/** The files a completed call has edited, each once. */
export const editedFiles = (call: ToolCall, root: string): readonly string[] =>
  doneKinds(call).has('edit') ? pathsOf(call, root) : [];

const pathsOf = (call: ToolCall, root: string): string[] => [
  ...new Set([...call.diffs.map(({ path }) => path), ...locationsOf(call)].map(path => insideRoot(root, path))),
];

export function insideRoot(root: string, path: string): string {
  const inside = relative(root, resolve(root, path));
  return inside === '' || inside.startsWith('../') || inside === '..' || isAbsolute(inside)
    ? resolve(root, path)
    : inside;
}

function diffsIn(content: unknown): Diff[] {
  return (Array.isArray(content) ? content : []).flatMap(part => {
    const { type, path, oldText, newText } = recordOf(part);
    if (type !== 'diff' || !isText(path)) return [];
    return [{ path, before: isText(oldText) ? oldText : '', after: typeof newText === 'string' ? newText : '' }];
  });
}

const locationsOf = ({ locations }: ToolCall): string[] =>
  locations.map(location => recordOf(location)['path']).filter(isText);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What has no fields has none of them. */
/** An id as a text, whatever it is. */
export const idOf = (id: unknown): string => (typeof id === 'string' ? id : (JSON.stringify(id) ?? 'none'));

export const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});
