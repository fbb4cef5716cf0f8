import { fstatSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { build } from '../../platform/build.ts';
import { keepCached, pruneCached, readCached, shortHash } from '../../platform/cache.ts';
import { fold, newState, type WholeState } from '../state/state.ts';
import type { Damage } from '../store.ts';
import { beginning, isIntact, type Position } from './journal-lines.ts';
import { scanOpened, withFile } from './read-journal.ts';

/** A journal, and the user's cache, where there is one. */
export interface Keeping {
  path: string;
  cache: string | undefined;
}

/** What a journal says, and how far that goes. */
export interface Folded extends Known {
  kind: 'folded';
  damage?: Damage;
}

interface Known {
  state: WholeState;
  cover: Cover;
}

/** How far a state goes, and by what its journal is known again. */
interface Cover {
  /** The file, and how it was when it was read. */
  file: string;
  size: number;
  changed: string;
  end: Position;
  /** The bytes before the end. */
  tail: string;
  marks: readonly Mark[];
}

/** A line, with its first bytes: its checksum, and some of what it is about. `seq`: of the entry in it. */
interface Mark extends Position {
  head: string;
}

/** A shorter part of a journal is folded as fast as a kept state is read. */
const worthBytes = 1024 * 1024;
/** Who works on a session stops for a moment to keep its state. */
const oftenBytes = 32 * 1024 * 1024;
const markBytes = 1024 * 1024;
const shownBytes = 48;

/**
 * What is true of a session, by its journal. The state of a long one is kept in the user's cache with the place up to
 * which it goes, so that the next reader folds only what came since. It is believed only where the journal is the one it
 * was made of; else, and where it is damaged or another version's, all is folded anew. No project can bring one along.
 * Contract: throws the system's error.
 */
export function foldJournal(keeping: Keeping, maxBytes: number): Folded | { kind: 'too-large'; bytes: number } {
  return withFile(keeping.path, fd => {
    const known = keptState(keeping, fd, false);
    const bytes = fstatSync(fd).size;
    if (bytes - (known?.cover.end.offset ?? 0) > maxBytes) return { kind: 'too-large', bytes };
    const folded = foldFrom(keeping, fd, known);
    // Where what follows is bad, the place may have been wrong.
    return folded.damage && known ? foldFrom(keeping, fd, undefined) : folded;
  });
}

function foldFrom(keeping: Keeping, fd: number, known: Known | undefined): Folded {
  const from = known?.cover.end ?? beginning;
  const seen = lookAt(fd);
  const state = known?.state ?? newState();
  const lines: Position[] = [];
  let nextMark = known ? (known.cover.marks.at(-1)?.offset ?? 0) + markBytes : 0;
  const { end, unended, damage } = scanOpened<object>(
    fd,
    (entry, offset) => {
      fold(state, entry);
      if (offset < nextMark) return;
      lines.push({ offset, seq: entry.seq });
      nextMark = offset + markBytes;
    },
    from,
  );
  const textAt = (offset: number): string => textOf(fd, offset, Math.min(shownBytes, end.offset - offset));
  const marks = [...(known?.cover.marks ?? []), ...lines.map(line => ({ ...line, head: textAt(line.offset) }))];
  const cover: Cover = { ...seen, end, tail: textAt(Math.max(0, end.offset - shownBytes)), marks };
  if (!damage && end.offset - from.offset >= worthBytes) keep(keeping, state, cover);
  if (!unended) return { kind: 'folded', state, cover, ...(damage && { damage }) };
  fold(state, unended.entry);
  // More is told than it covers, so no one goes on from there.
  return { kind: 'folded', state, cover: { ...cover, end: beginning } };
}

/**
 * The state to go on from, where the journal is open: the one that was just read, or the one that is kept. For who writes,
 * the checksum of every line that it goes by is looked at once more, unless the file shows that no one has been at it.
 */
export function stateToGoOnFrom(keeping: Keeping, fd: number, read: Folded | undefined): Known | undefined {
  if (read && !read.damage && read.cover.end.seq > 0 && fits(fd, read.cover, true)) return read;
  return keptState(keeping, fd, true);
}

/** For who works on the session: keeps its state where the journal has grown by enough. */
export function createKeeper(keeping: Keeping, keptBytes: number): (isLast: boolean) => void {
  let kept = keptBytes;
  return isLast => {
    try {
      const { size } = statSync(keeping.path);
      if (size - kept < (isLast ? worthBytes : oftenBytes)) return;
      kept = size;
      foldJournal(keeping, Number.POSITIVE_INFINITY);
    } catch {
      // Whoever reads the journal folds all of it then.
    }
  };
}

/** Where reading may start so that nothing from an entry on is missed. */
export function positionBefore(keeping: Keeping, seq: number): Position {
  const kept = seq > 1 ? readKept(keeping) : undefined;
  const mark = kept?.cover.marks.findLast(each => each.seq <= seq);
  if (!kept || !mark) return beginning;
  try {
    const isThere = withFile(keeping.path, fd => lookAt(fd).file === kept.cover.file && isAt(fd, mark));
    return isThere ? { offset: mark.offset, seq: mark.seq - 1 } : beginning;
  } catch {
    // Whoever reads it is told why it cannot be read.
    return beginning;
  }
}

function keptState(keeping: Keeping, fd: number, isForWork: boolean): Known | undefined {
  const kept = readKept(keeping);
  if (!kept || !fits(fd, kept.cover, isForWork)) return undefined;
  return { state: deserialize(kept.state) as WholeState, cover: kept.cover };
}

/** Another version may mean something else by the same state. */
const madeBy = `${build} ${process.versions.v8}`;
const maxKept = 100;

const statesIn = (cache: string): string => join(cache, 'states');

const keptAt = ({ path, cache }: Keeping): string | undefined =>
  cache === undefined ? undefined : join(statesIn(cache), shortHash(path));

/** Not as JSON: what is in several places of a state must be one thing after it was read, too. */
function keep(keeping: Keeping, state: WholeState, cover: Cover): void {
  const file = keptAt(keeping);
  if (file === undefined) return;
  const about = Buffer.from(`${JSON.stringify({ madeBy, path: keeping.path, cover })}\n`);
  const kept = Buffer.concat([about, serialize(state)]);
  if (keepCached(file, Buffer.concat([sumOf(kept), kept]))) pruneCached(statesIn(keeping.cache!), maxKept);
}

function readKept(keeping: Keeping): { cover: Cover; state: Buffer } | undefined {
  const file = keptAt(keeping);
  const bytes = file === undefined ? undefined : readCached(file);
  const kept = bytes?.subarray(sumLength);
  if (!kept || !sumOf(kept).equals(bytes!.subarray(0, sumLength))) return undefined;
  const end = kept.indexOf('\n');
  const about = JSON.parse(kept.toString('utf8', 0, end));
  const isOurs = about.madeBy === madeBy && about.path === keeping.path;
  return isOurs ? { cover: about.cover, state: kept.subarray(end + 1) } : undefined;
}

const sumLength = 8;

/** Over all of it: that of the cache is made for speed. */
const sumOf = (bytes: Buffer): Buffer => Buffer.from(crc32(bytes).toString(16).padStart(sumLength, '0'));

function lookAt(fd: number): Pick<Cover, 'file' | 'size' | 'changed'> {
  const { dev, ino, size, mtimeNs, ctimeNs } = fstatSync(fd, { bigint: true });
  return { file: `${dev} ${ino}`, size: Number(size), changed: `${mtimeNs} ${ctimeNs}` };
}

/** A journal only grows: one that has changed and not grown is another. */
function fits(fd: number, cover: Cover, isForWork: boolean): boolean {
  const { file, size, changed } = lookAt(fd);
  const { end, tail, marks } = cover;
  if (file !== cover.file || size < end.offset) return false;
  if (changed === cover.changed && size === cover.size) return true;
  const isGrown = size > cover.size && isAt(fd, { offset: end.offset - tail.length, head: tail });
  return isGrown && marks.every(mark => isAt(fd, mark)) && (!isForWork || isIntact(fd, end));
}

const isAt = (fd: number, { offset, head }: Pick<Mark, 'offset' | 'head'>): boolean =>
  textOf(fd, offset, head.length) === head;

function textOf(fd: number, offset: number, length: number): string {
  const bytes = Buffer.alloc(length);
  return bytes.toString('latin1', 0, readSync(fd, bytes, 0, length, offset));
}
