import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How to take an installation back exactly. Holds only the text that was replaced: settings may hold secrets. */
export interface InstallRecord {
  file: string;
  /** Hash of the file as we left it. */
  left: string;
  /** Absent: there was no file. */
  undo?: { at: number; length: number; text: string };
  folders: readonly string[];
}

export interface Records {
  of(file: string): InstallRecord | undefined;
  keep(record: InstallRecord): void;
  drop(file: string): void;
  isEmpty(): boolean;
}

/** Kept outside of the project. Contract: what cannot be kept or read is as if it had never been there. */
export function openRecords(folder: string | undefined): Records {
  if (folder === undefined) return { of: () => undefined, keep: () => {}, drop: () => {}, isEmpty: () => false };
  const place = (file: string): string => join(folder, `${hashOf(file).slice(0, 32)}.json`);
  return {
    of(file) {
      try {
        const record = JSON.parse(readFileSync(place(file), 'utf8')) as InstallRecord;
        return record.file === file ? record : undefined;
      } catch {
        return undefined;
      }
    },
    keep(record) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(place(record.file), JSON.stringify(record), { mode: 0o600 });
      } catch {
        // Said in the contract.
      }
    },
    drop: file => rmSync(place(file), { force: true }),
    isEmpty: () => !existsSync(folder) || readdirSync(folder).length === 0,
  };
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
