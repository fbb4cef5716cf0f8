/** What decides about the work, so that the work must not decide about it: as `protect` of hookloop.yaml has it. */
export interface Protect {
  /** Paths and globs from the root, some with a JSON pointer behind `#`: `test/**`, `package.json#/scripts`. */
  files: readonly string[];
  /** A change with which a gate passes and without which it fails is put to a person. */
  asks?: true;
  /** What the clean worktree has in common with the project: a link each. */
  share: readonly string[];
}

/** The gates that are looked at once more where something protected changed. */
export const recheckedEvents: ReadonlySet<string> = new Set(['task.completing', 'turn.ending']);

/** A path, and the names on the way to a value in that JSON file; without them all of it is meant. */
export interface ProtectedPath {
  path: string;
  pointer?: readonly string[];
}

type ReadPath = ({ kind: 'path' } & ProtectedPath) | { kind: 'flaw'; message: string; hint: string };

/** Reads `package.json#/scripts`, `test/**`, `Makefile`. A folder stands for all that is in it. */
export function readProtectedPath(written: string): ReadPath {
  const at = written.indexOf('#');
  const path = plainOf(at === -1 ? written : written.slice(0, at));
  const flaw = pathFlaw(path) ?? openBracketIn(path);
  if (flaw) return { kind: 'flaw', ...flaw };
  if (at === -1) return { kind: 'path', path };
  const pointer = readPointer(written.slice(at + 1));
  if (pointer) return { kind: 'path', path, pointer };
  const message = `"${written.slice(at + 1)}" is not a JSON pointer`;
  return { kind: 'flaw', message, hint: 'write #/NAME/NAME, as in "package.json#/scripts"' };
}

/** What is shared is named, not matched: a link is made of it. */
export function sharedFlaw(written: string): { message: string; hint: string } | undefined {
  const path = plainOf(written);
  if (/[*?[{#]/.test(path))
    return { message: `"${path}" is no plain path`, hint: 'write a folder, as in node_modules' };
  return pathFlaw(path);
}

const plainOf = (path: string): string => path.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');

function pathFlaw(path: string): { message: string; hint: string } | undefined {
  const hint = 'write it from the folder of hookloop.yaml, as in "test/**"';
  if (path === '' || path === '.') return { message: 'a path is missing', hint };
  if (path.startsWith('/') || path.split('/').includes('..'))
    return { message: `"${path}" is not a path in the project`, hint };
  if (path.split('/').includes('.git')) return { message: 'what is in .git is no part of the work', hint: 'remove it' };
  return path.includes('\0') ? { message: 'a path cannot hold NUL', hint: 'remove it' } : undefined;
}

function openBracketIn(path: string): { message: string; hint: string } | undefined {
  const plain = path
    .replaceAll(/\\./g, '')
    .replaceAll(/\[.[^\]]*\]/g, '')
    .replaceAll(/\{[^{}]*\}/g, '');
  if (!/[[\]{}]/.test(plain)) return undefined;
  return { message: `"${path}" has a bracket without its other half`, hint: 'close it, or write \\ before it' };
}

/** RFC 6901. */
function readPointer(text: string): string[] | undefined {
  if (!text.startsWith('/') || text === '/' || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split('/')
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
