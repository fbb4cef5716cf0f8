import {
  argumentsOf,
  assign,
  doubtFrom,
  isOpen,
  mark,
  markFrom,
  type Reading,
  type Run,
  stdinFile,
} from './reading.ts';

const named = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;
const tests = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-v', '-R']);
const declarations = ['declare', 'typeset', 'local', 'export', 'readonly', 'integer'];
const nameTakers = ['unset', 'read', 'getopts', 'let', 'wait', 'hash'];

/** Builtins that evaluate some of their arguments: bash runs `$(...)` in a subscript. */
export const builtins: readonly (readonly [name: string, read: (run: Run) => void])[] = [
  ...declarations.map(name => [name, readDeclaration] as const),
  ...nameTakers.map(name => [name, readNames] as const),
  ['printf', readPrintf],
  ['test', readTest],
  ['[', readTest],
  ['[[', readConditional],
  ['.', readSource],
  ['source', readSource],
];

function readNames(run: Run): void {
  if (run.program === 'let') run.reading.evaluates = true;
  markFrom(run, run.at + 1, 'name');
}

function readSource(run: Run): void {
  const { reading, at } = run;
  mark(run, at + 1, 'program');
  reading.scripts.push(at + 1);
  if (stdinFile.test(reading.words[at + 1]?.text ?? '')) reading.stdin = 'shell';
}

function readDeclaration(run: Run): void {
  const { reading, program } = run;
  let evaluates = program === 'integer';
  for (const { index, word } of argumentsOf(run)) {
    if (/^[-+]/.test(word.prefix)) {
      // An integer variable evaluates what it is given, a reference what it names.
      if (word.text === undefined || /[in]/.test(word.text)) evaluates = true;
    } else if (isOpen(word)) evaluates = true;
    if (evaluates) reading.evaluates = true;
    if (evaluates || !named.test(word.prefix)) mark(run, index, 'name');
    else assign(run, word);
  }
}

function readPrintf(run: Run): void {
  const [first] = argumentsOf(run);
  if (!first) return;
  const { index, word } = first;
  if (word.prefix.startsWith('-v')) markFrom(run, index, 'name', 'printf -v');
  else if (word.expands === 'many') doubtFrom(run, index);
  else if (isOpen(word)) mark(run, index, 'option');
  else if (word.text === undefined && word.prefix.startsWith('-')) mark(run, index, 'name');
}

function readTest(run: Run): void {
  for (const { index, before } of argumentsOf(run, run.at + 2))
    if (before === undefined || before === '-v' || before === '-R') mark(run, index, 'name');
}

/** In bash `&&` and `||` belong to `[[ ]]`: what stands behind them is a test too. */
export function readConditional(run: Run): void {
  for (const { word } of argumentsOf(run))
    if (tests.has(word.text ?? '')) {
      run.reading.evaluates = true;
      markFrom(run, run.at + 1, 'name', '[[');
      return;
    }
}

/** Editors run what they find in `+...`, behind their options and, unless they edit it, on stdin. */
export function readEditor(run: Run): void {
  const isLineEditor = run.program === 'ed' || run.program === 'red';
  let ended = false;
  run.reading.stdin = 'other';
  for (const { index, word, before: last } of argumentsOf(run)) {
    const before = index - 1 === run.at ? '' : (last ?? '-');
    if (word.text === '--') ended = true;
    // To `ed` a file name that starts with `!` is a command.
    else if (isOpen(word) && (!ended || isLineEditor)) mark(run, index, roleBehind(before, isLineEditor));
    else if (!ended && (/^[-+]/.test(word.prefix) || /^[-+]/.test(before))) mark(run, index, 'code');
    else if (isLineEditor && word.prefix.startsWith('!')) mark(run, index, 'code');
  }
}

const roleBehind = (before: string, isLineEditor: boolean) =>
  /^-[^-]|^--./.test(before) && !isLineEditor ? 'code' : 'option';

const execOption =
  /^(-e|-x|-X|-c|-O|-u|-I|--(exec\w*|exec-batch|rsh|upload-pack|receive-pack|config|config-env|extcmd|to-command|use-compress-program|compress-program|checkpoint-action|info-script|new-volume-script|rmt-command|rsync-path|pre|unzip-command|use-askpass|toolexec|open-files-in-pager))(=|$)/;

