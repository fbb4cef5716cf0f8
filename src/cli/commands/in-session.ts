import { askSession } from '../../session/control/ask.ts';
import { readApproval } from '../../session/control/wire.ts';
import type { BreakpointEnd } from '../ask-here.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { findRunning } from '../running-session.ts';
import { dispatch } from './dispatch.ts';

export const breakpoint: Command = {
  name: 'breakpoint',
  summary: 'Ask a person and wait for the answer',
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
    const session = await findRunning(values['session'], io);
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

export const score: Command = {
  name: 'score',
  summary: 'Record a score: fires score.recorded in the running session, else here',
  arguments: ['VALUE'],
  options: {
    target: { value: 'N', doc: 'the score to reach' },
    session: { value: 'NAME', doc: 'default: $HOOKLOOP_SESSION, else the only session that runs' },
  },
  example: 'hookloop score 0.82 --target 0.9',
  async run({ positionals, values, flags }, io) {
    const value = numberOf(positionals[0]!, 'VALUE');
    const target = values['target'] === undefined ? undefined : numberOf(values['target'], '--target');
    const scored = { score: value, ...(target !== undefined && { target }) };
    const session = await findRunning(values['session'], io);
    if (!session) {
      const payload = JSON.stringify(scored);
      return dispatch.run(
        { positionals: ['score.recorded'], values: {}, lists: {}, flags },
        { ...io, input: () => payload },
      );
    }
    const reply = await askSession(session.folder, { method: 'score', ...scored });
    if (reply.kind === 'ok') {
      io.out(`${JSON.stringify({ session: session.name, ...scored })}\n`);
      return exit.done;
    }
    io.err(`hookloop score: ${'reason' in reply ? reply.reason : `session ${session.name} has just ended`}\n`);
    return reply.kind === 'refused' ? exit.refused : exit.failed;
  },
};

function numberOf(written: string, what: string): number {
  const value = Number(written);
  if (written.trim() !== '' && Number.isFinite(value)) return value;
  throw new UsageError(`${what} ${written}: write a number`);
}

export const mcp: Command = {
  name: 'mcp',
  summary: 'Offer the tools of a session to its agent, as an MCP server on stdin and stdout',
  example: 'HOOKLOOP_SESSION_DIR=$PWD/.hookloop/sessions/demo hookloop mcp',
  async run(_args, { env }) {
    const sessionFolder = env['HOOKLOOP_SESSION_DIR'];
    if (!sessionFolder?.startsWith('/'))
      throw new UsageError(
        'HOOKLOOP_SESSION_DIR has to name the folder of a session; hookloop run sets it when it hands this server to an agent',
      );
    const { serveMcp } = await import('../../serve/mcp/server.ts');
    await serveMcp({ sessionFolder });
    return exit.done;
  },
};
