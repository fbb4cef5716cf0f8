import type { HookEvent, ToolKind } from './event.ts';
import { fieldsOf } from './json.ts';

/** A tool call as an event tells of it. */
export type Call = Pick<HookEvent, 'tool' | 'input' | 'file' | 'facts'>;

/** What a call does, by everything that is known of it: its names, what the agent's protocol says of it, and its input. */
export function callKinds(call: Call): ReadonlySet<ToolKind> {
  const known = kindsOfCalls.get(call);
  if (known) return known;
  const kinds = new Set([...namedKinds(call), ...(call.facts?.kinds ?? []), ...inputKinds(call)]);
  kindsOfCalls.set(call, kinds);
  return kinds;
}

/** Every part that looks at a call asks anew, and inputs may be long. */
const kindsOfCalls = new WeakMap<Call, ReadonlySet<ToolKind>>();

/** Every name a call goes by. Where its name, its kind and its input disagree, it goes by the names of all of them. */
export const callNames = (call: Call): readonly string[] => [
  ...namesTold(call).flatMap(toolNames),
  ...unnamedKinds(call).flatMap(kind => [kind, ...kindFamilies(kind).flat()]),
];

/** Its own names, and Claude's names for a call like this: what a matcher of Claude's is held against. */
export const callNamesForClaude = (call: Call): readonly string[] => [
  ...namesTold(call).flatMap(name => [name, claudeFamilyName(name) ?? name]),
  ...unnamedKinds(call).flatMap(kind => kindFamilies(kind).map(([name]) => name!)),
];

/** The files that a call is about: the one it names, those of a multiple edit, and those of a patch. */
export function callFiles({ file, input, facts }: Call): readonly string[] {
  const { edits } = fieldsOf(input);
  const named = [
    file,
    ...(facts?.files ?? []),
    ...filesOf(input),
    ...(Array.isArray(edits) ? edits.flatMap(filesOf) : []),
  ];
  const patched = patchedFiles(patchIn(input) ?? '').map(part => part.file);
  return [...new Set([...named.filter(name => name !== undefined), ...patched])];
}

/** The patch that an input holds (`*** Begin Patch`, as Codex writes it), whatever field it stands in. */
export function patchIn(input: unknown): string | undefined {
  const values: unknown[] = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  return values
    .flat(2)
    .find((value): value is string => typeof value === 'string' && value.includes(patchStart) && isPatch.test(value));
}

export interface PatchedFile {
  action: 'Add File' | 'Update File' | 'Delete File' | 'Move to';
  file: string;
}

export const patchedFiles = (patch: string): readonly PatchedFile[] =>
  patch.split(/\r?\n/).flatMap(line => {
    const [, action, file] = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$/.exec(line) ?? [];
    return file === undefined ? [] : [{ action: action as PatchedFile['action'], file }];
  });

const namesTold = ({ tool, facts }: Call): readonly string[] => [
  ...(tool === undefined ? [] : [tool]),
  ...(facts?.names ?? []),
];

const namedKinds = (call: Call): ToolKind[] => namesTold(call).flatMap(name => toolKind(name) ?? []);

/** What the call does that none of its names says. */
function unnamedKinds(call: Call): ToolKind[] {
  const named = new Set(namedKinds(call));
  return [...callKinds(call)].filter(kind => !named.has(kind));
}

/**
 * A command runs in a shell whatever the tool is called; a patch edits what it names, also where it stands for a command.
 * Only of a tool that is known to edit a patch is no command.
 */
function inputKinds(call: Call): ToolKind[] {
  const { tool, input, facts } = call;
  const { command, path } = fieldsOf(input);
  const isEditor = typeof command === 'string' && typeof path === 'string' && editorCommands.has(command);
  const edits: ToolKind[] = isEditor ? [command === 'view' ? 'read' : 'edit'] : [];
  if (isEditor && shellTextsOf(input).every(text => text === command)) return edits;
  const known = [...namedKinds(call), ...(facts?.kinds ?? [])];
  const isUnknown = tool !== undefined && toolKind(tool) === undefined;
  const { script: _, ...unscripted } = fieldsOf(input);
  const texts = shellTextsOf(isUnknown ? (typeof input === 'string' ? undefined : input) : unscripted);
  const runs = texts.some(text => !known.includes('edit') || !startsPatch(text));
  return [
    ...edits,
    ...(runs ? (['shell'] as const) : []),
    ...(patchIn(input) === undefined ? [] : (['edit'] as const)),
  ];
}

