import type { Listing, Signature } from './changes-listing.ts';

/** A look at the files of a project from which another process can go on counting. Plain JSON. */
export interface Snapshot {
  atMs: number;
  head?: string;
  /** Absent where there are too many: then only the time of a change tells, and nothing tells of a file that is gone. */
  files?: readonly Entry[];
}

type Entry = readonly [path: string, signature: string, content?: string];

/** Whoever keeps a snapshot writes it down for each iteration. */
const maxFiles = 200;

export function toSnapshot({ files, head, isWhole }: Listing, atMs: number): Snapshot {
  const isShort = isWhole && files.size <= maxFiles;
  return { atMs, ...(head !== undefined && { head }), ...(isShort && { files: [...files].map(toEntry) }) };
}

const toEntry = ([path, { text, content }]: readonly [string, Signature]): Entry =>
  content === undefined ? [path, text] : [path, text, content];

/** The files as they were then; undefined where the snapshot had no room for them. */
export function fromSnapshot({ atMs, head, files }: Snapshot): Listing | undefined {
  if (!files) return undefined;
  const signatures = files.map(
    ([path, text, content]) => [path, { text, changedMs: atMs, ...(content !== undefined && { content }) }] as const,
  );
  return { files: new Map(signatures), isWhole: true, ...(head !== undefined && { head }) };
}
