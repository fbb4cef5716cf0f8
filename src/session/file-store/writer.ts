import { closeSync, constants, fdatasync, fdatasyncSync, fstatSync, fsyncSync, ftruncateSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Entry } from '../../model/record.ts';
import { reasonOf, syncFolder, writeFullySync } from '../../platform/files.ts';
import type { Damage, Journal, Torn } from '../store.ts';
import { beginning, encodeLine, type Position, type Scan, scanFile } from './journal-lines.ts';

/** Why the journal could not be written. The cause is the system's own error. */
export class JournalError extends Error {
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(`journal: ${reason}`, options);
    this.name = 'JournalError';
    this.reason = reason;
  }
}

export type Opened<R extends object> =
  | { kind: 'open'; journal: FileJournal<R>; cut?: Torn }
  | { kind: 'damaged'; damage: Damage }
  | { kind: 'unwritable'; reason: string };

export interface Opening<R extends object> {
  /** Each entry there is, from `begin` on. */
  onEntry?(entry: Entry<R>): void;
  /** Where reading begins: what stands before is known to be good. */
  begin?(fd: number): Position;
  now?(): Date;
}

/** Opens or makes a journal for its one writer, who holds the session's lock. A torn last line is cut, damage is left alone. */
export function openJournal<R extends object>(path: string, options: Opening<R> = {}): Opened<R> {
  const { onEntry = () => {}, begin = () => beginning, now = () => new Date() } = options;
  let fd: number | undefined;
  try {
    fd = openOrCreate(path);
    const scan = scanFile<R>(fd, entry => onEntry(entry), begin(fd));
    if (scan.damage) {
      closeSync(fd);
      return { kind: 'damaged', damage: scan.damage };
    }
    // A project may have brought it along as a second name of any file of the user.
    if (fstatSync(fd).nlink > 1) throw new Error('it is a hard link: its file has another name as well');
    const end = repairEnd(fd, scan);
    if (scan.unended) onEntry(scan.unended.entry);
    const journal = new FileJournal<R>(fd, end, now);
    return { kind: 'open', journal, ...(scan.torn && { cut: scan.torn }) };
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    return { kind: 'unwritable', reason: reasonOf(error) };
  }
}

