import { isAbsolute, relative, resolve } from 'node:path';
import { shellTextOf, toolKind } from '../../model/tools.ts';

/** A tool call as far as the agent has told of it. Each report patches the ones before. */
export interface ToolCall {
  readonly id: string;
  title?: string;
  /** The first title. */
  announced?: string;
  name?: string;
  kind?: string;
  status: 'pending' | 'running' | 'completed' | 'failed';
  rawInput?: unknown;
  rawOutput?: unknown;
  content: readonly unknown[];
  locations: readonly unknown[];
  meta: Readonly<Record<string, unknown>>;
  /** What a terminal of the agent's own has printed. */
  terminal: string;
}

export const createToolCall = (id: string): ToolCall => ({
  id,
  status: 'pending',
  content: [],
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
  // Hooks that were asked about a tool hear of the same one afterwards.
  if (isText(name)) call.name ??= name;
  if (typeof kind === 'string') call.kind = kind;
  if (typeof status === 'string') call.status = statuses[status] ?? call.status;
  if (rawInput !== undefined && rawInput !== null && !isShownOnly(rawInput) && !(isEmpty(rawInput) && hasInput(call)))
    call.rawInput = rawInput;
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
}

/** What opencode puts before a person in place of what the tool is called with. */
const isShownOnly = (input: unknown): boolean => isText(recordOf(input)['filepath']) && isText(recordOf(input)['diff']);

const maxTerminal = 64 * 1024;
const statuses: Readonly<Record<string, ToolCall['status']>> = {
  pending: 'pending',
  in_progress: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
};

/** The tool as the agent calls it, as far as its reports allow; else the name Claude has for a tool of that kind. */
export function toolName(call: ToolCall): string {
  const { server, tool } = recordOf(call.rawInput);
  const told = [call.name, recordOf(call.meta['claudeCode'])['toolName'], call.meta['toolName']].find(isText);
  if (told) return told;
  if (isText(server) && isText(tool)) return `mcp__${server}__${tool}`;
  // Gemini's ids are `<tool>__<id>`; opencode's first title is the tool.
  const prefix = /^([A-Za-z][\w.-]*)__./.exec(call.id)?.[1];
  const known = [prefix, call.announced].find(name => name !== undefined && toolKind(name) !== undefined);
  if (known) return known;
  const isNewFile = diffsOf(call).length > 0 && diffsOf(call).every(({ before }) => before === '');
  if (call.kind === 'edit') return isNewFile ? 'Write' : 'Edit';
  return namesByKind[call.kind ?? ''] ?? prefix ?? call.title ?? 'unknown';
}

const namesByKind: Readonly<Record<string, string>> = {
  execute: 'Bash',
  read: 'Read',
  search: 'Grep',
  fetch: 'WebFetch',
};

/** What the tool is called with. Where the agent does not say (Gemini), what its title and diff give, in Claude's fields. */
export function toolInput(call: ToolCall): unknown {
  const { rawInput } = call;
  const { server, tool, arguments: wrapped } = recordOf(rawInput);
  if (isText(server) && isText(tool) && isRecord(wrapped)) return wrapped;
  if (hasInput(call)) return rawInput;
  const changes = diffsOf(call).map(({ path, before, after }) =>
    before === '' ? { file_path: path, content: after } : { file_path: path, old_string: before, new_string: after },
  );
  if (changes.length > 0) return changes.length === 1 ? changes[0] : { changes };
  if (call.kind === 'execute' && call.title !== undefined) return { command: call.title };
  const path = locationsOf(call)[0];
  return path === undefined ? rawInput : { file_path: path };
}

/** At first many agents tell of an input without fields. */
export const hasInput = ({ rawInput }: ToolCall): boolean => rawInput !== undefined && !isEmpty(rawInput);

const isEmpty = (input: unknown): boolean => isRecord(input) && Object.keys(input).length === 0;

export const isShellCall = (call: ToolCall): boolean =>
  call.kind === 'execute' || (toolKind(toolName(call)) === 'shell' && shellTextOf(call.rawInput) !== undefined);

/** Claude adds what its own hooks would see; others give an output or a text. */
export function toolOutput(call: ToolCall): unknown {
  const texts = call.content.map(part => recordOf(recordOf(part)['content'])['text']).filter(isText);
  const printed = call.terminal === '' ? texts.join('\n') : call.terminal;
  return recordOf(call.meta['claudeCode'])['toolResponse'] ?? call.rawOutput ?? (printed === '' ? undefined : printed);
}

const fileKinds = new Set(['edit', 'delete', 'move', 'read']);
const editKinds = new Set(['edit', 'delete', 'move']);

/** The file a call is about, relative to the root where it lies inside. */
export const toolFile = (call: ToolCall, root: string): string | undefined =>
  fileKinds.has(call.kind ?? '') ? pathsOf(call, root)[0] : undefined;

/** The files a completed call has edited, each once. */
export const editedFiles = (call: ToolCall, root: string): readonly string[] =>
  editKinds.has(call.kind ?? '') ? pathsOf(call, root) : [];

const pathsOf = (call: ToolCall, root: string): string[] => [
  ...new Set([...diffsOf(call).map(({ path }) => path), ...locationsOf(call)].map(path => insideRoot(root, path))),
];

export function insideRoot(root: string, path: string): string {
  const inside = relative(root, resolve(root, path));
  return inside === '' || inside.startsWith('../') || inside === '..' || isAbsolute(inside)
    ? resolve(root, path)
    : inside;
}

const diffsOf = ({ content }: ToolCall): { path: string; before: string; after: string }[] =>
  content.flatMap(part => {
    const { type, path, oldText, newText } = recordOf(part);
    if (type !== 'diff' || !isText(path)) return [];
    return [{ path, before: isText(oldText) ? oldText : '', after: typeof newText === 'string' ? newText : '' }];
  });

const locationsOf = ({ locations }: ToolCall): string[] =>
  locations.map(location => recordOf(location)['path']).filter(isText);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What has no fields has none of them. */
export const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});
