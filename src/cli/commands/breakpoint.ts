import { askSession } from '../../session/control/ask.ts';
import { readApproval } from '../../session/control/values.ts';
import type { BreakpointEnd } from '../ask-here.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { findRunning } from '../running-session.ts';

export const breakpoint: Command = {
  name: 'breakpoint',
  summary: 'Ask a person and wait for the answer',
  arguments: [],
  options: {
    question: { value: 'TEXT', doc: 'what is asked' },
    title: { value: 'TEXT', doc: 'a heading' },
    file: { value: 'FILE', doc: 'shown with the question; may be given more than once', repeats: true },
    session: { value: 'NAME', doc: 'default: $HOOKLOOP_SESSION, else the only session that runs' },
  },
  example: 'hookloop breakpoint --title Plan --question "Is this the right plan?" --file plan.md',
  async run({ values, lists }, io) {
    const { question, title } = values;
    if (!question?.trim()) throw new UsageError('--question TEXT is missing');
    const files = lists['file'];
    const asked = { question, ...(title !== undefined && { title }), ...(files && { files }) };
    const session = findRunning(values['session'], io);
    const end = session
      ? answerOf(await askSession(session.folder, { method: 'approval', ...asked }))
      : await (await import('../ask-here.ts')).askHere(asked, io);
    if ('failed' in end) {
      io.err(`hookloop breakpoint: ${end.failed}\n`);
      return exit.failed;
    }
    io.out(`${JSON.stringify(end)}\n`);
    return end.approved ? exit.done : exit.refused;
  },
};

function answerOf(reply: Awaited<ReturnType<typeof askSession>>): BreakpointEnd {
  if (reply.kind === 'not-running') return { failed: 'the session has just ended' };
  if (reply.kind !== 'ok') return { failed: reply.reason };
  return readApproval(reply.value) ?? { failed: 'the session gave no answer' };
}
