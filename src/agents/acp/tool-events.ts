import { isAbsolute, relative, resolve } from 'node:path';
import { diffLines } from 'diff';
import type { ToolFacts, ToolKind } from '../../model/event.ts';
import type { HookEvent } from '../../model/index.ts';
import { fieldsOf, isObject } from '../../model/json.ts';
import { anyGit, callKinds, fileOf, kindFamilies, shellTextOf, toolKind } from '../../model/tool-call.ts';
import { isText } from './protocol.ts';
import { hasInput, type ToolCall, toolOutput } from './tool-call.ts';

/** The call as hooks are asked about it. */
export function callingEvent(call: ToolCall, root: string): HookEvent<'tool.calling'> {
  const input = toolInput(call);
  const [file] = toolFiles(call, root);
  const event = {
    name: 'tool.calling',
    tool: toolName(call),
    toolCallId: call.id,
    ...(input !== undefined && { input }),
    ...(file !== undefined && { file }),
  } as const;
  const facts = toolFacts(call, event, root);
  return { ...event, ...(facts && { facts }) };
}

/** What became of the call, as hooks were asked about it: by names and inputs of its own they would not know it again. */
export function madeEvent(
  asked: HookEvent<'tool.calling'>,
  call: ToolCall,
  root: string,
): HookEvent<'tool.called'> | HookEvent<'tool.failed'> {
  const output = toolOutput(call);
  const told = { ...asked, ...(output !== undefined && { output }) };
  if (call.status === 'completed') return { ...told, ...changedBy(call, asked, root), name: 'tool.called' };
  return { ...told, name: 'tool.failed', error: errorText(call, output) };
}

/** What the diffs that the agent has shown say. */
function changedBy({ diffs }: ToolCall, { facts }: HookEvent, root: string): Pick<HookEvent, 'facts'> {
  const changes = diffs.flatMap(({ path, before, after }) => lineChange(insideRoot(root, path), before, after) ?? []);
  return changes.length > 0 ? { facts: { ...facts, changes } } : {};
}

type LineChange = NonNullable<ToolFacts['changes']>[number];

/** So long may it take to compare two texts: nothing depends on it. */
const timeoutMs = 200;

/** How many lines differ; undefined where that takes too long to find out. */
function lineChange(path: string, before: string, after: string): LineChange | undefined {
  const parts = diffLines(before, after, { timeout: timeoutMs });
  if (!parts) return undefined;
  const linesOf = (kind: 'added' | 'removed'): number =>
    parts.reduce((sum, part) => sum + (part[kind] ? part.count : 0), 0);
  return { path, added: linesOf('added'), removed: linesOf('removed') };
}

const maxErrorLength = 4000;

/** What went wrong in words, wherever the agent puts them. */
function errorText(call: ToolCall, output: unknown): string {
  const { text, error, message, stderr } = fieldsOf(output);
  const words = [output, text, error, message, stderr].find(part => typeof part === 'string' && part.trim() !== '');
  const exitCode = fieldsOf(call.meta['terminal_exit'])['exit_code'];
  const otherwise = typeof exitCode === 'number' ? `it ended with exit code ${exitCode}` : 'the tool failed';
  return String(words ?? (output === undefined ? otherwise : JSON.stringify(output))).slice(0, maxErrorLength);
}

export const editedEvent = (file: string, call?: Pick<HookEvent, 'tool' | 'toolCallId'>): HookEvent<'file.edited'> => ({
  name: 'file.edited',
  file,
  ...(call?.tool !== undefined && { tool: call.tool }),
  ...(call?.toolCallId !== undefined && { toolCallId: call.toolCallId }),
});

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
  const kind = kindsByKind.get(call.kind ?? '');
  return (kind && kindFamilies(kind)[0]?.[0]) ?? idPrefix(call) ?? title ?? 'unknown';
}

/** The call for people, in one line: the tool and what it touches, else what the agent calls it. */
export function callTitle(call: ToolCall, root: string): string {
  const title = (call.title ?? call.id).replaceAll('`', '');
  const input = toolInput(call);
  const [file = fileOf(input)] = pathsOf(call, root);
  const touched = shellTextOf(input)?.trim() || (file === undefined ? '' : insideRoot(root, file));
  return touched === '' ? title : `${toolName(call)} ${touched}`;
}

