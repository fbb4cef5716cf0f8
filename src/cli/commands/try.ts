import { tryEvent } from '../../app/try-event.ts';
import { dialectNames } from '../../model/index.ts';
import { type Command, UsageError, withHint } from '../command.ts';
import { fieldsNote } from '../print/fired.ts';
import { watchSignals } from '../signals.ts';
import { finishFired, fireContext, requestOf } from './dispatch.ts';

export const tryCommand: Command = {
  name: 'try',
  summary: 'Fire the hooks of an event that you describe in words, and show what they decide',
  arguments: ['EVENT', '[KEY=VALUE]...'],
  options: {
    only: { value: 'DIALECT', doc: `hooks of one dialect: ${dialectNames.join(', ')}` },
    'dry-run': { doc: 'show which hooks would run, and run none' },
  },
  example: "hookloop try tool.calling tool=Bash command='git push'",
  async run({ positionals: [event, ...words], values, flags }, io) {
    const interruption = watchSignals();
    const isForPeople = !flags.has('json');
    const { shown, context } = fireContext(io, interruption, isForPeople);
    const tried = await tryEvent(event!, words, requestOf(values, flags), context);
    if (tried.kind !== 'bad-words') return finishFired(tried, io, { shown, isForPeople, interruption });
    const { flaws, fields } = tried;
    const lines = flaws.map(({ message, hint }) => withHint(message, hint));
    // A hint that names them all has said it.
    const note =
      fields && !lines.some(line => line.includes('its fields:')) ? [fieldsNote(fields.event, fields.names)] : [];
    throw new UsageError([...lines, ...note].join('\n'));
  },
};
