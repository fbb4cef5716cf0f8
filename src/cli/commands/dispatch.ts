import { dispatchEvent, type FireRequest } from '../../app/dispatch-event.ts';
import { plansOnDisk } from '../../app/plan-source.ts';
import { type DialectName, dialectNames, type EventResult, printableJson } from '../../model/index.ts';
import { didYouMean } from '../../model/nearest.ts';
import { type Arguments, type Command, UsageError, withHint } from '../command.ts';
import { exit } from '../exit.ts';
import { InputError, type Io } from '../io.ts';
import { createDispatchLog, type DispatchLog } from '../print/dispatch-log.ts';
import { createSay, type Say } from '../print/say.ts';
import { watchSignals } from '../signals.ts';

export const dispatch: Command = {
  name: 'dispatch',
  summary: 'Fire the hooks of one event; payload JSON on stdin, result JSON on stdout',
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
async function dispatchCall({ positionals, values, flags }: Arguments, io: Io): Promise<number> {
  const interruption = watchSignals();
  const request: FireRequest = {
    only: knownDialect(values['only']),
    requireTrust: flags.has('require-trust'),
    dryRun: flags.has('dry-run'),
  };
  const shown: { say?: Say; log?: DispatchLog } = {};
  const called = { event: positionals[0]!, input: io.input };
  const dispatched = await dispatchEvent(called, request, {
    ...{ cwd: io.cwd, env: io.env, plans: plansOnDisk, signal: interruption.signal, program: process.argv[1]! },
    tell: line => io.err(`${line}\n`),
    report(mask) {
      const say = createSay(io, mask);
      const log = createDispatchLog(say.masked, mask);
      Object.assign(shown, { say, log });
      return { line: say.line, progress: log.onProgress };
    },
  });
  const { say, log } = shown;
  if (dispatched.kind === 'fired') log?.summary();
  else if (dispatched.kind === 'unknown-event') throw new UsageError(dispatched.why);
  else if (dispatched.kind === 'bad-payload') throw new InputError(dispatched.why);
  else say?.line(`hookloop: ${dispatched.why}`);
  say?.flush();
  if (dispatched.kind !== 'fired') return dispatched.kind === 'broken' ? exit.badConfig : exit.refused;
  if (interruption.exitCode() === undefined) io.out(`${printableJson(dispatched.result)}\n`);
  return interruption.exitCode() ?? codeFor(dispatched.result);
}

function knownDialect(name: string | undefined): DialectName | undefined {
  if (name === undefined || (dialectNames as readonly string[]).includes(name)) return name as DialectName | undefined;
  throw new UsageError(
    withHint(`unknown dialect ${name}`, didYouMean(name, dialectNames) ?? `known: ${dialectNames.join(', ')}`),
  );
}

const codeFor = ({ decision }: EventResult): number => (decision.kind === 'proceed' ? exit.done : exit.refused);
