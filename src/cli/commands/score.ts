import { askSession } from '../../session/control/ask.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { findRunning } from '../running-session.ts';
import { dispatch } from './dispatch.ts';

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
