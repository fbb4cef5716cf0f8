import { fill, isOpen, mark, type Reading } from './reading.ts';
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
