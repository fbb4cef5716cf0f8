import { type Dispatched, dispatchEvent, type FireContext, type FireRequest } from '../../app/dispatch-event.ts';
import { plansOnDisk } from '../../app/plan-source.ts';
import { type DialectName, dialectNames, type EventResult, printableJson } from '../../model/index.ts';
import { didYouMean } from '../../model/nearest.ts';
import { type Arguments, type Command, type CommandIo, UsageError, withHint } from '../command.ts';
import { exit } from '../exit.ts';
import { InputError, type Io } from '../io.ts';
import { createDispatchLog, type DispatchLog } from '../print/dispatch-log.ts';
import { createSay, type Say } from '../print/say.ts';
import { type Interruption, watchSignals } from '../signals.ts';

export const dispatch: Command = {
  name: 'dispatch',
  summary: 'Fire the hooks of one event: payload as JSON on stdin, result as JSON on stdout',
  arguments: ['EVENT'],
  options: {
    only: { value: 'DIALECT', doc: `hooks of one dialect: ${dialectNames.join(', ')}` },
    'require-trust': { doc: 'run nothing unless the hooks of this project are trusted (see hookloop trust)' },
    'dry-run': { doc: 'show which hooks would run, and run none' },
  },
  example: `echo '{"session":"demo","iteration":3}' | hookloop dispatch iteration.completed`,
  run: dispatchCall,
};

/** Fires one event to an exit code. Contract: throws UsageError and InputError. */
async function dispatchCall({ positionals, values, flags }: Arguments, io: CommandIo): Promise<number> {
  const interruption = watchSignals();
  const called = { event: positionals[0]!, input: io.input };
  const isForPeople = !flags.has('json') && io.terminal('out').columns !== undefined;
  const { shown, context } = fireContext(io, interruption, isForPeople);
  const dispatched = await dispatchEvent(called, requestOf(values, flags), context);
  if (dispatched.kind === 'unknown-event') throw new UsageError(dispatched.why);
  if (dispatched.kind === 'bad-payload') throw new InputError(dispatched.why);
  if (dispatched.kind === 'fired' && isForPeople) {
    const { unknownFieldsNote } = await import('../print/fired.ts');
    io.err(io.mask(unknownFieldsNote(dispatched)));
  }
  return finishFired(dispatched, io, { shown, isForPeople, interruption });
}

/** Which hooks the options of `dispatch` and `try` choose. Contract: throws UsageError. */
export const requestOf = (values: Arguments['values'], flags: Arguments['flags']): FireRequest => ({
  only: knownDialect(values['only']),
  requireTrust: flags.has('require-trust'),
  dryRun: flags.has('dry-run'),
});

interface Shown {
  say?: Say;
  log?: DispatchLog;
}

/** What an event is fired with. The log of the hooks is for programs; people get one text when all have ended. */
export function fireContext(
  io: Io,
  interruption: Interruption,
  isForPeople: boolean,
): { shown: Shown; context: FireContext } {
  const shown: Shown = {};
  const context: FireContext = {
    ...{ cwd: io.cwd, env: io.env, plans: plansOnDisk, program: process.argv[1]! },
    get signal() {
      return interruption.signal;
    },
    tell: line => io.err(`${line}\n`),
    report(mask) {
      const say = createSay(io, mask);
      shown.say = say;
      if (isForPeople) return { line: say.line, progress: () => {} };
      const log = createDispatchLog(say.masked, mask);
      shown.log = log;
      return { line: say.line, progress: log.onProgress };
    },
  };
  return { shown, context };
}

/** Prints what an event came to, and gives the exit code. */
export async function finishFired(
  dispatched: Dispatched,
  io: CommandIo,
  {
    shown: { say, log },
    isForPeople,
    interruption,
  }: { shown: Shown; isForPeople: boolean; interruption: Interruption },
): Promise<number> {
  if (dispatched.kind === 'fired') log?.summary();
  else say?.line(`hookloop: ${dispatched.why}`);
  say?.flush();
  if (dispatched.kind !== 'fired') return dispatched.kind === 'broken' ? exit.badConfig : exit.refused;
  if (interruption.exitCode() === undefined) {
    if (isForPeople) {
      const { printFired } = await import('../print/fired.ts');
      io.out(printFired(dispatched, io));
    } else io.out(`${printableJson(dispatched.result)}\n`);
  }
  return interruption.exitCode() ?? codeFor(dispatched.result);
}

function knownDialect(name: string | undefined): DialectName | undefined {
  if (name === undefined || (dialectNames as readonly string[]).includes(name)) return name as DialectName | undefined;
  throw new UsageError(
    withHint(`unknown dialect ${name}`, didYouMean(name, dialectNames) ?? `known: ${dialectNames.join(', ')}`),
  );
}

const codeFor = ({ decision }: EventResult): number => (decision.kind === 'proceed' ? exit.done : exit.refused);
