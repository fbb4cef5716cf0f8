import type { Word } from '../../shell/syntax/scan.ts';
import { type ShellText, sourceOf } from './command-texts.ts';
import { assignedIn } from './expansions.ts';

/** The paths that a word may stand for: with variables that the text sets, braces, and `~` for the home. Patterns stay patterns. */
export type PathsOf = (read: ShellText, word: Word) => readonly string[];

const most = 60;

export function pathsIn(texts: readonly ShellText[]): PathsOf {
  const assigned = assignedIn(texts);
  const valuesOf = (name: string): readonly string[] =>
    assigned.get(name) ?? (Object.hasOwn(usual, name) ? [usual[name]!] : []);

  function filled(source: string): string[] {
    const done: string[] = [];
    // A value may name its own variable: what is still open after so many steps is left.
    const open = [source];
    for (let step = 0; open.length > 0 && step < most; step++) {
      const next = open.shift()!;
      const match = variable.exec(next);
      if (!match) {
        if (!/[$`]/.test(next)) done.push(...unbraced(next));
        continue;
      }
      const [whole, plain, braced, otherwise] = match;
      const name = plain ?? braced;
      const values = name === undefined ? ['.'] : [...valuesOf(name), ...(otherwise === undefined ? [] : [otherwise])];
      for (const value of values) open.push(next.replace(whole, () => value));
    }
    return done;
  }

  return (read, word) => {
    if (word.text !== undefined) return [word.text];
    const paths = filled(sourceOf(read, word)).slice(0, most);
    // Of what cannot be told its folder, as far as it is written.
    return paths.length > 0 ? paths : [word.prefix.slice(0, word.prefix.lastIndexOf('/') + 1)];
  };
}

/** The innermost: what it may stand for otherwise holds no further one. */
const variable = /\$(\w+)|\$\{(\w+)(?::?[-=]([^{}$]*))?\}|\$\(pwd\)|`pwd`/;

const usual: Readonly<Record<string, string>> = {
  ...{ HOME: '~', PWD: '.', CLAUDE_PROJECT_DIR: '.', GEMINI_PROJECT_DIR: '.' },
  ...{ XDG_CONFIG_HOME: '~/.config', XDG_STATE_HOME: '~/.local/state' },
};

/** `{a,b}.sh` as `a.sh` and `b.sh`. */
function unbraced(text: string): string[] {
  const [whole, inner] = /\{([^{}]*,[^{}]*)\}/.exec(text) ?? [];
  if (whole === undefined) return [text];
  return inner!
    .split(',')
    .slice(0, most)
    .flatMap(part => unbraced(text.replace(whole, () => part)))
    .slice(0, most);
}

/**
 * Which of the known paths, or folders above them, a pattern of a shell matches; `**` stands for any folders. Without one
 * it is the path itself.
 */
export function matchesOf(path: string, known: readonly string[]): readonly string[] {
  if (!/[*?[]/.test(path)) return [path];
  if (path.includes('**')) return known.filter(each => patternOf(path).test(each));
  const parts = path.split('/');
  return known.flatMap(each => {
    const own = each.split('/');
    const length = Math.min(parts.length, own.length);
    const start = own.slice(0, length).join('/');
    return patternOf(parts.slice(0, length).join('/')).test(start) ? [start] : [];
  });
}

const patternOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob.replaceAll(/\*\*\/|\*|\?|\[[^\]/]*\]|[\\^$.*+?()[\]{}|]/g, part => {
      if (part === '**/') return '(?:.*/)?';
      if (part === '*') return '[^/]*';
      return part === '?' || part.length > 1 ? '[^/]' : `\\${part}`;
    })}$`,
  );
