import { gitRisks } from './programs.ts';
import { doubtFrom, fill, isOpen, mark, markAll, type Reading } from './reading.ts';
import { readRun } from './roles.ts';

const execs = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const takesValue =
  /^-(name|iname|path|ipath|wholename|regex|iregex|lname|newer\w*|anewer|cnewer|type|user|group|perm|size|[acm]time|[acm]min|maxdepth|mindepth|fstype|samefile|inum|links|printf|used)$/;
const execOption =
  /^(-e|-x|-X|-c|-O|-u|-I|--(exec\w*|exec-batch|rsh|upload-pack|receive-pack|config|config-env|extcmd|to-command|use-compress-program|compress-program|checkpoint-action|info-script|new-volume-script|rmt-command|rsync-path|pre|unzip-command|use-askpass|toolexec|open-files-in-pager))(=|$)/;

export function readFind(reading: Reading, at: number, to: number, chain: number): void {
  const { words } = reading;
  let index = at + 1;
  while (index < to) {
    const word = words[index]!;
    if (word.text !== undefined && execs.has(word.text)) {
      let end = index + 1;
      while (end < to && words[end]!.text !== ';' && words[end]!.text !== '+') end++;
      for (let place = index + 1; place < end; place++) {
        if (`${words[place]!.prefix} ${words[place]!.suffix}`.includes('{}')) fill(reading, place);
      }
      readRun(reading, index + 1, end, chain + 1);
      index = end;
    } else if (isOpen(word) && !takesValue.test(words[index - 1]!.text ?? '')) mark(reading, index, 'option', 'find');
    index++;
  }
}

const gitTakes = new Set(['-C', '--git-dir', '--work-tree', '--namespace', '--super-prefix', '--attr-source']);

/** Where git's own command stands: behind its global options. */
export function gitCommandAt(reading: Reading, at: number, to: number): number {
  const { words } = reading;
  let index = at + 1;
  for (; index < to; index++) {
    const { prefix, text } = words[index]!;
    if (!prefix.startsWith('-')) break;
    if (text !== undefined && (gitTakes.has(text) || text === '-c' || text === '--config-env')) index++;
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
  if ((command === 'bisect' && after === 'run') || (command === 'submodule' && after === 'foreach')) {
    markAll(reading, place + 2, to, 'code', `git ${command}`);
    return;
  }
  if (command === 'filter-branch' || command === 'config') {
    markAll(reading, place + 1, to, 'code', `git ${command}`);
    return;
  }
  if (gitRisks.has(command)) readRisky(reading, place, to, `git ${command}`);
}

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
