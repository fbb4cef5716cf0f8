import type { NoCheckpoint, SessionDiff } from '../../app/checkpoints.ts';
import type { UndoPlan } from '../../app/undo.ts';
import { printable } from '../../model/index.ts';
import type { SessionView } from '../../model/view.ts';
import { checkpointDigits, counted, timeOf } from '../../model/words.ts';
import { painted, type Style, type Terminal } from './paint.ts';
import { flat } from './text.ts';

/** The first says what it was like before; of the others the last. */
const shownCheckpoints = 15;

/** Checkpoints of a session, as `diff`, `undo` and `fork` take them. */
export function checkpointLines({ session, checkpoints }: Pick<SessionView, 'session' | 'checkpoints'>): string[] {
  const [first, ...later] = checkpoints.map(
    ({ n, at, what }) => `${checkpointDigits(n)}  ${timeOf(at)}  ${flat(what)}`,
  );
  if (first === undefined) return [];
  const left = later.length - shownCheckpoints;
  return [
    first,
    ...(left > 0 ? [`... ${left} more: hookloop show ${session} --json`] : []),
    ...later.slice(-shownCheckpoints),
  ];
}

/** A diff for a terminal; for others it stays what git printed. */
export const diffText = (text: string, { colours }: Terminal): string =>
  text
    .split('\n')
    .map(line => painted(printable(line), styleOf(line), colours))
    .join('\n');

function styleOf(line: string): Style | undefined {
  if (/^(diff |index |--- |\+\+\+ |new file|deleted file|old mode|new mode|similarity|rename )/.test(line))
    return 'bold';
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : undefined;
}

/** What a diff is about, in a line. */
export function diffSummary({ from, to, files }: SessionDiff): string {
  const sum = (key: 'added' | 'removed'): number => files.reduce((all, file) => all + (file[key] ?? 0), 0);
  const lines =
    files.length === 0 ? 'nothing changed' : `${counted(files.length, 'file')}, +${sum('added')} -${sum('removed')}`;
  return `${checkpointDigits(from.n)} (${flat(from.what)}) to ${checkpointDigits(to.n)} (${flat(to.what)}): ${lines}`;
}

const shownFiles = 20;
const doing = { added: 'put back', changed: 'change', removed: 'remove' } as const;

/** What `undo` will do, before it is asked. */
export function undoText(session: string, { to, changes, left }: Pick<UndoPlan, 'to' | 'changes' | 'left'>): string {
  const more = changes.length - shownFiles;
  return [
    `Session ${session}, back to checkpoint ${checkpointDigits(to.n)} (${flat(to.what)}):`,
    ...changes.slice(0, shownFiles).map(({ kind, path }) => `  ${doing[kind].padEnd(8)}  ${flat(path)}`),
    ...(more > 0 ? [`  ... and ${counted(more, 'more file')}`] : []),
    ...leftLines(left),
    '',
  ].join('\n');
}

export const leftLines = (left: UndoPlan['left']): string[] => [
  ...left.slice(0, shownFiles).map(({ path, why }) => `  not touched: ${flat(path)} (${why})`),
  ...(left.length > shownFiles ? [`  ... and ${counted(left.length - shownFiles, 'more file')} not touched`] : []),
];

export const noCheckpointText = (session: string, none: NoCheckpoint): string =>
  none.kind === 'unknown'
    ? `session ${session} has no checkpoint ${none.n}: they go from 0 to ${none.last}, and hookloop show ${session} lists them`
    : none.why;
