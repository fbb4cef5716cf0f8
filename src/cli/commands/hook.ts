import { statSync } from 'node:fs';
import { join } from 'node:path';
import { joinSignals } from '../../actions/process/cancel.ts';
import { composeEngine } from '../../compose.ts';
import { stateFolder } from '../../folders.ts';
import type { Answer } from '../../hosts/host.ts';
import type { HostPorts } from '../../hosts/ports.ts';
import { describeProblem } from '../../model/index.ts';
import { readPlan } from '../../plan/cache.ts';
import type { Plan } from '../../plan/plan.ts';
import { createMask } from '../../secrets/mask.ts';
import { createMayRun } from '../../trust/may-run.ts';
import { ifStillTrusted } from '../../trust/still-trusted.ts';
import { type Command, UsageError } from '../command.ts';
import type { Io } from '../io.ts';
import { createSay } from '../say.ts';
import { watchSignals } from '../signals.ts';

/** Kept, since serve comes here for every call. */
let lazy: typeof import('../../hosts/lazy.ts') | undefined;
let sessions: typeof import('../hook-session.ts') | undefined;

export const hook: Command = {
  name: 'hook',
  summary: "Answer one call of an agent's own hooks: its payload on stdin, its answer on stdout",
  arguments: ['AGENT', '[EVENT]'],
  options: { http: { doc: 'see to it that hookloop serve is there, which the next calls go to' } },
  example: `echo '{"tool_name":"Bash","tool_input":{"command":"ls"}}' | hookloop hook claude PreToolUse`,
  async run({ positionals: [agent = '', event], flags }, io) {
    lazy ??= await import('../../hosts/lazy.ts');
    const { agentNamed, agentNames, createLog, fileClaims, respond } = lazy;
    const named = agentNamed(agent);
    if (!named) throw new UsageError(`unknown agent ${agent}; known: ${agentNames.join(', ')}`);
    const input = io.input() ?? '';
    const state = stateFolder(io.env);
    const memory = state === undefined ? undefined : join(state, 'hosts');
    const call = { agent: named, event, input };
    const unreached = flags.has('http') ? await (await import('../http-calls.ts')).prepare(call, io) : undefined;
    if (unreached) return give(unreached, io);
    // Over HTTP nobody says for which session an agent works.
    const isOfSession = io.env['HOOKLOOP_SESSION_DIR'] || (io.plan && memory !== undefined);
    if (isOfSession) sessions ??= await import('../hook-session.ts');
    const inSession = isOfSession ? await sessions!.answerOfSession(io, memory, call) : undefined;
    if (inSession) return give(inSession, io);
    const mask = createMask(io.env);
    const say = createSay(io, mask);
    const now = (): string => new Date().toISOString();
    const interruption = io.interruption ?? watchSignals();
    const answer = await respond(
      { ...call, env: io.env, cwd: io.cwd },
      {
        ...planAndFire(io, mask, say.line, interruption.signal),
        warn: say.line,
        log: createLog(memory, now),
        memory,
        claims: memory === undefined ? undefined : (io.claims?.(memory) ?? fileClaims(memory)),
        now,
      },
    );
    say.flush();
    const stopped = interruption.exitCode();
    const code = give(stopped === undefined ? answer : { ...answer, stdout: '' }, io);
    return stopped ?? code;
  },
};

function give({ stdout, stderr, exitCode }: Answer, io: Io): number {
  if (stderr !== '') io.err(stderr);
  if (stdout !== '') io.out(stdout);
  return exitCode;
}

function planAndFire(
  io: Io,
  mask: (text: string) => string,
  warn: (line: string) => void,
  interrupted: AbortSignal,
): Pick<HostPorts, 'plan' | 'fire' | 'mayRun'> {
  let plan: Plan | undefined;
  return {
    async plan(folder) {
      const cwd = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? folder : io.cwd;
      const request = { cwd, env: io.env, only: undefined };
      plan =
        (await io.plan?.(request)) ?? readPlan(request) ?? (await import('../../plan/compile.ts')).compilePlan(request);
      for (const problem of plan.problems) if (problem.severity === 'error') warn(describeProblem(problem));
      return plan;
    },
    mayRun: (event, hooks) => createMayRun({ pins: plan!.pins, root: plan!.places.root, env: io.env })(event, hooks),
    async fire(event, hooks, signal) {
      const { places, pins } = plan!;
      const reaches = hooks.some(({ action }) => action.kind !== 'shell');
      const outside = reaches ? (await import('../dispatch-outside.ts')).openOutside(io, places, event) : undefined;
      const engine = composeEngine({
        ...{ hooks, places, env: io.env, mask, relay: warn, warn },
        detach: true,
        guard: run => ifStillTrusted(run, pins),
        ...(io.spares && { spares: io.spares }),
        ...(outside && { actions: outside.actions }),
      });
      const joined = joinSignals(signal, interrupted);
      try {
        const result = await engine.fire(event, { signal: joined.signal });
        await (outside ? outside.finish(engine) : engine.settle());
        return result;
      } finally {
        joined.clear();
      }
    },
  };
}
