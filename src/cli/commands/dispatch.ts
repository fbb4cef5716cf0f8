import { dispatchEvent, eventsNamed, type FireRequest, readEvent } from '../../app/dispatch-event.ts';
import { type PlanSource, plansOnDisk } from '../../app/plan-source.ts';
import {
  type DialectName,
  describeProblem,
  dialectNames,
  type EventName,
  type EventResult,
  errorLines,
  type Problem,
  printableJson,
} from '../../model/index.ts';
import { didYouMean } from '../../model/nearest.ts';
import { folderFlaws } from '../../platform/folders.ts';
import { type Arguments, type Command, UsageError, withHint } from '../command.ts';
import { exit } from '../exit.ts';
import { InputError, type Io } from '../io.ts';
import { payloadFields } from '../payload.ts';
import { createDispatchLog, type DispatchLog } from '../print/dispatch-log.ts';
import { createSay, type Say } from '../print/say.ts';
import { type Interruption, watchSignals } from '../signals.ts';

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
  run: (args, io) => dispatchCall(args, io, { interruption: watchSignals(), plans: plansOnDisk }),
};

interface Dispatching {
  interruption: Interruption;
  plans: PlanSource;
}

/** Fires one event to an exit code. Contract: throws UsageError and InputError. */
export async function dispatchCall(
  { positionals, values, flags }: Arguments,
  io: Io,
  { interruption, plans }: Dispatching,
): Promise<number> {
  const request: FireRequest = {
    only: knownDialect(values['only']),
    requireTrust: flags.has('require-trust'),
    dryRun: flags.has('dry-run'),
  };
  const events = knownEvents(positionals[0]!);
  const reading = readEvent(events, payloadFields(io.input()));
  if (reading.kind === 'bad') throw new InputError(`bad payload for ${reading.name}: ${reading.flaws.join('; ')}`);
  const shown: { say?: Say; log?: DispatchLog } = {};
  const fired = await dispatchEvent(reading.event, request, {
    ...{ cwd: io.cwd, env: io.env, plans, signal: interruption.signal, program: process.argv[1]! },
    tell: line => io.err(`${line}\n`),
    report(mask) {
      const say = createSay(io, mask);
      const log = createDispatchLog(say.masked, mask);
      Object.assign(shown, { say, log });
      return { line: say.line, progress: log.onProgress, problems: problems => tellProblems(problems, io, say) };
    },
  });
  const { say, log } = shown;
  if (fired.kind === 'broken')
    say?.line('hookloop: nothing was run, because a file that is or may hold a gate has errors (see hookloop check)');
  else if (fired.kind === 'untrusted') say?.line(`hookloop: nothing was run: ${fired.why}`);
  else log?.summary();
  say?.flush();
  if (fired.kind === 'broken') return exit.badConfig;
  if (fired.kind === 'untrusted') return exit.refused;
  if (interruption.exitCode() === undefined) io.out(`${printableJson(fired.result)}\n`);
  return interruption.exitCode() ?? codeFor(fired.result);
}

/** Warnings are for check, list and doctor: here they would be told with every event. */
function tellProblems(problems: readonly Problem[], { env }: Pick<Io, 'env'>, say: Say): void {
  say.line(() => {
    const flaws = folderFlaws(env).map(flaw => `hookloop: ${flaw}`);
    return flaws.length === 0 ? undefined : flaws.join('\n');
  });
  for (const problem of problems) if (problem.refuses) say.line(describeProblem(problem));
  for (const line of errorLines(problems.filter(({ refuses }) => !refuses))) say.line(line);
}

function knownEvents(spelling: string): readonly EventName[] {
  const events = eventsNamed(spelling);
  if (!('hint' in events)) return events;
  throw new UsageError(withHint(`unknown event ${spelling}`, events.hint ?? 'hookloop events lists them all'));
}

function knownDialect(name: string | undefined): DialectName | undefined {
  if (name === undefined || (dialectNames as readonly string[]).includes(name)) return name as DialectName | undefined;
  throw new UsageError(
    withHint(`unknown dialect ${name}`, didYouMean(name, dialectNames) ?? `known: ${dialectNames.join(', ')}`),
  );
}

const codeFor = ({ decision }: EventResult): number => (decision.kind === 'proceed' ? exit.done : exit.refused);