const startsPatch = (text: string): boolean => text.trimStart().startsWith(patchStart) && isPatch.test(text);

/** Anthropic's text editor says in `command` what it does to the file in `path`; what has more to run is no such call. */
const editorCommands: ReadonlySet<string> = new Set(['view', 'create', 'str_replace', 'insert', 'undo_edit']);

const patchStart = '*** Begin Patch';
const isPatch = /^\*\*\* (Add|Update|Delete) File: /m;

/** The error of a call of which the agent has not told how it ended: no one knows whether it failed. */
export const unheardEnd = 'the turn ended before the call finished';

/** Tools that agents have under different names. The first name is Claude's. */
const toolFamilies: readonly { kind: ToolKind; names: readonly string[] }[] = [
  {
    kind: 'shell',
    names: [
      ...['Bash', 'run_shell_command', 'exec_command', 'shell', 'bash', 'local_shell', 'execute_bash'],
      ...['exec', 'terminal', 'execute_command', 'run_command', 'run_terminal_cmd'],
    ],
  },
  { kind: 'edit', names: ['Write', 'write_file', 'create', 'write', 'create_file'] },
  { kind: 'edit', names: ['Edit', 'replace', 'edit', 'multi_edit', 'apply_patch', 'MultiEdit', 'str_replace'] },
  { kind: 'edit', names: ['NotebookEdit', 'notebook_edit'] },
  { kind: 'read', names: ['Read', 'read_file', 'read', 'view', 'read_many_files'] },
  { kind: 'search', names: ['Grep', 'grep', 'grep_search', 'search_file_content'] },
  { kind: 'search', names: ['Glob', 'glob', 'list_files', 'list_directory', 'list', 'LS'] },
  { kind: 'fetch', names: ['WebFetch', 'web_fetch', 'webfetch', 'fetch'] },
  { kind: 'fetch', names: ['WebSearch', 'google_web_search', 'web_search', 'websearch'] },
];

let byName: Map<string, (typeof toolFamilies)[number]> | undefined;

function familyOf(tool: string): (typeof toolFamilies)[number] | undefined {
  byName ??= new Map(toolFamilies.flatMap(family => family.names.map(name => [name.toLowerCase(), family] as const)));
  return byName.get(tool.toLowerCase());
}

/** The kind of a tool, whatever the agent calls it. */
export function toolKind(tool: string): ToolKind | undefined {
  return familyOf(tool)?.kind ?? (mcpName(tool) ? 'mcp' : undefined);
}

/** Every name a tool goes by: its own, its kind, and the names of the same tool in other agents. */
export function toolNames(tool: string): readonly string[] {
  const family = familyOf(tool);
  if (family) return [tool, family.kind, ...family.names];
  const mcp = mcpName(tool);
  return mcp ? [tool, 'mcp', mcp] : [tool];
}

/** The names of the tools of a kind. A notebook's cell is edited only by a tool that says so. */
export const kindFamilies = (kind: ToolKind): readonly (readonly string[])[] =>
  toolFamilies.filter(family => family.kind === kind && family.names[0] !== 'NotebookEdit').map(({ names }) => names);

/** What Claude calls the tool: as it is where the name is one of Claude's own, or one that Claude has no other for. */
export const claudeToolName = (tool: string): string =>
  claudeNames.has(tool) ? tool : (claudeFamilyName(tool) ?? tool);

/** Claude's first name for the tool and its like. */
export const claudeFamilyName = (tool: string): string | undefined => familyOf(tool)?.names[0] ?? mcpName(tool);

/** Of the names that stand for one tool in the table, Claude has had these as tools of their own. */
const claudeNames: ReadonlySet<string> = new Set(['MultiEdit', 'LS']);

