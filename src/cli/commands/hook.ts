import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { joinSignals } from '../../actions/process/cancel.ts';
import { composeEngine } from '../../app/compose.ts';
import type { Plan, PlanRequest } from '../../hooks/plan/cache.ts';
import { createMask } from '../../hooks/secrets/mask.ts';
import { createMayRun } from '../../hooks/trust/may-run.ts';
import { ifStillTrusted } from '../../hooks/trust/still-trusted.ts';
import type { Answer } from '../../hosts/host.ts';
import type { HostPorts } from '../../hosts/respond.ts';
import { errorLines } from '../../model/index.ts';
import { folderInside, stateFolder } from '../../platform/folders.ts';
import { type Command, UsageError } from '../command.ts';
import type { Io } from '../io.ts';
import { planFor } from '../plan-for.ts';
import { createSay } from '../print/say.ts';
import { watchSignals } from '../signals.ts';

/** Kept, since serve comes here for every call. */
let lazy: typeof import('../../hosts/lazy.ts') | undefined;
let sessions: typeof import('../hook-session.ts') | undefined;

export const hook: Command = {
  name: 'hook',
  summary: "Answer one call of an agent's own hooks: its payload on stdin, its answer on stdout",
  arguments: ['AGENT', '[EVENT]'],
  options: {
    http: { doc: 'see to it that hookloop serve is there, which the next calls go to' },
    from: { value: 'FILE', doc: 'the file that the entry stands in: what to remove where a part of hookloop is gone' },
    state: { value: 'DIR', doc: "the user's state folder, whatever the environment says; the launcher names it" },
  },
  example: `echo '{"tool_name":"Bash","tool_input":{"command":"ls"}}' | hookloop hook claude PreToolUse`,
  async run({ positionals: [agent = '', event], flags, values }, io) {
    lazy ??= await import('../../hosts/lazy.ts');
    const { agentNamed, agentNames, createLog, fileClaims, respond } = lazy;
    const named = agentNamed(agent);
    if (!named) throw new UsageError(`unknown agent ${agent}; known: ${agentNames.join(', ')}`);
    const input = io.input() ?? '';
    const state = values['state'] ?? io.state ?? stateFolder(io.env);
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
      { ...call, env: io.env, cwd: io.cwd, from: values['from'] },
      {
        ...planAndFire(io, state, mask, say.line, interruption.signal),
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
  state: string | undefined,
  mask: (text: string) => string,
  warn: (line: string) => void,
  interrupted: AbortSignal,
): Pick<HostPorts, 'plan' | 'fire' | 'mayRun' | 'rule' | 'asking'> {
  const memory = state === undefined ? undefined : join(state, 'hosts');
  // What was trusted is where the user has trusted it, wherever a project would like it to be.
  const env = state === undefined ? io.env : { ...io.env, XDG_STATE_HOME: dirname(state) };
  let plan: Plan | undefined;
  return {
    async plan(folders, session) {
      const [cwd = io.cwd, ...others] = new Set(folders.filter(isFolder));
      const request: PlanRequest = { cwd, env: io.env, only: undefined };
      const found = await planFor(request, io);
      const roots = rootsOf(found);
      const known = [...roots];
      for (const other of others) known.push(...rootsOf(await planFor({ ...request, cwd: other }, io)));
      const settled = lazy!.settleRoots(memory, session, [...new Set(known)]);
      const earlier = settled.filter(root => !roots.includes(root));
      plan = earlier.length === 0 ? found : await planFor({ ...request, roots: earlier }, io);
      for (const line of errorLines(plan.problems)) warn(line);
      const moved = folderInside(plan.places.root, io.env, homeOfUser());
      const refusal = moved && `${moved} leads into the project, which must not bring the user's hooks and trust along`;
      return { ...plan, ...(refusal !== undefined && { refusal }) };
    },
    asking: () => ({ root: plan!.places.root, process: lazy!.agentProcess(io.parent ?? process.ppid) }),
    async rule(event) {
      const { hookRule, pinnedScripts } = await import('../../app/protect-hooks.ts');
      const { places, hooks, pins } = plan!;
      return hookRule({ places, hooks, scripts: () => pinnedScripts(pins), env })(event);
    },
    mayRun: (event, hooks) =>
      createMayRun({ pins: plan!.pins, root: plan!.places.root, env, takesHash: false })(event, hooks),
    async fire(event, hooks, signal) {
      const { places, pins } = plan!;
      const reaches = hooks.some(({ action }) => action.kind !== 'shell');
      const outside = reaches ? (await import('../dispatch-outside.ts')).openOutside(io, places, event) : undefined;
      const engine = composeEngine({
        ...{ hooks, places, env: io.env, mask, relay: warn, warn },
        detach: true,
        guard: run => ifStillTrusted(run, pins),
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

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const rootsOf = ({ places: { root, outer = [] } }: Plan): readonly string[] => [root, ...outer];

/** As the system has it; a user that it does not know has none. */
function homeOfUser(): string {
  try {
    return userInfo().homedir;
  } catch {
    return '';
  }
}
