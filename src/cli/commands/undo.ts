import { type UndoEnd, type UndoPlan, undoSession } from '../../app/undo.ts';
import { printable } from '../../model/index.ts';
import { checkpointDigits, counted } from '../../model/words.ts';
import { askYesNo, canAsk } from '../ask-yes-no.ts';
import { checkpointArgument, tellNoCheckpoint } from '../checkpoint-arguments.ts';
import { type Command, type CommandIo, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { sessionOrLast } from '../find-session.ts';
import { leftLines, undoText } from '../print/checkpoints.ts';
import { jsonText } from '../print/text.ts';

export const undo: Command = {
  name: 'undo',
  summary: 'Put the files back to before a session, or to one of its checkpoints',
  arguments: ['[SESSION]'],
  options: {
    to: { value: 'N', doc: 'back to checkpoint N (default: 0, before the session)' },
    yes: { short: 'y', doc: 'do not ask' },
  },
  example: 'hookloop undo release-20260824-101500 --to 3',
  async run({ positionals, values, flags }, io) {
    const to = checkpointArgument(values['to'], '--to') ?? 0;
    const isJson = flags.has('json');
    if (!flags.has('yes') && (isJson || !canAsk(io)))
      throw new UsageError('undo changes files and there is no one to ask: look with hookloop diff, then use --yes');
    const session = await sessionOrLast(positionals[0], io);
    const agree = async (plan: UndoPlan): Promise<boolean> => {
      if (!isJson) io.err(printable(io.mask(undoText(session.name, plan))));
      return (
        flags.has('yes') ||
        askYesNo(`The files as they are now are kept as checkpoint ${checkpointDigits(plan.keeps)}. Go back?`, io)
      );
    };
    const end = await undoSession(session, to, io, agree);
    return isJson ? report(session.name, end, io) : tell(session.name, end, io);
  },
};

function tell(name: string, end: UndoEnd, io: CommandIo): number {
  switch (end.kind) {
    case 'undone': {
      const { changes, keeps, to } = end;
      io.out(`Session ${name}: ${counted(changes.length, 'file')} put back to checkpoint ${checkpointDigits(to.n)}.\n`);
      io.err(`To take it back: hookloop undo ${name} --to ${keeps}\n`);
      return exit.done;
    }
    case 'unchanged':
      io.out(`The files are as they were at checkpoint ${checkpointDigits(end.to.n)}.\n`);
      io.err(
        printable(
          io.mask(
            leftLines(end.left)
              .map(line => `${line}\n`)
              .join(''),
          ),
        ),
      );
      return exit.done;
    case 'declined':
      io.err('Nothing was changed.\n');
      return exit.failed;
    default:
      return tellWhyNot(name, end, io);
  }
}

function report(name: string, end: UndoEnd, io: CommandIo): number {
  if (end.kind !== 'undone' && end.kind !== 'unchanged' && end.kind !== 'declined') return tellWhyNot(name, end, io);
  const files = 'changes' in end ? end.changes.map(({ path, kind }) => ({ path, status: kind })) : [];
  const kept = end.kind === 'undone' ? { kept: end.keeps } : {};
  io.out(io.mask(jsonText({ session: name, status: end.kind, to: end.to.n, ...kept, files, left: end.left })));
  return exit.done;
}

function tellWhyNot(
  name: string,
  end: Exclude<UndoEnd, { kind: 'undone' | 'unchanged' | 'declined' }>,
  io: CommandIo,
): number {
  if (end.kind === 'busy') {
    io.err(
      `hookloop undo: session ${name} is running${end.pid === undefined ? '' : ` (process ${end.pid})`}: hookloop stop ${name} stops it\n`,
    );
    return exit.busy;
  }
  return tellNoCheckpoint('undo', name, end, io);
}
