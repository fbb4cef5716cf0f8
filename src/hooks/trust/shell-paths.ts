import type { ShellText, Word } from '../../shell/texts.ts';

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

/** What a word is in its text, without quotes. Its expansions stay as they are written. */
const sourceOf = ({ text }: ShellText, { start, end }: { start: number; end: number }): string =>
  start < 0 ? '' : text.slice(start, end).replaceAll(/\\(["$`\\])|["']/g, (_whole, escaped?: string) => escaped ?? '');

/** What the texts set their variables to, as it is written there. */
function assignedIn(texts: readonly ShellText[]): ReadonlyMap<string, readonly string[]> {
  const sources = new Map<string, string[]>();
  const add = (name: string, source: string): void => {
    const known = sources.get(name);
    if (known === undefined) sources.set(name, [source]);
    else if (known.length < most) known.push(source);
  };
  for (const read of texts)
    for (const { kind, words, assignments } of read.commands) {
      // Where a whole word is quoted (`export "X=$Y"`) its sign of equality comes before the value.
      for (const { name, value } of assignments) add(name, sourceOf(read, value).replace(/^=/, ''));
      const [first, ...items] = kind === 'for' ? words : [];
      for (const item of items) add(first?.text ?? '', sourceOf(read, item));
    }
  return sources;
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
