import { type Explained, explainDecision } from '../../app/explain-decision.ts';
import { findSession, lastSession, type NamedSession } from '../../app/sessions.ts';
import { idWords, readId } from '../../model/decision-id.ts';
import { printable } from '../../model/index.ts';
import { type Command, type CommandIo, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { sessionNamed, sessionOrLast } from '../find-session.ts';
import { terminalOf } from '../print/paint.ts';
import { jsonText } from '../print/text.ts';
import { whyText } from '../print/why.ts';

export const why: Command = {
  name: 'why',
  summary: 'Explain a decision: the event, its hooks, what the agent was told and what it did next',
  arguments: ['[SESSION]', '[ID]'],
  example: "hookloop why release-20260824-101500 '#12'",
  async run({ positionals, flags }, io) {
    const { session, id } = await whatIsMeant(positionals, io);
    const explained = await explainDecision(session, io, id);
    switch (explained.kind) {
      case 'explained':
        io.out(flags.has('json') ? jsonText(explained.explanation) : whyText(explained.explanation, terminalOf(io)));
        return exit.done;
      case 'no-refusal':
      case 'empty':
        if (flags.has('json')) io.out(jsonText({ session: session.name, ...nothing }));
        else io.out(printable(nothingRefused(session.name, explained)));
        return exit.done;
      case 'unknown':
        throw new UsageError(unknownId(session.name, id, explained));
      default:
        io.err(printable(`hookloop why: ${whyUnread(session.name, explained)}\n`));
        return exit.badInput;
    }
  },
};

/** The same fields where there is nothing to explain. */
const nothing = { id: null, event: null, at: null, decision: null, hooks: [], told: null, next: [] };

function nothingRefused(session: string, explained: Extract<Explained, { kind: 'no-refusal' | 'empty' }>): string {
  const { ended, signs = [] } = explained.kind === 'no-refusal' ? explained : {};
  const how = ended ? `, which ${endings[ended.status] ?? `is ${ended.status}`}: ${ended.reason}` : '.';
  const rows = signs.map(({ id, text }) => `  ${id === undefined ? '' : `${idWords(id)}  `}${text}\n`).join('');
  const more = `hookloop log ${session} shows every event.\n`;
  const head = `Nothing was refused in session ${session}${how}`;
  return ended || rows !== '' ? `${head}\n${rows}${more}` : `${head} ${more}`;
}

const endings: Readonly<Record<string, string>> = {
  failed: 'failed',
  stopped: 'stopped',
  interrupted: 'was interrupted',
};

/** A sole number is an id of the last session, unless a session has that name. */
async function whatIsMeant(
  [first, second]: readonly string[],
  io: CommandIo,
): Promise<{ session: NamedSession; id: number | undefined }> {
  if (second !== undefined) {
    const id = readId(second);
    if (id === undefined)
      throw new UsageError(`${second} is not an id: ids look like 12 or '#12'; hookloop log shows them`);
    return { session: await sessionNamed(first!, io), id };
  }
  const id = first === undefined ? undefined : readId(first);
  if (id === undefined) return { session: await sessionOrLast(first, io), id };
  const isName = !first!.startsWith('#') && (await findSession(first!, io)).kind === 'found';
  if (isName) return { session: await sessionNamed(first!, io), id: undefined };
  const session = await lastSession(io);
  if (!session) throw new UsageError('no session has run here yet; hookloop run starts one');
  return { session, id };
}

function unknownId(
  session: string,
  id: number | undefined,
  { refusals, lastId }: Extract<Explained, { kind: 'unknown' }>,
): string {
  const none =
    id !== undefined && id <= lastId
      ? `is not a decision of ${session}`
      : `is not in session ${session}, whose ids end at #${lastId}`;
  const known = refusals.length > 0 ? `refusals are ${refusals.map(idWords).join(', ')}; ` : '';
  return `${idWords(id ?? 0)} ${none}; ${known}hookloop log ${session} shows every id`;
}

function whyUnread(
  session: string,
  end: Exclude<Explained, { kind: 'explained' | 'no-refusal' | 'empty' | 'unknown' }>,
): string {
  if (end.kind === 'damaged')
    return `journal.jsonl:${end.damage.line}: ${end.damage.reason}; hookloop repair ${session} shows what can be kept`;
  return end.kind === 'unreadable' ? `journal.jsonl cannot be read: ${end.reason}` : end.reason;
}
