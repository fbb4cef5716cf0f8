import { doubtFrom, isOpen, mark, markAll, type Reading } from './reading.ts';

const globalTakes = new Set([
  ...['-C', '--git-dir', '--work-tree', '--namespace', '--super-prefix', '--attr-source'],
  ...['-c', '--config-env'],
]);

/** Where git's own command stands: behind its global options. */
export function gitCommandAt({ words }: Reading, at: number, to: number): number {
  let index = at + 1;
  for (; index < to; index++) {
    const { prefix, text } = words[index]!;
    if (!prefix.startsWith('-')) break;
    if (text !== undefined && globalTakes.has(text)) index++;
  }
  return index;
}

export function readGit(reading: Reading, at: number, to: number): void {
  const { words } = reading;
  const place = gitCommandAt(reading, at, to);
  for (let index = at + 1; index < Math.min(place, to); index++) {
    const before = words[index - 1]!.text ?? '';
    if (words[index]!.prefix.startsWith('-') || before === '-c' || before === '--config-env') {
      mark(reading, index, 'code', 'git');
    }
  }
  if (place >= to) return;
  const command = words[place]!.text;
  const after = words[place + 1]?.text;
  if (command === undefined) {
    doubtFrom(reading, place, 'git');
    return;
  }
  const runs = (command === 'bisect' && after === 'run') || (command === 'submodule' && after === 'foreach');
  if (runs || command === 'filter-branch' || command === 'config') {
    markAll(reading, place + 1, to, 'code', `git ${command}`);
  } else readArguments(reading, place, to, `git ${command}`);
}

const runsValue =
  /^(-[sxOucX]|--(exec|strategy|strategy-option|upload-pack|receive-pack|config|extcmd|tool|open-files-in-pager|smtp-server|sendmail-cmd|to-cmd|cc-cmd|template|gpg-sign))(=|$)/;
/** Their value is text, also where it starts with a dash. */
const takesText = /^(-[a-z]*m|-[bB]|--(message|author|date|trailer))$/;

/** Every git command has options that write files or run programs: `git log --output=FILE`, `git merge -s NAME`. */
function readArguments(reading: Reading, at: number, to: number, program: string): void {
  const { words } = reading;
  for (let index = at + 1; index < to; index++) {
    const word = words[index]!;
    const before = words[index - 1]!.text ?? '';
    if (word.text === '--' || word.text === '--end-of-options') return;
    if (runsValue.test(before) && !before.includes('=')) mark(reading, index, 'code', program);
    else if (word.text !== undefined) continue;
    else if (word.prefix.startsWith('-')) readGlued(reading, index, program);
    else if (isOpen(word) && !takesText.test(before)) mark(reading, index, 'option', program);
  }
}

/** `-mTEXT` and `--message=TEXT`. */
function readGlued(reading: Reading, index: number, program: string): void {
  const { prefix } = reading.words[index]!;
  const isText = /^--[\w-]+=/.test(prefix) || /^-[mbB]/.test(prefix);
  if (!isText || runsValue.test(prefix)) mark(reading, index, 'code', program);
}
