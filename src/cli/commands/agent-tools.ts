import type { AskContext, PersonAnswered } from '../../app/ask-person.ts';
import { recordScore } from '../../app/ask-running-session.ts';
import { printable } from '../../model/index.ts';
import { type Command, type CommandIo, type Option, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { runningSession } from '../find-session.ts';
import { watchSignals } from '../signals.ts';
import { dispatch } from './dispatch.ts';

const runningOption: Option = { value: 'NAME', doc: 'default: $HOOKLOOP_SESSION, else the only running session' };

export const breakpoint: Command = {
  name: 'breakpoint',
  summary: 'Ask a person and wait for the answer',
  options: {
    question: { value: 'TEXT', doc: 'the question' },
    title: { value: 'TEXT', doc: 'a heading' },
    file: { value: 'FILE', doc: 'a file to show with the question; may be given more than once', repeats: true },
    session: runningOption,
  },
  example: 'hookloop breakpoint --title Plan --question "Is this the right plan?" --file plan.md',
  async run({ values, lists }, io) {
    const { question, title } = values;
    if (!question?.trim()) throw new UsageError('--question TEXT is missing');
    const files = lists['file'];
    const asked = { question, ...(title !== undefined && { title }), ...(files && { files }) };
    const session = await runningSession(values['session'], io);
    const { askInSession, askPerson } = await import('../../app/ask-person.ts');
    const end = session ? await askInSession(session, asked) : await askPerson(asked, askingFrom(io));
    if (end.kind !== 'answered') {
      io.err(`hookloop breakpoint: ${end.kind === 'failed' ? end.reason : unanswered[end.kind]}\n`);
      return exit.failed;
    }
    const { kind: _, ...answer } = end;
    io.out(`${JSON.stringify(answer)}\n`);
    return end.approved ? exit.done : exit.refused;
  },
};

const unanswered: Readonly<Record<Exclude<PersonAnswered['kind'], 'answered' | 'failed'>, string>> = {
  expired: 'no one answered in time',
  interrupted: 'interrupted before anyone answered',
  'not-running': 'the session has just ended',
  'no-answer': 'the session gave no answer',
};

function askingFrom({ cwd, env, err }: CommandIo): AskContext {
  const tell = (line: string): void => err(`${printable(line)}\n`);
  return {
    ...{ cwd, env, tell, program: process.argv[1]!, signal: watchSignals().signal },
    onQuestion: id => tell(`is waiting for a person; answer with: hookloop approve ${id}, or hookloop reject ${id}`),
    onHookFailed: (name, reason) => tell(`hookloop: hook ${name} failed: ${reason}`),
  };
}

export const score: Command = {
  name: 'score',
  summary: 'Record a score: fires score.recorded in the running session, or else here',
  arguments: ['VALUE'],
  options: {
    target: { value: 'N', doc: 'the score to reach' },
    session: runningOption,
  },
  example: 'hookloop score 0.82 --target 0.9',
  async run({ positionals, values, flags }, io) {
    const value = numberOf(positionals[0]!, 'VALUE');
    const target = values['target'] === undefined ? undefined : numberOf(values['target'], '--target');
    const scored = { score: value, ...(target !== undefined && { target }) };
    const session = await runningSession(values['session'], io);
    if (!session) {
      const payload = JSON.stringify(scored);
      return dispatch.run(
        { positionals: ['score.recorded'], values: {}, lists: {}, flags },
        { ...io, input: () => payload },
      );
    }
    const reply = await recordScore(session, scored);
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
