import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { makePrivateFolder, writeAtomically } from '../../platform/files.ts';

/** How to take an installation back exactly. Holds only the text that was replaced: settings may hold secrets. */
interface InstallRecord {
  file: string;
  /** Hash of the file as we left it. */
  left: string;
  /** Absent: there was no file. */
  undo?: { at: number; length: number; text: string };
  /** Made for it, outermost first. */
  folders: readonly string[];
}

export type Records = ReturnType<typeof openRecords>;

/** Kept outside the project; undefined: nowhere. Contract: what cannot be kept or read is as if it had never been there. */
export function openRecords(folder: string | undefined) {
  const names = (): string[] => (folder !== undefined && existsSync(folder) ? readdirSync(folder) : []);
  const fileOf = (file: string): string => join(folder ?? '', `${hashOf(file).slice(0, 32)}.json`);
  const keep = (record: InstallRecord): void => {
    try {
      if (folder === undefined) return;
      makePrivateFolder(folder);
      writeAtomically(fileOf(record.file), JSON.stringify(record));
    } catch {
      // Said in the contract.
    }
  };
  return {
    of(file: string): InstallRecord | undefined {
      const record = folder === undefined ? undefined : read(fileOf(file));
      return record?.file === file ? record : undefined;
    },
    keep,
    drop(file: string): void {
      if (folder !== undefined) rmSync(fileOf(file), { force: true });
    },
    /** Folders that could not go yet, since other files of ours stand in them: the last of these takes them along. */
    handOn(folders: readonly string[]): void {
      for (const record of names().flatMap(name => read(join(folder!, name)) ?? [])) {
        const around = folders.filter(made => isAround(made, record.file) && !record.folders.includes(made));
        if (around.length > 0) keep({ ...record, folders: [...around, ...record.folders] });
      }
    },
    isEmpty: (): boolean => folder !== undefined && names().length === 0,
  };
}

function read(path: string): InstallRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(path, 'utf8')) as InstallRecord;
    return Array.isArray(record.folders) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** The way to the file may lead through links; the folders that were made are real ones. */
function isAround(folder: string, file: string): boolean {
  try {
    return `${realpathSync(dirname(file))}${sep}`.startsWith(`${folder}${sep}`);
  } catch {
    return false;
  }
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The one piece in which two texts differ. */
export function undoOf(before: string, after: string): NonNullable<InstallRecord['undo']> {
  let at = 0;
  while (at < before.length && at < after.length && before[at] === after[at]) at += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - at;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return { at, length: after.length - at - tail, text: before.slice(at, before.length - tail) };
}

/** The text before the installation; undefined if it has changed since. */
export function takenBack(record: InstallRecord | undefined, text: string): { before: string | undefined } | undefined {
  if (record?.left !== hashOf(text)) return undefined;
  const { undo } = record;
  if (!undo) return { before: undefined };
  return { before: text.slice(0, undo.at) + undo.text + text.slice(undo.at + undo.length) };
}
