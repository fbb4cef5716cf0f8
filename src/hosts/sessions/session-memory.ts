import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type Fields, fieldsOf, jsonOf } from '../../model/json.ts';
import { shortHash } from '../../platform/cache.ts';
import { inPrivateFolder, makePrivateFolder, removeQuietly, writeAtomically } from '../../platform/files.ts';

/*
 * What is remembered between two calls of an agent's session, each thing in a small file that is named by the session's
 * id. `memory`: the folder of all of them; without it, or without an id, nothing is remembered.
 */

/** The file of a session, where something can be remembered. */
const fileFor = (memory: string | undefined, folder: Folder, session: string | undefined): string | undefined =>
  memory === undefined || session === undefined
    ? undefined
    : join(memory, folder, `${shortHash(session)}${endings[folder]}`);

type Folder = keyof typeof endings;
const endings = { notes: '.txt', turns: '', roots: '.json', conversations: '.json' };

const maxChars = 64 * 1024;

/** Feedback that an agent's answer had no room for, kept until one has. Contract: never throws; what cannot be kept is lost, since no hook decides by it. */
export function openNotes(memory: string | undefined, session: string | undefined) {
  const file = fileFor(memory, 'notes', session);
  return {
    keep(text: string): void {
      if (file) isDone(() => inPrivateFolder(file, () => appendFileSync(file, `${text}\n`, { mode: 0o600 })));
    },
    take(): string {
      const taken = `${file}.${process.pid}`;
      // Of two processes only one may deliver it.
      if (!file || !existsSync(file) || !isDone(() => renameSync(file, taken))) return '';
      const text = (readIfThere(taken) ?? '').trim();
      removeQuietly(taken);
      return text.length > maxChars ? `${text.slice(0, maxChars)}\n[...]` : text;
    },
  };
}

/** The number that agents with a limit of their own agree on. */
const maxInARow = 8;

/**
 * Counts the refused turn ends of a session in a row. Where nothing can be kept nothing is refused: an agent that cannot
 * end its turn is worse than one that ends it early.
 */
export function openRefusedTurns(memory: string | undefined, session: string | undefined) {
  const file = fileFor(memory, 'turns', session);
  return {
    /** Whether one more turn may be refused; counts it if so. */
    mayRefuse(): boolean {
      const count = Number((file && readIfThere(file)) ?? 0);
      return file !== undefined && count < maxInARow && isDone(() => replacePrivate(file, String(count + 1)));
    },
    /** The agent has done something, or the turn has ended. */
    forget(): void {
      if (file) removeQuietly(file);
    },
  };
}

/**
 * The roots of an agent's session: all that any of its calls has found. What is found now is added; what was found
 * before stays, so that a new root, `.git` or `root: true` takes no gate away. Contract: never throws; where nothing can
 * be kept, what is found now counts.
 */
export function settleRoots(
  memory: string | undefined,
  session: string | undefined,
  found: readonly string[],
): readonly string[] {
  const file = fileFor(memory, 'roots', session);
  if (file === undefined) return found;
  const { session: of, roots: before } = readFields(file);
  const known: readonly string[] = of === session && Array.isArray(before) ? before : [];
  const added = found.filter(root => !known.includes(root));
  if (added.length === 0) return known;
  const roots = [...known, ...added];
  isDone(() => replacePrivate(file, JSON.stringify({ session, roots })));
  return roots;
}

/** A conversation of an agent that works for a session of ours. Calls that come over HTTP do not say so themselves. */
interface Working {
  conversation: string;
  /** The session's folder. */
  session: string;
}

/** Contract: throws what the file system says. */
export const keepConversation = (memory: string, working: Working): void =>
  replacePrivate(fileFor(memory, 'conversations', working.conversation)!, JSON.stringify(working));

/** Whether there has ever been one: most users have none, and then no payload has to be read for it. */
export const hasConversations = (memory: string): boolean => existsSync(join(memory, 'conversations'));

/** The folder of the session that a conversation works for. */
export function sessionOfConversation(memory: string, conversation: string): string | undefined {
  const kept = readFields(fileFor(memory, 'conversations', conversation)!);
  return kept['conversation'] === conversation && typeof kept['session'] === 'string' ? kept['session'] : undefined;
}

const maxLogBytes = 1024 * 1024;

/** Lines that no one has to read, in a file that does not grow without end. Contract: never throws. */
export const createLog =
  (memory: string | undefined, now: () => string): ((line: string) => void) =>
  line => {
    if (memory === undefined) return;
    const file = join(memory, 'log');
    isDone(() => {
      makePrivateFolder(memory);
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) truncateSync(file);
      appendFileSync(file, `${now()} ${line.replaceAll(/\s+/g, ' ')}\n`, { mode: 0o600 });
    });
  };

const dayMs = 24 * 60 * 60 * 1000;

/** What sessions that are over have left. A session may last, and its gates with it. */
export function removeOldMemory(memory: string): void {
  for (const name of ['notes', 'turns', 'conversations']) removeOld(join(memory, name), 7 * dayMs);
  for (const name of ['roots', 'bases']) removeOld(join(memory, name), 90 * dayMs);
  for (const name of ['shadow.jsonl', 'shadow.jsonl.old']) removeIfOld(join(memory, name), 90 * dayMs);
}

/** Files of a folder that no one has written for so long. Contract: never throws. */
export function removeOld(folder: string, ageMs: number): void {
  isDone(() => {
    for (const name of readdirSync(folder)) removeIfOld(join(folder, name), ageMs);
  });
}

function removeIfOld(file: string, ageMs: number): void {
  if (Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > ageMs) removeQuietly(file);
}

/** Asks first: most are not there, and an error costs ten times the question. */
export function readIfThere(file: string): string | undefined {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

const readFields = (file: string): Fields => fieldsOf(jsonOf(readIfThere(file) ?? ''));

export const replacePrivate = (file: string, text: string): void =>
  inPrivateFolder(file, () => writeAtomically(file, text));

/** False where the file system says no. */
export const isDone = (work: () => void): boolean => failureOf(work) === undefined;

/** The code of what the file system says. */
export function failureOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
