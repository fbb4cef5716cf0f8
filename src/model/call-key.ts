import { fieldsOf, isObject } from './json.ts';
import { type Call, callFiles, callKinds, claudeFamilyName, shellTextOf } from './tool-call.ts';

/** Names a call by everything that a hook could tell it from another by: two calls of one key get one answer. */
export const callKey = (call: Call, root: string): string =>
  JSON.stringify(
    inOrder([namesOf(call), [...callKinds(call)].sort(), filesOf(call, root), withoutRemarks(call, root)]),
  );

/**
 * An agent's own hooks and its protocol tell of one call in ways of their own (a patch and a diff, with a folder and
 * without): whether they can mean the same.
 */
export function isToldTwice(inProtocol: Call, byHooks: Call, root: string): boolean {
  const [does, known] = [callKinds(inProtocol), callKinds(byHooks)];
  if ((['shell', 'edit'] as const).some(kind => does.has(kind) && !known.has(kind))) return false;
  if (contradict(withoutRemarks(inProtocol, root), withoutRemarks(byHooks, root))) return false;
  if (does.has('shell')) return commandOf(inProtocol) === commandOf(byHooks);
  if (!does.has('edit')) return familyOf(inProtocol.tool) === familyOf(byHooks.tool);
  const files = filesOf(byHooks, root);
  return filesOf(inProtocol, root).every(file => files.includes(file));
}

/** Whether a field that both have is not the same in both. */
const contradict = (one: unknown, other: unknown): boolean =>
  Object.entries(fieldsOf(one)).some(
    ([name, value]) => Object.hasOwn(fieldsOf(other), name) && !isSame(value, fieldsOf(other)[name]),
  );

const commandOf = ({ input }: Call): string | undefined => shellTextOf(input)?.trim();

/** The names of one tool in several agents are one name: some agents tell theirs only when the call is done. */
const namesOf = ({ tool, facts }: Call): string[] =>
  [...new Set([tool ?? '', ...(facts?.names ?? [])].map(name => familyOf(name) ?? ''))].sort();

const familyOf = (tool: string | undefined): string | undefined =>
  tool === undefined ? undefined : (claudeFamilyName(tool) ?? tool);

const filesOf = (call: Call, root: string): string[] =>
  [...new Set(callFiles(call).map(file => absolute(file, root)))].sort();

/** The model knows no Node: a path without `.`, `..` and what stands twice. */
function absolute(file: string, root: string): string {
  const parts: string[] = [];
  for (const part of (file.startsWith('/') ? file : `${root}/${file}`).split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  return `/${parts.join('/')}`;
}

/** Of a command agents tell now with and now without what it is for, how long it may take, and that it runs where all do. */
function withoutRemarks(call: Call, root: string): unknown {
  const { input } = call;
  const kinds = callKinds(call);
  if (!kinds.has('shell') || kinds.has('mcp') || !isObject(input)) return input;
  return Object.fromEntries(
    Object.entries(input).filter(
      ([name, value]) => !remarks.has(name) && !(folders.has(name) && (value === root || value === '')),
    ),
  );
}

const remarks: ReadonlySet<string> = new Set(['description', 'title', 'timeout']);
const folders: ReadonlySet<string> = new Set(['cwd', 'workdir']);

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));

/** Fields in one order, whatever order they came in. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, held]) => [name, inOrder(held)]);
}
