import { relative } from 'node:path';
import { printable } from '../../model/index.ts';
import { counted, dayOf, timeOf } from '../../model/words.ts';
import type { SessionStore } from '../../session/store.ts';
import { askYesNo, canAsk } from '../ask-yes-no.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { type NamedSession, sessionNamed } from '../find-session.ts';
import { type Io, WorldError } from '../io.ts';
import { flat } from '../print/text.ts';

export const repair: Command = {
  name: 'repair',
  summary: 'Show what is wrong with the journal of a session and, after asking, keep its good part',
  arguments: ['SESSION'],
  options: { yes: { short: 'y', doc: 'do not ask' } },
  example: 'hookloop repair release-20260824-101500',
  async run({ positionals, flags }, io) {
    const session = await sessionNamed(positionals[0]!, io);
    const found = await session.store.inspect(session.name);
    const isJson = flags.has('json');
    return found.kind === 'damaged'
      ? fix(session, found, { isJson, isAgreed: flags.has('yes') }, io)
      : tellUndamaged(session, found, isJson, io);
  },
};

type Inspected = Awaited<ReturnType<SessionStore['inspect']>>;
type Damaged = Extract<Inspected, { kind: 'damaged' }>;

function tellUndamaged(
  { name }: NamedSession,
  found: Exclude<Inspected, { kind: 'damaged' }>,
  isJson: boolean,
  io: Io,
): number {
  const { kind } = found;
  if (isJson) {
    const facts = 'reason' in found ? { reason: found.reason } : { kept: found.kept.length, lost: 0 };
    io.out(`${JSON.stringify({ session: name, status: kind, ...facts }, null, 2)}\n`);
  } else if ('reason' in found) {
    const what = kind === 'lost' ? '' : `journal.jsonl of session ${name} cannot be read: `;
    io.err(`hookloop repair: ${what}${printable(found.reason)}\n`);
  } else {
    const torn =
      found.kind === 'torn'
        ? `; ${counted(found.torn.bytes, 'byte')} of a record that was never whole follow, which resume cuts off by itself`
        : '';
    io.out(`The journal of session ${name} is sound: ${counted(found.kept.length, 'record')}${torn}.\n`);
  }
  return 'reason' in found ? exit.badInput : exit.done;
}

interface Wish {
  isJson: boolean;
  isAgreed: boolean;
}

async function fix({ name, store }: NamedSession, found: Damaged, { isJson, isAgreed }: Wish, io: Io): Promise<number> {
  const report = (status: string, more: object = {}): void => {
    const { line, offset, reason } = found.damage;
    const facts = { line, byte: offset, reason, kept: found.kept.length, lost: found.lost.length };
    if (isJson) io.out(`${JSON.stringify({ session: name, status, ...facts, ...more }, null, 2)}\n`);
  };
  if (!isJson) io.out(damageText(name, found));
  if (!isAgreed && (isJson || !canAsk(io))) {
    report('damaged');
    io.err(`Nothing was changed. To keep the good part: hookloop repair ${name} --yes\n`);
    return exit.badInput;
  }
  // Held while a person thinks: no one can go on with it anyway.
  const kept = await store.repair(
    name,
    async () => isAgreed || askYesNo('Keep the good part? The original stays beside it.', io),
  );
  switch (kept.kind) {
    case 'not-locked':
      throw new WorldError(`nothing was changed: ${kept.reason}`);
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
  const next = canGoOn(found)
    ? `hookloop resume ${name}`
    : 'hookloop run starts anew: too little is left to go on with';
  const where = original === undefined ? '' : ` The original is ${relative(io.cwd, original)}`;
  io.out(printable(`Kept ${counted(found.kept.length, 'record')}.${where}\n`));
  io.err(`Next: ${next}\n`);
  return exit.done;
}

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
