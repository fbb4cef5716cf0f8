/** Stands for a value the text does not hold yet: masked placeholders are runs of it. An ordinary character to every shell. */
export const HOLE = '\uE000';

/** Stands for a value that holds no code, so to a shell it is a word like any other. */
export const NUMBER = '\uE001';

/** How the shell reads a character. The last six never take a value. */
export type Quoting =
  | 'bare'
  | 'double'
  | 'single'
  | 'heredoc'
  | 'comment'
  | 'ansi'
  | 'parameter'
  | 'arithmetic'
  | 'backquote'
  | 'quoted-heredoc'
  | 'delimiter';

/** `text` is there when the word is fully literal; else `prefix` and `suffix` are its literal ends. */
export interface Word {
  start: number;
  end: number;
  text?: string;
  prefix: string;
  suffix: string;
  /** What expansions make of it: none in it, still one word, or any number of words. */
  expands: 'no' | 'one' | 'many';
}

export interface Assignment {
  name: string;
  /** Compound (`a=(...)`) and subscripted (`a[1]=`) forms are bash only. */
  form: 'plain' | 'array' | 'subscript';
  value: Word;
}

export interface Redirection {
  operator: string;
  target: Word;
  /** Body of a here-document. */
  body?: { start: number; end: number; quoted: boolean };
}

/** A simple command, or the words that steer a compound one. `compound` only carries redirections (`done < file`). */
export interface Command {
  kind: 'simple' | 'for' | 'case' | 'function' | 'compound';
  start: number;
  end: number;
  words: Word[];
  assignments: Assignment[];
  redirections: Redirection[];
  /** Commands joined by `|` share a pipeline and count its stages from 0. */
  pipeline: number;
  stage: number;
  /** Where the block of a function ends, if it has one in braces. */
  bodyEnd?: number | undefined;
}

export interface Region {
  kind: 'arithmetic' | 'parameter' | 'backquote';
  start: number;
  end: number;
}

/** Why the reading is not certain: broken text, or text that shells read differently. */
export interface Trouble {
  at: number;
  why: string;
}

/** Reads commands up to the closer, which it consumes, or to the end of the text. */
type ReadList = (scan: Scan, closer: '' | ')' | '$)') => void;

export type Scan = ReturnType<typeof createScan>;

const DEPTH_LIMIT = 200;

export const createScan = (text: string, list: ReadList) => ({
  text,
  list,
  at: 0,
  depth: 0,
  quoting: 'bare' as Quoting,
  changes: [] as { at: number; quoting: Quoting }[],
  regions: [] as Region[],
  commands: [] as Command[],
  /** Text between backquotes, with its escapes removed. */
  programs: [] as string[],
  pending: [] as Redirection[],
  /** Inside a substitution that stands on a line with here-documents still to come. */
  awaited: false,
  pipelines: 0,
  trouble: undefined as Trouble | undefined,
  /** From here on nothing was read. */
  stopped: undefined as number | undefined,
});

/** Switches the quoting from here on and tells what it was, so that the caller can switch back. */
export function enter(scan: Scan, quoting: Quoting, at = scan.at): Quoting {
  const before = scan.quoting;
  scan.quoting = quoting;
  scan.changes.push({ at, quoting });
  return before;
}

/** The rest cannot be read: stop here. */
export function giveUp(scan: Scan, why: string, at = scan.at): void {
  doubt(scan, why, at);
  scan.stopped = Math.min(at, scan.stopped ?? at);
  scan.at = scan.text.length;
}

/** Shells disagree about this; go on with the likelier reading. */
export function doubt(scan: Scan, why: string, at = scan.at): void {
  scan.trouble ??= { at, why };
}

export function nested(scan: Scan, read: () => void): void {
  if (scan.depth >= DEPTH_LIMIT) {
    giveUp(scan, 'it is nested too deeply');
    return;
  }
  scan.depth++;
  read();
  scan.depth--;
}

/** A command substitution or process substitution; `scan.at` is just behind its opening parenthesis. */
export function readSubstitution(scan: Scan): void {
  const open = scan.at;
  const before = enter(scan, 'bare');
  const { pending, awaited } = scan;
  scan.awaited = awaited || pending.length > 0;
  scan.pending = [];
  nested(scan, () => scan.list(scan, '$)'));
  if (scan.pending.length > 0) doubt(scan, 'a here-document starts in a substitution and ends outside it', open);
  scan.pending = pending;
  scan.awaited = awaited;
  enter(scan, before);
}
