import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { printable } from '../../model/index.ts';
import { counted, dayOf, timeOf } from '../../model/words.ts';
import { lockSession, type SessionLock } from '../../session/journal/lock.ts';
import { type Inspection, repairJournal } from '../../session/journal/repair.ts';
import { whyLost } from '../../session/lost.ts';
import type { SessionPaths } from '../../session/paths.ts';
import { askYesNo, canAsk } from '../ask-yes-no.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { findSession, type NamedSession } from '../find-session.ts';
import { type Io, WorldError } from '../io.ts';
import { flat } from '../print/text.ts';

export const repair: Command = {
  name: 'repair',
  summary: 'Show what is wrong with the journal of a session and, after asking, keep its good part',
  arguments: ['SESSION'],
  options: { yes: { short: 'y', doc: 'do not ask' } },
  example: 'hookloop repair release-20260824-101500',
  run({ positionals, flags }, io) {
    const session = findSession(positionals[0]!, io);
    const found = repairJournal<object>(session.paths.journal).inspect();
    const isJson = flags.has('json');
    if (found.kind === 'damaged') return mend(session, found, { isJson, isAgreed: flags.has('yes') }, io);
    const lost = whyLostIn(session.paths, found);
    if (lost === undefined) return tellSound(session, found, isJson, io);
    if (isJson) io.out(`${JSON.stringify({ session: session.name, status: 'lost', reason: lost }, null, 2)}\n`);
    else io.err(`hookloop repair: ${printable(lost)}\n`);
    return exit.badInput;
  },
};

type Readable = Exclude<Inspection<object>, { kind: 'damaged' }>;

/** There is nothing to keep a part of then. */
function whyLostIn(paths: SessionPaths, found: Readable): string | undefined {
  if (found.kind !== 'unreadable') return whyLost(paths, found.kept[0]);
  return existsSync(paths.journal) ? undefined : whyLost(paths, undefined);
}

function tellSound({ name }: NamedSession, found: Readable, isJson: boolean, io: Io): number {
  const code = found.kind === 'unreadable' ? exit.badInput : exit.done;
  if (isJson) {
    const facts = found.kind === 'unreadable' ? { reason: found.reason } : { kept: found.kept.length, lost: 0 };
    io.out(`${JSON.stringify({ session: name, status: found.kind, ...facts }, null, 2)}\n`);
  } else if (found.kind === 'unreadable') {
    io.err(`hookloop repair: journal.jsonl of session ${name} cannot be read: ${printable(found.reason)}\n`);
  } else {
    const torn =
      found.kind === 'torn'
        ? `; ${counted(found.torn.bytes, 'byte')} of a record that was never whole follow, which resume cuts off by itself`
        : '';
    io.out(`The journal of session ${name} is sound: ${counted(found.kept.length, 'record')}${torn}.\n`);
  }
  return code;
}

interface Wish {
  isJson: boolean;
  isAgreed: boolean;
}

async function mend(session: NamedSession, found: Damaged, { isJson, isAgreed }: Wish, io: Io): Promise<number> {
  const { name, paths } = session;
  const report = (status: string, more: object = {}): void => {
    const { line, offset, reason } = found.damage;
    const facts = { line, byte: offset, reason, kept: found.kept.length, lost: found.lost.length };
    if (isJson) io.out(`${JSON.stringify({ session: name, status, ...facts, ...more }, null, 2)}\n`);
  };
  if (!isJson) io.out(damageText(name, found));
  const mayAsk = !isAgreed && !isJson && canAsk(io);
  if (!isAgreed && !mayAsk) {
    report('damaged');
    io.err(`Nothing was changed. To keep the good part: hookloop repair ${name} --yes\n`);
    return exit.badInput;
  }
  // Held while a person thinks: nobody can go on with this session anyway.
  const lock = await lockSession(paths.folder).catch((error: Error) => {
    throw new WorldError(`nothing was changed: ${error.message}`);
  });
  if (lock.kind === 'busy') {
    report('busy', { pid: lock.pid });
    io.err(`hookloop repair: session ${name} is in use${holderWords(lock)}\n`);
    return exit.busy;
  }
  try {
    if (mayAsk && !(await askYesNo('Keep the good part? The original stays beside it.', io))) {
      io.err('Nothing was changed.\n');
      return exit.badInput;
    }
    return keep(session, found, report, isJson, io);
  } finally {
    await lock.release();
  }
}

function keep(
  { name, paths }: NamedSession,
  found: Damaged,
  report: (status: string, more?: object) => void,
  isJson: boolean,
  io: Io,
): number {
  const repaired = repairJournal<object>(paths.journal).keepGood();
  if (repaired.kind === 'failed') {
    report('damaged', { failure: repaired.reason });
    io.err(`hookloop repair: nothing was changed: ${printable(repaired.reason)}\n`);
    return exit.failed;
  }
  const original = repaired.kind === 'repaired' ? { original: repaired.original } : {};
  report('repaired', original);
  if (isJson) return exit.done;
  const next = canGoOn(found)
    ? `hookloop resume ${name}`
    : 'hookloop run starts anew: too little is left to go on with';
  const where = repaired.kind === 'repaired' ? ` The original is ${relative(io.cwd, repaired.original)}` : '';
  io.out(printable(`Kept ${counted(found.kept.length, 'record')}.${where}\n`));
  io.err(`Next: ${next}\n`);
  return exit.done;
}

const holderWords = ({ pid, since }: Extract<SessionLock, { kind: 'busy' }>): string =>
  ` by process ${pid} since ${printable(since)}`;

type Damaged = Extract<Inspection<object>, { kind: 'damaged' }>;

/** What is wrong, what stays and what goes. */
function damageText(name: string, { damage, kept, lost }: Damaged): string {
  const lastKept = kept.at(-1)?.at;
  const upTo = isTime(lastKept) ? `, the last of ${dayOf(lastKept)} ${timeOf(lastKept)}` : '';
  const results = lost.filter(entry => kindOf(entry) === 'hook.finished').length;
  const again = results > 0 ? `, ${counted(results, 'result')} of hooks among them: those hooks run again` : '';
  return [
    `The journal of session ${name} is damaged.`,
    `  wrong: line ${damage.line}, at byte ${damage.offset}: ${flat(damage.reason)}`,
    `  kept:  ${counted(kept.length, 'record')} before it${upTo}`,
    `  lost:  this line${lost.length > 0 ? ` and ${counted(lost.length, 'readable record')} behind it${again}` : ', and nothing readable is behind it'}`,
    '',
  ].join('\n');
}

/** Whether enough is kept to go on with the session. */
const canGoOn = ({ kept }: Damaged): boolean => kept[0] !== undefined && kindOf(kept[0]) === 'session.started';

const kindOf = (entry: object): unknown => (entry as { kind?: unknown }).kind;

const isTime = (at: unknown): at is string => typeof at === 'string' && !Number.isNaN(Date.parse(at));
