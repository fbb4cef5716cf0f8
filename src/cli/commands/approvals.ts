import { printableJson } from '../../model/index.ts';
import { findByTyped, linkTo, waitingQuestions } from '../../people/answers.ts';
import type { Question } from '../../session/questions/questions.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import type { Io } from '../io.ts';
import { refuseAgents } from '../not-for-agents.ts';
import { createColours } from '../print/paint.ts';
import { columnWidths, gap, row, totalWidth } from '../print/table.ts';
import { cut, flat } from '../print/text.ts';

export const approvals: Command = {
  name: 'approvals',
  summary: 'Show what waits for a person, in all your sessions',
  arguments: [],
  options: { link: { value: 'ID', doc: 'print the address of the page of this question; whoever has it can answer' } },
  example: 'hookloop approvals',
  run({ values, flags }, io) {
    if (values['link'] !== undefined) return printLink(values['link'], io, flags.has('json'));
    const questions = waitingQuestions(io.env);
    if (flags.has('json')) {
      io.out(`${printableJson(questions.map(toListed), 2)}\n`);
      return exit.done;
    }
    if (questions.length === 0) {
      io.out('Nothing waits for an answer.\n');
      return exit.done;
    }
    const { color, columns = 2000 } = io.terminal('out');
    const { bold, dim } = createColours(color && !flags.has('no-color'));
    io.out(
      `${table(questions, columns, bold)}\n\n${dim('Answer with: hookloop approve ID, or hookloop reject ID; look at it with: hookloop approvals --link ID')}\n`,
    );
    return exit.done;
  },
};

function printLink(typed: string, io: Io, asJson: boolean): number {
  refuseAgents('a link that answers', io);
  const found = findByTyped(io.env, typed);
  if (found.kind !== 'found') throw new UsageError(`${typed} is no question that waits; hookloop approvals lists them`);
  const link = linkTo(io.env, found.question);
  io.out(asJson ? `${JSON.stringify({ link })}\n` : `${link}\n`);
  return exit.done;
}

function toListed({ id, session, stage, iteration, question, since, expires }: Question): unknown {
  return {
    ...{ id, session },
    ...(stage !== undefined && { stage }),
    ...(iteration !== undefined && { iteration }),
    ...{ question, since, expires },
  };
}

/** The question has what the other columns leave. */
function table(questions: readonly Question[], columns: number, bold: (text: string) => string): string {
  const head = ['ID', 'SESSION', 'STAGE', 'ASKED', 'EXPIRES', 'QUESTION'];
  const rows = questions.map(question => [
    question.id,
    flat(question.session),
    flat([question.stage, question.iteration].filter(part => part !== undefined).join(' ')),
    localTime(question.since),
    question.expires === null ? 'never' : localTime(question.expires),
    flat(question.question),
  ]);
  const others = columnWidths([head, ...rows].map(cells => cells.slice(0, -1)));
  const room = Math.max(20, columns - totalWidth(others) - gap.length);
  const shown = rows.map(cells => [...cells.slice(0, -1), cut(cells.at(-1)!, room)]);
  const widths = columnWidths([head, ...shown]);
  return [bold(row(head, widths)), ...shown.map(cells => row(cells, widths))].join('\n');
}

function localTime(iso: string): string {
  const date = new Date(iso);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
