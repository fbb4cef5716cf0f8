import { forkSession } from '../../app/fork.ts';
import { resumeSession } from '../../app/resume-session.ts';
import { printable } from '../../model/index.ts';
import { quoted } from '../../model/own-entry.ts';
import { checkpointDigits } from '../../model/words.ts';
import { canAsk } from '../ask-yes-no.ts';
import { checkpointArgument, tellNoCheckpoint } from '../checkpoint-arguments.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { groupError, sessionOrLast } from '../find-session.ts';
import { jsonText } from '../print/text.ts';
import { playSession } from '../run/play-session.ts';

export const fork: Command = {
  name: 'fork',
  summary: 'Begin a session that goes on from a checkpoint of another, in a worktree of its own',
  arguments: ['[SESSION]'],
  options: {
    at: { value: 'N', doc: 'the checkpoint to go on from' },
    prompt: { value: 'TEXT', doc: 'told to the agent with its next iteration' },
    run: { doc: 'start it now' },
  },
  example: 'hookloop fork release-20260824-101500 --at 3 --prompt "Keep the old API"',
  async run({ positionals, values, flags }, io) {
    const at = checkpointArgument(values['at'], '--at');
    if (at === undefined) throw new UsageError('--at is missing: name a checkpoint, as hookloop show lists them');
    const prompt = values['prompt'];
    if (prompt?.trim() === '') throw new UsageError('--prompt is empty');
    const session = await sessionOrLast(positionals[0], io);
    const made = await forkSession(session, { at, prompt }, io);
    if (made.kind !== 'forked') return tellNoCheckpoint('fork', session.name, made, io);
    const { name, root } = made;
    if (flags.has('run'))
      return playSession('resume', flags, { ...io, cwd: root }, async ports => {
        const resumed = await resumeSession(name, { acceptChanges: false, isPersonHere: canAsk(io) }, ports);
        if (resumed.kind === 'group') throw groupError(name);
        return resumed;
      });
    const command = `hookloop resume ${name} -C ${/^[\w/.-]+$/.test(root) ? root : quoted(root)}`;
    if (flags.has('json')) io.out(jsonText({ session: name, of: session.name, at, folder: root, command }));
    else {
      io.out(
        printable(`Session ${name} goes on from checkpoint ${checkpointDigits(at)} of ${session.name}, in ${root}\n`),
      );
      io.err(printable(`Start it with: ${command}\n`));
    }
    return exit.done;
  },
};
