import { doubtFrom, isOpen, mark, markAll, type Reading, stdinFile } from './reading.ts';

const named = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;
const arithmeticTests = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);
const nameTests = new Set(['-v', '-R']);
const declarations = ['declare', 'typeset', 'local', 'export', 'readonly', 'integer'];
const nameTakers = ['unset', 'read', 'getopts', 'let', 'wait', 'hash'];

type Reader = (reading: Reading, at: number, to: number, program: string) => void;

/** Builtins that evaluate some of their arguments: bash runs `$(...)` in a subscript. */
export const builtins: readonly (readonly [name: string, read: Reader])[] = [
  ...declarations.map(name => [name, readDeclaration] as const),
  ...nameTakers.map(name => [name, readNames] as const),
  ['printf', readPrintf],
  ['test', readTest],
  ['[', readTest],
  ['[[', readConditional],
  ['.', readSource],
  ['source', readSource],
];

function readNames(reading: Reading, at: number, to: number, program: string): void {
  if (program === 'let') reading.evaluates = true;
  markAll(reading, at + 1, to, 'name', program);
}

function readSource(reading: Reading, at: number, _to: number, program: string): void {
  mark(reading, at + 1, 'program', program);
  reading.scripts.push(at + 1);
  if (stdinFile.test(reading.words[at + 1]?.text ?? '')) reading.stdin = 'shell';
}

function readDeclaration(reading: Reading, at: number, to: number, program: string): void {
  let evaluates = program === 'integer';
  for (let index = at + 1; index < to; index++) {
    const word = reading.words[index]!;
    if (/^[-+]/.test(word.prefix)) {
      // An integer variable evaluates what it is given, a reference what it names.
      if (word.text === undefined || /[in]/.test(word.text)) evaluates = true;
    } else if (isOpen(word)) evaluates = true;
    if (evaluates) reading.evaluates = true;
    if (evaluates || !named.test(word.prefix)) mark(reading, index, 'name', program);
    else reading.assignments.push(index);
  }
}

function readPrintf(reading: Reading, at: number, to: number): void {
  const format = reading.words[at + 1];
  if (!format || at + 1 >= to) return;
  if (format.prefix.startsWith('-v')) markAll(reading, at + 1, to, 'name', 'printf -v');
  else if (format.expands === 'many') doubtFrom(reading, at + 1, 'printf');
  else if (isOpen(format)) mark(reading, at + 1, 'option', 'printf');
  else if (format.text === undefined && format.prefix.startsWith('-')) mark(reading, at + 1, 'name', 'printf');
}

function readTest(reading: Reading, at: number, to: number, program: string): void {
  for (let index = at + 1; index < to; index++) {
    const before = reading.words[index - 1]!;
    const operator = index - 1 === at ? '' : before.text;
    if (operator === undefined || nameTests.has(operator)) mark(reading, index, 'name', program);
  }
}

/** In bash `&&` and `||` belong to `[[ ]]`: what stands behind them is a test too. */
export function readConditional(reading: Reading, at: number, to: number): void {
  const { words } = reading;
  for (let index = at + 1; index < to; index++) {
    const text = words[index]!.text ?? '';
    if (arithmeticTests.has(text) || nameTests.has(text)) {
      reading.evaluates = true;
      markAll(reading, at + 1, to, 'name', '[[');
      return;
    }
  }
}

/** Editors run what they find in `+...`, behind their options and, unless they edit it, on stdin. */
export function readEditor(reading: Reading, at: number, to: number, program: string): void {
  const { words } = reading;
  const isLineEditor = program === 'ed' || program === 'red';
  let ended = false;
  reading.stdin = 'other';
  for (let index = at + 1; index < to; index++) {
    const word = words[index]!;
    const before = index - 1 === at ? '' : (words[index - 1]!.text ?? '-');
    if (word.text === '--') ended = true;
    // To `ed` a file name that starts with `!` is a command.
    else if (isOpen(word) && (!ended || isLineEditor)) mark(reading, index, roleBehind(before, isLineEditor), program);
    else if (!ended && (/^[-+]/.test(word.prefix) || /^[-+]/.test(before))) mark(reading, index, 'code', program);
    else if (isLineEditor && word.prefix.startsWith('!')) mark(reading, index, 'code', program);
  }
}

const roleBehind = (before: string, isLineEditor: boolean) =>
  /^-[^-]|^--./.test(before) && !isLineEditor ? 'code' : 'option';

const execOption =
  /^(-e|-x|-X|-c|-O|-u|-I|--(exec\w*|exec-batch|rsh|upload-pack|receive-pack|config|config-env|extcmd|to-command|use-compress-program|compress-program|checkpoint-action|info-script|new-volume-script|rmt-command|rsync-path|pre|unzip-command|use-askpass|toolexec|open-files-in-pager))(=|$)/;

/** Programs that some option makes run another program. */
export function readRisky(reading: Reading, at: number, to: number, program: string): void {
  const { words } = reading;
  for (let index = at + 1; index < to; index++) {
    const word = words[index]!;
    if (word.text === '--') return;
    if (execOption.test(word.prefix)) mark(reading, word.text === undefined ? index : index + 1, 'code', program);
    else if (word.text === undefined && /^-[^-]/.test(word.prefix)) mark(reading, index, 'option', program);
    if (isOpen(word)) mark(reading, index, 'option', program);
  }
}

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

/** Their value is the name of a file where it starts with `@` (or has one in it, behind `-F` and its like). */
const readsAtStart = /^(-[a-zA-Z]*[dHbw]|--(data|data-ascii|data-binary|json|header|cookie|write-out|variable))$/;
const readsAnywhere = /^(-[a-zA-Z]*F|--(form|data-urlencode|url-query))$/;
/** Their value is a file to read or write, or settings. */
const namesFile =
  /^(-[a-zA-Z]*[KToDc]|--(config|upload-file|output|dump-header|cookie-jar|netrc-file|stderr|trace\w*))$/;
const takesPlain = /^(-[a-zA-Z]*[AeuXm]|--(data-raw|form-string|url|user-agent|referer|user|request|max-time))$/;

/** Marks the words of curl that send a file, or that would be another of its options. */
export function readCurl(reading: Reading, at: number, to: number): void {
  const { words } = reading;
  for (let index = at + 1; index < to; index++) {
    const word = words[index]!;
    const before = words[index - 1]!.text ?? '';
    if (word.text !== undefined) continue;
    if (readsAnywhere.test(before)) mark(reading, index, 'content', `curl ${before}`);
    else if (readsAtStart.test(before)) readContent(reading, index, before, word.prefix);
    else if (word.prefix.startsWith('-')) readGluedText(reading, index, word.prefix);
    else if (isOpen(word) && !takesPlain.test(before))
      mark(reading, index, namesFile.test(before) ? 'code' : 'option', 'curl');
  }
}

function readContent(reading: Reading, index: number, option: string, text: string): void {
  if (text === '' || text.startsWith('@')) mark(reading, index, 'content', `curl ${option}`);
}

/** `-dTEXT`; curl knows no `--data=TEXT`. */
function readGluedText(reading: Reading, index: number, prefix: string): void {
  const option = /^-[dHAeu]/.exec(prefix)?.[0];
  if (option === undefined) mark(reading, index, 'code', 'curl');
  else if (/[dH]/.test(option)) readContent(reading, index, option, prefix.slice(2));
}
