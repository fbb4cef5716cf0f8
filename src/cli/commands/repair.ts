import { relative } from 'node:path';
import { printable } from '../../model/index.ts';
import { counted } from '../../model/words.ts';
import type { Inspection } from '../../session/journal/repair.ts';
import { askYesNo, canAsk } from '../ask-yes-no.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { type NamedSession, sessionNamed } from '../find-session.ts';
import { canGoOn, type Damaged, damageText } from '../history-repair-text.ts';
import type { Io } from '../io.ts';

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
    if (found.kind === 'damaged') return keepGood(session, found, { isJson, isAgreed: flags.has('yes') }, io);
    const end = await session.store.read(session.name, () => {});
    if (end.kind !== 'lost') return tellSound(session, found, isJson, io);
    const { reason } = end;
    if (isJson) io.out(`${JSON.stringify({ session: session.name, status: 'lost', reason }, null, 2)}\n`);
    else io.err(`hookloop repair: ${printable(reason)}\n`);
    return exit.badInput;
  },
};

type Readable = Exclude<Inspection<object>, { kind: 'damaged' }>;

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

async function keepGood(session: NamedSession, found: Damaged, { isJson, isAgreed }: Wish, io: Io): Promise<number> {
  const { name, store } = session;
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
  // Held while a person thinks: no one can go on with this session anyway.
  const repaired = await store.repair(
    name,
    async () => !mayAsk || (await askYesNo('Keep the good part? The original stays beside it.', io)),
  );
  switch (repaired.kind) {
    case 'busy':
      report('busy', { pid: repaired.pid });
      io.err(`hookloop repair: session ${name} is in use${holderWords(repaired)}\n`);
      return exit.busy;
    case 'left':
      io.err('Nothing was changed.\n');
      return exit.badInput;
    case 'failed':
      report('damaged', { failure: repaired.reason });
      io.err(`hookloop repair: nothing was changed: ${printable(repaired.reason)}\n`);
      return exit.failed;
  }
  const { original } = repaired.kind === 'repaired' ? repaired : {};
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

const holderWords = ({ pid, since }: { pid: number; since: string }): string =>
  ` by process ${pid} since ${printable(since)}`;
