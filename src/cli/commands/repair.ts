import { relative } from 'node:path';
import { inspectJournal, type JournalDamage, type JournalState, repairJournal } from '../../app/repair.ts';
import type { NamedSession } from '../../app/sessions.ts';
import { printable } from '../../model/index.ts';
import { counted, dayOf, timeOf } from '../../model/words.ts';
import { askYesNo, canAsk } from '../ask-yes-no.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { sessionNamed } from '../find-session.ts';
import { type Io, SystemError } from '../io.ts';
import { flat, jsonText } from '../print/text.ts';

export const repair: Command = {
  name: 'repair',
  summary: "Show what is wrong with a session's journal and, after asking, keep its good part",
  arguments: ['SESSION'],
  options: { yes: { short: 'y', doc: 'do not ask' } },
  example: 'hookloop repair release-20260824-101500',
  async run({ positionals, flags }, io) {
    const session = await sessionNamed(positionals[0]!, io);
    const found = await inspectJournal(session);
    return found.kind === 'damaged'
      ? fix(session, found, flags, io)
      : tellUndamaged(session, found, flags.has('json'), io);
  },
};

function tellUndamaged(
  { name }: NamedSession,
  found: Exclude<JournalState, JournalDamage>,
  isJson: boolean,
  io: Io,
): number {
  const { kind } = found;
  if (isJson) {
    const facts = 'reason' in found ? { reason: found.reason } : { kept: found.kept, lost: 0 };
    io.out(jsonText({ session: name, status: kind, ...facts }));
  } else if ('reason' in found) {
    const what = kind === 'lost' ? '' : `journal.jsonl of session ${name} cannot be read: `;
    io.err(`hookloop repair: ${what}${printable(found.reason)}\n`);
  } else {
    const torn =
      found.kind === 'torn'
        ? `; ${counted(found.tornBytes, 'byte')} of a record that was never whole follow, which resume cuts off by itself`
        : '';
    io.out(`The journal of session ${name} is sound: ${counted(found.kept, 'record')}${torn}.\n`);
  }
  return 'reason' in found ? exit.badInput : exit.done;
}

async function fix(session: NamedSession, found: JournalDamage, flags: ReadonlySet<string>, io: Io): Promise<number> {
  const { name } = session;
  const [isJson, isAgreed] = [flags.has('json'), flags.has('yes')];
  const report = (status: string, more: object = {}): void => {
    const { line, byte, reason, kept, lost } = found;
    if (isJson) io.out(jsonText({ session: name, status, line, byte, reason, kept, lost, ...more }));
  };
  if (!isJson) io.out(damageText(name, found));
  if (!isAgreed && (isJson || !canAsk(io))) {
    report('damaged');
    io.err(`Nothing was changed. To keep the good part: hookloop repair ${name} --yes\n`);
    return exit.badInput;
  }
  const kept = await repairJournal(
    session,
    async () => isAgreed || askYesNo('Keep the good part? The original stays beside it.', io),
  );
  switch (kept.kind) {
    case 'not-locked':
      throw new SystemError(`nothing was changed: ${kept.reason}`);
    case 'busy':
      report('busy', { pid: kept.pid });
      io.err(`hookloop repair: session ${name} is in use by process ${kept.pid} since ${printable(kept.since)}\n`);
      return exit.busy;
    case 'declined':
      io.err('Nothing was changed.\n');
      return exit.badInput;
    case 'failed':
      report('damaged', { failure: kept.reason });
      io.err(`hookloop repair: nothing was changed: ${printable(kept.reason)}\n`);
      return exit.failed;
  }
  const original = kept.kind === 'repaired' ? kept.original : undefined;
  report('repaired', original === undefined ? {} : { original });
  if (isJson) return exit.done;
  const next = found.canGoOn ? `hookloop resume ${name}` : 'hookloop run starts over: too little is left to continue';
  const where = original === undefined ? '' : ` The original is ${relative(io.cwd, original)}`;
  io.out(printable(`Kept ${counted(found.kept, 'record')}.${where}\n`));
  io.err(`Next: ${next}\n`);
  return exit.done;
}

/** What is wrong, what stays and what goes. */
function damageText(name: string, { line, byte, reason, kept, lastKeptAt, lost, lostResults }: JournalDamage): string {
  const upTo = lastKeptAt === undefined ? '' : `, the last of ${dayOf(lastKeptAt)} ${timeOf(lastKeptAt)}`;
  const again = lostResults > 0 ? `, ${counted(lostResults, 'result')} of hooks among them: those hooks run again` : '';
  return [
    `The journal of session ${name} is damaged.`,
    `  wrong: line ${line}, at byte ${byte}: ${flat(reason)}`,
    `  kept:  ${counted(kept, 'record')} before it${upTo}`,
    `  lost:  this line${lost > 0 ? ` and ${counted(lost, 'readable record')} behind it${again}` : ', and nothing readable is behind it'}`,
    '',
  ].join('\n');
}