/** Programs that some option makes run another program. */
export function readRisky(run: Run): void {
  for (const { index, word } of argumentsOf(run)) {
    if (word.text === '--') return;
    if (execOption.test(word.prefix)) mark(run, word.text === undefined ? index : index + 1, 'code');
    else if (word.text === undefined && /^-[^-]/.test(word.prefix)) mark(run, index, 'option');
    if (isOpen(word)) mark(run, index, 'option');
  }
}

const globalTakes = new Set(
  '-C -c --git-dir --work-tree --namespace --super-prefix --attr-source --config-env'.split(' '),
);

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

export function readGit(run: Run): void {
  const { reading, at, to } = run;
  const { words } = reading;
  const place = gitCommandAt(reading, at, to);
  for (const { index, word, before } of argumentsOf({ ...run, to: Math.min(place, to) }))
    if (word.prefix.startsWith('-') || before === '-c' || before === '--config-env') mark(run, index, 'code');
  if (place >= to) return;
  const command = words[place]!.text;
  if (command === undefined) {
    doubtFrom(run, place);
    return;
  }
  const own = { ...run, at: place, program: `git ${command}` };
  const after = words[place + 1]?.text;
  const runs = (command === 'bisect' && after === 'run') || (command === 'submodule' && after === 'foreach');
  if (runs || command === 'filter-branch' || command === 'config') markFrom(own, place + 1, 'code');
  else readGitOptions(own);
}

const runsValue =
  /^(-[sxOucX]|--(exec|strategy|strategy-option|upload-pack|receive-pack|config|extcmd|tool|open-files-in-pager|smtp-server|sendmail-cmd|to-cmd|cc-cmd|template|gpg-sign))(=|$)/;
/** Their value is text, also where it starts with a dash. */
const takesText = /^(-[a-z]*m|-[bB]|--(message|author|date|trailer))$/;

/** Every git command has options that write files or run programs: `git log --output=FILE`, `git merge -s NAME`. */
function readGitOptions(run: Run): void {
  for (const { index, word, before = '' } of argumentsOf(run)) {
    if (word.text === '--' || word.text === '--end-of-options') return;
    if (word.text?.startsWith('--exec=') || (runsValue.test(before) && !before.includes('='))) mark(run, index, 'code');
    else if (word.text !== undefined) continue;
    else if (word.prefix.startsWith('-')) {
      // `-mTEXT` and `--message=TEXT`
      const isText = /^--[\w-]+=/.test(word.prefix) || /^-[mbB]/.test(word.prefix);
      if (!isText || runsValue.test(word.prefix)) mark(run, index, 'code');
    } else if (isOpen(word) && !takesText.test(before)) mark(run, index, 'option');
  }
}

/** Their value is the name of a file where it starts with `@` (or has one in it, behind `-F` and its like). */
const readsAtStart = /^(-[a-zA-Z]*[dHbw]|--(data|data-ascii|data-binary|json|header|cookie|write-out|variable))$/;
const readsAnywhere = /^(-[a-zA-Z]*F|--(form|data-urlencode|url-query))$/;
/** Their value is a file to read or write, or settings. */
const namesFile =
  /^(-[a-zA-Z]*[KToDc]|--(config|upload-file|output|dump-header|cookie-jar|netrc-file|stderr|trace\w*))$/;
const takesPlain = /^(-[a-zA-Z]*[AeuXm]|--(data-raw|form-string|url|user-agent|referer|user|request|max-time))$/;

/** Marks the words of curl that send a file, or that would be another of its options. */
export function readCurl(run: Run): void {
  const readContent = (index: number, option: string, text: string): void => {
    if (text === '' || text.startsWith('@')) mark(run, index, 'content', `curl ${option}`);
  };
  for (const { index, word, before = '' } of argumentsOf(run)) {
    if (word.text !== undefined) continue;
    if (readsAnywhere.test(before)) mark(run, index, 'content', `curl ${before}`);
    else if (readsAtStart.test(before)) readContent(index, before, word.prefix);
    else if (word.prefix.startsWith('-')) {
      // `-dTEXT`; curl knows no `--data=TEXT`.
      const option = /^-[dHAeu]/.exec(word.prefix)?.[0];
      if (option === undefined) mark(run, index, 'code');
      else if (/[dH]/.test(option)) readContent(index, option, word.prefix.slice(2));
    } else if (isOpen(word) && !takesPlain.test(before)) mark(run, index, namesFile.test(before) ? 'code' : 'option');
  }
}