function openOrCreate(path: string): number {
  const fd = openExisting(path) ?? openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error('it is not a file');
    // Also for an empty file that was there: its maker may have died before this.
    if (stat.size === 0) syncFolder(dirname(path));
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Leaves the file ending behind its last whole entry, and all of it on disk before anything depends on what was read. */
function repairEnd<R extends object>(fd: number, { end, torn, unended }: Scan<R>): Position {
  if (torn) {
    ftruncateSync(fd, end.offset);
    fsyncSync(fd);
    return end;
  }
  if (unended) writeFullySync(fd, Buffer.from('\n'), end.offset + unended.bytes);
  if (unended || end.seq > 0) fdatasyncSync(fd);
  return unended ? { offset: end.offset + unended.bytes + 1, seq: unended.entry.seq } : end;
}

interface Pending<R extends object> {
  entry: Entry<R>;
  line: Buffer;
  resolve(entry: Entry<R>): void;
  reject(error: JournalError): void;
}

const syncData = promisify(fdatasync);
const batchBytes = 8 * 1024 * 1024;
/** Those who follow the journal do not notice; an iteration of the loop is spared half of its waits for the disk. */
const soonMs = 10;

export class FileJournal<R extends object> implements Journal<R> {
  readonly #fd: number;
  readonly #now: () => Date;
  #end: Position;
  /** How far we may have written, acknowledged or not. What stands behind that is someone else's. */
  #written: number;
  #inFlight: Pending<R>[] = [];
  #waiting: Pending<R>[] = [];
  #commits: Promise<void> | undefined;
  #soon: NodeJS.Timeout | undefined;
  /** Someone waits for what is to be written next. */
  #isDue = false;
  #ended: JournalError | undefined;
  #closing: Promise<void> | undefined;

  constructor(fd: number, end: Position, now: () => Date) {
    this.#fd = fd;
    this.#end = end;
    this.#written = end.offset;
    this.#now = now;
  }

  append(record: R, when: 'now' | 'soon' | 'kept' = 'now'): Promise<Entry<R>> {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...this.#numbered(record), resolve, reject });
      if (when === 'kept') this.#writeAhead();
      if (when === 'now') this.#commitNow();
      else this.#soon ??= setTimeout(() => this.#commitNow(), soonMs);
    });
  }

  /** Commits what waits, then lets go of the file. */
  close(): Promise<void> {
    this.#ended ??= new JournalError('it is closed');
    this.#closing ??= this.#commitNow().then(() => closeSync(this.#fd));
    return this.#closing;
  }

  /** The write to come may follow: the same bytes at the same place do no harm twice. */
  #writeAhead(): void {
    try {
      // Behind an end that is gone it would only hide that from the commit.
      this.#checkEnd();
      this.#write(Buffer.concat([...this.#inFlight, ...this.#waiting].map(({ line }) => line)));
    } catch {
      // The commit tells why.
    }
  }

  #commitNow(): Promise<void> {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    this.#isDue = true;
    this.#commits ??= this.#commitAll();
    return this.#commits;
  }

  #numbered(record: R): { entry: Entry<R>; line: Buffer } {
    const own = {
      seq: this.#end.seq + this.#inFlight.length + this.#waiting.length + 1,
      at: this.#now().toISOString(),
    };
    const entry: Entry<R> = Object.assign({ ...own }, record, own);
    return { entry, line: encodeLine(entry) };
  }

  async #commitAll(): Promise<void> {
    // Appends of the same tick share one commit.
    await undefined;
    while (this.#isDue && this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchLength(this.#waiting));
      this.#isDue = this.#waiting.length > 0;
      this.#inFlight = batch;
      await this.#commit(batch);
    }
    this.#commits = undefined;
  }

  async #commit(batch: Pending<R>[]): Promise<void> {
    const bytes = Buffer.concat(batch.map(({ line }) => line));
    try {
      this.#checkEnd();
      try {
        // It goes to the system's memory, which takes less than handing it to another thread would.
        this.#write(bytes);
      } catch (error) {
        this.#takeBack(error);
        return;
      }
      await syncData(this.#fd);
      if (fstatSync(this.#fd).nlink === 0) throw new Error('it was removed or replaced while it was being written');
    } catch (error) {
      this.#die(error);
      return;
    }
    this.#inFlight = [];
    this.#end = { offset: this.#end.offset + bytes.length, seq: this.#end.seq + batch.length };
    for (const { resolve, entry } of batch) resolve(entry);
  }

  /** Throws where someone else has been at the file. */
  #checkEnd(): void {
    const { size } = fstatSync(this.#fd);
    if (size < this.#end.offset) throw new Error('it was truncated while it was being written');
    if (size > this.#written) throw new Error('another process has written to it');
  }

  #write(bytes: Buffer): void {
    this.#written = Math.max(this.#written, this.#end.offset + bytes.length);
    writeFullySync(this.#fd, bytes, this.#end.offset);
  }

  /** What waits goes with what failed: it was meant to follow it. Later appends may try again, space may be found. */
  #takeBack(cause: unknown): void {
    try {
      this.#checkEnd();
      ftruncateSync(this.#fd, this.#end.offset);
      this.#written = this.#end.offset;
    } catch {
      this.#die(cause);
      return;
    }
    this.#rejectAll(new JournalError(reasonOf(cause), { cause }));
  }

  /** After a failed sync no one knows what is on disk, and a second sync would say all is well. So nothing is tried again. */
  #die(cause: unknown): void {
    const error = new JournalError(reasonOf(cause), { cause });
    this.#ended = error;
    try {
      // Left in the page cache, lines that never reach the disk would be trusted by whoever opens the file next.
      const { size } = fstatSync(this.#fd);
      if (size > this.#end.offset && size <= this.#written) ftruncateSync(this.#fd, this.#end.offset);
    } catch {}
    this.#rejectAll(error);
  }

  #rejectAll(error: JournalError): void {
    const pending = [...this.#inFlight, ...this.#waiting];
    this.#inFlight = [];
    this.#waiting = [];
    for (const { reject } of pending) reject(error);
  }
}

function batchLength(waiting: readonly Pending<object>[]): number {
  let bytes = 0;
  const over = waiting.findIndex(({ line }) => {
    bytes += line.length;
    return bytes > batchBytes;
  });
  return over === -1 ? waiting.length : Math.max(over, 1);
}