/** Every name that the agent has given the call. */
function namesTold(call: ToolCall): readonly string[] {
  const told = [call.name, fieldsOf(call.meta['claudeCode'])['toolName'], call.meta['toolName']].filter(isText);
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
  const { server, tool, arguments: wrapped, ...more } = fieldsOf(rawInput);
  if (!isText(server) || !isText(tool) || Object.keys(more).length > 0) return undefined;
  return { name: `mcp__${server}__${tool}`, input: isObject(wrapped) ? wrapped : rawInput };
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
function toolFacts(
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
  if (hasInput(call)) return lacksCommand(call) ? { ...fieldsOf(rawInput), command: call.title } : rawInput;
  const changes = call.diffs.map(({ path, before, after }) =>
    before === '' ? { file_path: path, content: after } : { file_path: path, old_string: before, new_string: after },
  );
  if (changes.length > 0) return changes.length === 1 ? changes[0] : { changes };
  if (call.kind === 'execute' && call.title !== undefined) return { command: call.title };
  const [path] = call.locations;
  return path === undefined ? rawInput : { file_path: path };
}

/** A shell is called with a command; where it is told beside the input, hooks must not miss it. */
const lacksCommand = (call: ToolCall): boolean =>
  call.title !== undefined &&
  isObject(call.rawInput) &&
  toolKind(toolName(call)) === 'shell' &&
  !shellTextOf(call.rawInput)?.trim();

/** Whether what the call does can be told from its input; of a command some agents tell the folder alone before it runs. */
export function isInputKnown(call: ToolCall): boolean {
  if (!hasInput(call)) return call.diffs.length > 0;
  return call.status !== 'pending' || !doneKinds(call).has('shell') || Boolean(shellTextOf(call.rawInput)?.trim());
}

export const isShellCall = (call: ToolCall): boolean =>
  doneKinds(call).has('shell') || (toolKind(toolName(call)) === 'shell' && shellTextOf(call.rawInput) !== undefined);

/** The files a call is about, relative to the root where they lie inside. */
function toolFiles(call: ToolCall, root: string): readonly string[] {
  const kinds = doneKinds(call);
  return kinds.has('edit') || kinds.has('read') ? pathsOf(call, root) : [];
}

/** The files a completed call has edited, each once. */
export const editedFiles = (call: ToolCall, root: string): readonly string[] =>
  doneKinds(call).has('edit') ? pathsOf(call, root) : [];

const pathsOf = (call: ToolCall, root: string): string[] => [
  ...new Set([...call.diffs.map(({ path }) => path), ...call.locations].map(path => insideRoot(root, path))),
];

/** The contents that a call shows that it will write, by file. */
export function shownWrites(call: ToolCall, root: string): ReadonlyMap<string, string> {
  const input = toolInput(call);
  const [named, { content }] = [fileOf(input), fieldsOf(input)];
  const shown = new Map<string, string>();
  if (named !== undefined && typeof content === 'string') shown.set(insideRoot(root, named), content);
  for (const { path, after } of call.diffs) shown.set(insideRoot(root, path), after);
  const edited = editedFiles(call, root);
  return new Map([...shown].filter(([file]) => edited.includes(file)));
}

export interface Write {
  path: string;
  content: string;
}

/** How hooks are asked about a write through us, for the call that is about its file. */
export function writeEvent({ path, content }: Write, call: ToolCall | undefined, root: string) {
  const own = call && toolName(call);
  // By its call's name alone a write could hide; and a command is not run once more.
  const names = ['Edit', ...(own === undefined || toolKind(own) === 'shell' ? [] : [own])];
  const event: HookEvent<'tool.calling'> = {
    name: 'tool.calling',
    tool: 'Write',
    input: { file_path: resolve(root, path), content },
    file: insideRoot(root, path),
    ...(call && { toolCallId: call.id }),
    facts: { names: [...new Set(names)].filter(name => name !== 'Write') },
  };
  return event;
}

export function insideRoot(root: string, path: string): string {
  const inside = relative(root, resolve(root, path));
  return inside === '' || inside.startsWith('../') || inside === '..' || isAbsolute(inside)
    ? resolve(root, path)
    : inside;
}
