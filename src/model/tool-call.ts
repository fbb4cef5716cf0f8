import type { HookEvent } from './event.ts';
import { claudeFamilyName, filesOf, kindFamilies, shellTextsOf, type ToolKind, toolKind, toolNames } from './tools.ts';

/** A tool call as an event tells of it. */
type Call = Pick<HookEvent, 'tool' | 'input' | 'file' | 'facts'>;

/** What a call does, by everything that is known of it: its names, what the agent's protocol says of it, and its input. */
export const callKinds = (call: Call): ReadonlySet<ToolKind> =>
  new Set([...namedKinds(call), ...(call.facts?.kinds ?? []), ...inputKinds(call)]);

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

const fieldsOf = (input: unknown): Readonly<Record<string, unknown>> =>
  typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};

/** The error of a call of which the agent has not told how it ended: no one knows whether it failed. */
export const unheardEnd = 'the turn ended before the call did';
