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

/** A part of the program that is gone or cut off: what it says is for people. */
export class BrokenPart extends Error {
  override readonly name = 'BrokenPart';
}

/** Which part of the program is gone or broken, so that this error is no bug; undefined where all are whole. By name: each bundle has a class of its own. */
export const brokenPart = (error: unknown): string | undefined =>
  error instanceof Error && error.name === 'BrokenPart' ? error.message : undefined;

/** What is said where the program itself fails, and its exit code. `file` holds the entry that has called, if one has. */
export function programFailure(error: unknown, file: string | undefined): { text: string; exitCode: number } {
  const broken = brokenPart(error);
  return broken === undefined
    ? { text: `hookloop: this is a bug: ${error instanceof Error ? error.stack : String(error)}\n`, exitCode: 70 }
    : { text: `hookloop: ${goneText(broken, file)}\n`, exitCode: 1 };
}
