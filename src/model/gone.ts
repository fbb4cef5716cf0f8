/** The end of every command that `install` writes: how it is found again. */
export const ownMark = '# hookloop';

/** What people read where hookloop or a part of it is gone, which `what` says. `file` holds the entry that has called. */
export const goneText = (what: string, file?: string): string =>
  `${what}; ${installAgain}${file === undefined ? '' : orRemoveFrom + file}`;

export const installAgain = 'install hookloop again (npm install --global hookloop)';
export const orRemoveFrom = `, or remove the hooks that end in ${ownMark} from `;

/** The file that an entry says it stands in, also for programs that have no parser of options at hand. */
export function entryFile(words: readonly string[]): string | undefined {
  const at = words.indexOf('--from');
  return at === -1 ? undefined : words[at + 1];
}
