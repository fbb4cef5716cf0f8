import { composeEngine } from '../../app/compose.ts';
import { didYouMean } from '../../config/nearest.ts';
import { allSpellings, eventsSpelled, pickEvent } from '../../dialects/wires.ts';
import type { Progress } from '../../engine/run-hook.ts';
import type { Plan, PlanRequest } from '../../hooks/plan/cache.ts';
import { createMask, maskDeep } from '../../hooks/secrets/mask.ts';
import type { TrustCheck } from '../../hooks/trust/may-run.ts';
import {
  type DialectName,
  describeProblem,
  dialectNames,
  type EventName,
  type EventResult,
  errorLines,
  type HookId,
  printableJson,
} from '../../model/index.ts';
import { folderFlaws } from '../../platform/folders.ts';
import { type Command, UsageError, withHint } from '../command.ts';
import { exit } from '../exit.ts';
import type { Io } from '../io.ts';
import { parsePayload, readEvent } from '../payload.ts';
import { planFor } from '../plan-for.ts';
import { createDispatchLog } from '../print/dispatch-log.ts';
import { createSay } from '../print/say.ts';
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
  async run({ positionals, values, flags }, io) {
    const events = knownEvents(positionals[0]!);
    const request: PlanRequest = { cwd: io.cwd, env: io.env, only: knownDialect(values['only']) };
    const payload = parsePayload(io.input());
    const event = readEvent(pickEvent(events, payload), payload);
    const plan = await planFor(request, io);
    // Only events that need more than a shell load more than a shell.
    const reaches = plan.hooks.some(hook => hook.event === event.name && hook.action.kind !== 'shell');
    const outside = reaches ? (await import('../dispatch-outside.ts')).openOutside(io, plan.places, event) : undefined;
    const mask = outside?.mask ?? createMask(io.env);
    const say = createSay(io, mask);
    // Warnings are for check, list and doctor: here they would be told with every event.
    for (const flaw of folderFlaws(io.env)) say.line(`hookloop: ${flaw}`);
    const refusing = plan.problems.filter(({ refuses }) => refuses);
    for (const problem of refusing) say.line(describeProblem(problem));
    for (const line of errorLines(plan.problems.filter(({ refuses }) => !refuses))) say.line(line);
    if (refusing.length > 0) {
      say.line('hookloop: nothing was run, because a file that is or may hold a gate has errors (see hookloop check)');
      say.flush();
      return exit.badConfig;
    }
    const { why, guard } = flags.has('require-trust') ? await checkTrust(plan, request, io) : {};
    if (why !== undefined) {
      say.line(`hookloop: nothing was run: ${why}`);
      say.flush();
      return exit.refused;
    }
    const log = createDispatchLog(say.masked, mask);
    const failures = new Map<HookId, string>();
    const engine = composeEngine({
      ...plan,
      env: io.env,
      mask,
      relay: say.line,
      warn: say.line,
      onProgress(progress) {
        log.onProgress(progress);
        noteFailure(progress, failures);
      },
      detach: true,
      dryRun: flags.has('dry-run'),
      ...(guard && { guard }),
      ...(outside && { actions: outside.actions }),
    });
    const interruption = io.interruption ?? watchSignals();
    const signal = outside ? AbortSignal.any([interruption.signal, outside.signal]) : interruption.signal;
    const fired = await engine.fire(event, { signal });
    await (outside ? outside.finish(engine) : engine.settle());
    const result = withFailures(fired, failures);
    log.summary();
    say.flush();
    if (interruption.exitCode() === undefined) io.out(`${printableJson(maskDeep(result, mask))}\n`);
    return interruption.exitCode() ?? codeFor(result);
  },
};

/** What no one waits for has often failed by the time that it is sent. */
function noteFailure(progress: Progress, failures: Map<HookId, string>): void {
  if (progress.type !== 'finished' || progress.result.status !== 'finished' || progress.hook.wait) return;
  const { verdict } = progress.result;
  if (verdict.kind === 'failed') failures.set(progress.hook.id, verdict.reason);
}

const withFailures = (result: EventResult, failures: ReadonlyMap<HookId, string>): EventResult => ({
  ...result,
  results: result.results.map(each => {
    const failed = each.status === 'detached' ? failures.get(each.hook) : undefined;
    return failed === undefined ? each : { ...each, failed };
  }),
});

function knownEvents(spelling: string): readonly EventName[] {
  const events = eventsSpelled(spelling);
  if (events) return events;
  throw new UsageError(
    withHint(`unknown event ${spelling}`, didYouMean(spelling, allSpellings()) ?? 'hookloop events lists them all'),
  );
}

function knownDialect(name: string | undefined): DialectName | undefined {
  if (name === undefined || (dialectNames as readonly string[]).includes(name)) return name as DialectName | undefined;
  throw new UsageError(
    withHint(`unknown dialect ${name}`, didYouMean(name, dialectNames) ?? `known: ${dialectNames.join(', ')}`),
  );
}

/** What is trusted is the whole project, not one dialect of it. */
async function checkTrust({ hooks, ...plan }: Plan, request: PlanRequest, io: Io): Promise<TrustCheck> {
  const { pins, places } = request.only === undefined ? plan : await planFor({ ...request, only: undefined }, io);
  const { checkHooks } = await import('../../hooks/trust/may-run.ts');
  const check = checkHooks(hooks, { pins, root: places.root, env: io.env });
  if (check.remark !== undefined) io.err(check.remark);
  return check;
}

const codeFor = ({ decision }: EventResult): number => (decision.kind === 'proceed' ? exit.done : exit.refused);
