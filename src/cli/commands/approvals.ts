import {
  type Answered,
  answerTyped,
  type PendingQuestion,
  pendingQuestions,
  questionLink,
  type UnknownQuestion,
} from '../../app/approvals.ts';
import { type AnswerMeaning, meaningOf, printable } from '../../model/index.ts';
import { byWords, dayOf, timeOf } from '../../model/words.ts';
import { type Command, UsageError, withHint } from '../command.ts';
import { exit } from '../exit.ts';
import { type Io, SystemError } from '../io.ts';
import { refuseAgents } from '../not-for-agents.ts';
import { terminalOf } from '../print/paint.ts';
import { type Column, tableLines } from '../print/table.ts';
import { cut, flat, jsonText } from '../print/text.ts';

export const approvals: Command = {
  name: 'approvals',
  summary: 'Show the questions that are waiting for a person, in all your sessions',
  options: { link: { value: 'ID', doc: "print the address of this question's page; whoever has it can answer" } },
  example: 'hookloop approvals',
  async run({ values, flags }, io) {
    if (values['link'] !== undefined) return printLink(values['link'], io, flags.has('json'));
    const questions = await pendingQuestions(io.env);
    const terminal = terminalOf(io);
    if (flags.has('json')) io.out(jsonText(questions.map(toListed)));
    else if (questions.length === 0) io.out('No question is pending.\n');
    else io.out(`${[...tableLines(questions, columns, terminal), '', terminal.colours.dim(howToAnswer)].join('\n')}\n`);
    return exit.done;
  },
};

const howToAnswer =
  'Answer with: hookloop approve ID, or hookloop reject ID; look at it with: hookloop approvals --link ID';

async function printLink(typed: string, io: Io, asJson: boolean): Promise<number> {
  refuseAgents('a link that answers', io);
  const found = await questionLink(io.env, typed);
  if (found.kind !== 'link') throw new UsageError(`${typed} is not a pending question; hookloop approvals lists them`);
  const { link } = found;
  io.out(asJson ? `${JSON.stringify({ link })}\n` : `${link}\n`);
  return exit.done;
}

/** What is undefined is left out of JSON. */
const toListed = ({ id, session, stage, iteration, question, since, expires }: PendingQuestion): unknown => ({
  ...{ id, session, stage, iteration, question, since, expires },
});

/** The question has what the other columns leave. */
const columns: readonly Column<PendingQuestion>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'SESSION', cell: ({ session }) => flat(session) },
  {
    title: 'STAGE',
    cell: ({ stage, iteration }) => flat([stage, iteration].filter(part => part !== undefined).join(' ')),
  },
  { title: 'ASKED', cell: ({ since }) => localTime(since) },
  { title: 'EXPIRES', cell: ({ expires }) => (expires === null ? 'never' : localTime(expires)) },
  { title: 'QUESTION', cell: ({ question }) => flat(question), grows: true },
];

const localTime = (iso: string): string => `${dayOf(iso)} ${timeOf(iso).slice(0, 5)}`;

export const approve: Command = answerCommand('approve', 'Answer yes to a question that is waiting for a person');
export const reject: Command = answerCommand('reject', 'Answer no to a question that is waiting for a person');

/** `approve` and `reject`: the same command with two words. */
function answerCommand(action: AnswerMeaning, summary: string): Command {
  return {
    name: action,
    summary,
    arguments: ['ID'],
    options: { message: { value: 'TEXT', short: 'm', doc: 'a message for the session, together with the answer' } },
    example: `hookloop ${action} 7k2m9xqp --message "${action === 'approve' ? 'Looks good' : 'Not before Monday'}"`,
    async run({ positionals, values, flags }, io) {
      refuseAgents('an answer', io);
      const answered = await tryAnswer(positionals[0]!, { action, message: (values['message'] ?? '').trim() }, io);
      const { question, isTaken } = answered;
      if (flags.has('json')) io.out(jsonText(toReported(answered)));
      else if (isTaken) io.out(printable(`${takenText(answered)}\n`));
      if (!isTaken) io.err(printable(`hookloop ${action}: ${question.id} ${endedText(answered)}\n`));
      return isTaken ? exit.done : exit.failed;
    },
  };
}

async function tryAnswer(typed: string, given: { action: AnswerMeaning; message: string }, io: Io): Promise<Answered> {
  let answered: Answered | UnknownQuestion;
  try {
    answered = await answerTyped(io.env, typed, { ...given, where: `with hookloop ${given.action}` });
  } catch (error) {
    throw new SystemError(`the answer may not have been saved: ${(error as Error).message}`);
  }
  if (answered.kind === 'answered') return answered;
  if (answered.kind === 'several')
    throw new UsageError(`${typed} is the start of several ids: ${answered.ids.join(', ')}`);
  throw new UsageError(
    withHint(`no question has the id ${typed}`, answered.hint ?? 'hookloop approvals shows the pending questions'),
  );
}

function takenText(answered: Answered): string {
  const { id, session, question } = answered.question;
  if (!answered.isNew) return `${id} is already recorded: it ${endedText(answered)}`;
  return `${pastOf(answered)}: ${cut(flat(question), 60)} (${id}, session ${session})`;
}

function endedText(answered: Answered): string {
  const { settlement } = answered;
  if (settlement.kind === 'expired') return `has expired (${settlement.at}); the answer does not count`;
  if (settlement.kind === 'withdrawn') return `is no longer asked (${settlement.at}); the answer does not count`;
  const { message, by, at } = settlement;
  const said = message === '' ? '' : `: "${cut(flat(message), 60)}"`;
  return `was ${pastOf(answered).toLowerCase()} ${by ? `${byWords(by)} ` : ''}at ${at}${said}`;
}

function pastOf({ settlement, meaning }: Answered): string {
  if (settlement.kind !== 'answered') return settlement.kind;
  const word = meaning === 'approve' ? 'Approved' : 'Rejected';
  return meaningOf(settlement.action) === meaning ? word : `${word} with ${settlement.action}`;
}

function toReported({ question: { id, session }, settlement, isTaken }: Answered): unknown {
  const { kind: _, ...how } = settlement;
  return { id, session, status: isTaken ? 'recorded' : settlement.kind, ...how };
}
