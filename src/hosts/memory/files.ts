import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Two FNV-1a hashes: names of files, where what counts stands in the file itself. */
export function shortHash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x1234567];
  for (let at = 0; at < text.length; at += 1) {
    a = Math.imul(a ^ text.charCodeAt(at), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(at), 0x01000193) + at;
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}

/** Asks first: most are not there, and an error costs ten times the question. */
export function readIfThere(file: string): string | undefined {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

export function removeIfThere(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It was never there, or another process was faster.
  }
}

/** Fails if the file is there already; only the user can read it. */
export function createPrivate(file: string, text: string): void {
  const create = (): void => writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
  try {
    create();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    create();
  }
}

/** Fails if the file is not there. */
export function appendPrivate(file: string, text: string): void {
  const fd = openSync(file, constants.O_WRONLY | constants.O_APPEND);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** Appears whole or not at all. */
export function replacePrivate(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  createPrivate(temporary, text);
  renameSync(temporary, file);
}

/** Files of a folder that nobody has written for so long. Contract: never throws. */
export function removeOld(folder: string, ageMs: number): void {
  try {
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      if (Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > ageMs) removeIfThere(file);
    }
  } catch {
    // The folder is not there yet.
  }
}