/** A git command of which no one can tell which it is. */
export const anyGit = 'git_*';

/** The command text of a shell call, in whatever field the agent puts it; of all fields that may hold one, line by line. */
export function shellTextOf(input: unknown): string | undefined {
  const texts = shellTextsOf(input);
  return texts.length > 0 ? texts.join('\n') : commandTexts(input).find(text => text !== undefined);
}

/** As `shellTextOf`, each field by itself: no one knows which of them the agent runs, and one must not hide another. */
export const shellTextsOf = (input: unknown): readonly string[] => [
  ...new Set(commandTexts(input).filter((text): text is string => text !== undefined && text.trim() !== '')),
];

function commandTexts(input: unknown, depth = 0): readonly (string | undefined)[] {
  if (typeof input === 'string') return [input];
  if (Array.isArray(input)) return input.every(part => typeof part === 'string') ? [textOf(input)] : [];
  const { command, cmd, script, args, arguments: more, argv, commands, action } = fieldsOf(input);
  const rest = [args, more, argv].map(value => textOf(value) && ` ${textOf(value)}`).join('');
  const textsIn = (value: unknown): readonly (string | undefined)[] =>
    fieldsOf(value) === value && depth < maxDepth ? commandTexts(value, depth + 1) : [textOf(value)];
  const called = [command, cmd, script].flatMap(textsIn).map(text => (text?.trim() ? `${text}${rest}` : text));
  return [...called, textOf(argv), ...[commands].flat().flatMap(textsIn), ...textsIn(fieldsOf(action))];
}

const maxDepth = 5;

/** The file that a tool is called with, in whatever field the agent names it. */
export const fileOf = (input: unknown): string | undefined =>
  fileFields.map(name => fieldsOf(input)[name]).find(value => typeof value === 'string');

const fileFields = ['file_path', 'filePath', 'path', 'notebook_path'] as const;

/** All files that a tool is called with, in fields whose names say so. */
export function filesOf(input: unknown): readonly string[] {
  const first = fileOf(input);
  const others = Object.entries(fieldsOf(input)).flatMap(([name, value]) => (isFileField(name) ? pathsIn(value) : []));
  return [...new Set([...(first === undefined ? [] : [first]), ...others])];
}

/** `source`, `newPath`, `target_file`, `files`, `file_name`. */
const isFileField = (name: string): boolean =>
  (fileFields as readonly string[]).includes(name) ||
  // Most names are done with one look, before any expression is compiled.
  (fileHints.some(hint => name.toLowerCase().includes(hint)) && isFileName(name));

const fileHints = ['path', 'file', 'source', 'src', 'dest', 'dst', 'target', 'uri', 'from', 'to'];

const isFileName = (name: string): boolean =>
  /^(path|file|source|src|destination|dest|dst|target|uri|from|to)s?$/i.test(
    name
      .replace(/(?<=path|file)[_-]?name(?=s?$)/i, '')
      .split(/[_-]|(?<=[a-z])(?=[A-Z])/)
      .at(-1)!,
  );

const pathsIn = (value: unknown): readonly string[] =>
  [value].flat().flatMap(one => (typeof one === 'string' ? [one.replace(/^file:\/\//, '')] : filesOf(one)));

/** The command line in one field. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? commandLine(value.flat(3).map(plainText)) : undefined;
}

const plainText = (part: unknown): string => (typeof part === 'object' && part !== null ? '{}' : String(part));

/** `["bash", "-lc", "a && b"]` as one command line. */
const commandLine = (argv: readonly string[]): string =>
  argv.map(part => (/^[\w./=:@%+,-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`)).join(' ');

/** `mcp__SERVER__TOOL` from the spellings of the agents (Gemini: `mcp_SERVER_TOOL`). */
function mcpName(tool: string): string | undefined {
  if (/^mcp__.+__.+/.test(tool)) return tool;
  const parts = /^mcp_([^_]+)_(.+)$/.exec(tool);
  return parts ? `mcp__${parts[1]}__${parts[2]}` : undefined;
}
