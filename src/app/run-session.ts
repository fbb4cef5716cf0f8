import { relative } from 'node:path';
import { findSurvivors } from '../actions/process/stop.ts';
import { createMask } from '../hooks/secrets/create-mask.ts';
import { createSecrets } from '../hooks/secrets/secrets.ts';
import { namedScripts } from '../hooks/trust/named-files.ts';
import { freeScripts, onlyAsPinned, pinSession } from '../hooks/trust/session-pins.ts';
import type { SessionResult } from '../loop/ending.ts';
import type { OpenSession } from '../loop/open.ts';
import type { HookDefinition, Places } from '../model/index.ts';
import type { Mask } from '../model/mask.ts';
import { pipelineHooks } from '../model/pipeline.ts';
import type { Protect } from '../model/protect.ts';
import { formatKey, keyOf } from '../model/step-key.ts';
import { partsOf } from '../protect/parts.ts';
import { fold } from '../session/state/state.ts';
import type { SharedParts } from './child-sessions.ts';
import type { ComposeOptions } from './compose.ts';
import { rememberProject } from './projects.ts';
import { hookRule } from './protect-hooks.ts';
import type { SessionPorts } from './session-ports.ts';

/** A session that is running. */
export interface RunningSession {
  kind: 'running';
  name: string;
  session: OpenSession;
  result: Promise<SessionResult>;
}

/** What applies to the session, as it was found just now. */
export type SessionContext = Pick<
  SharedParts,
  'places' | 'hooks' | 'config' | 'onlyTrusted' | 'acceptsChanges' | 'functions'
>;

/** Runs a session that is ours, with all its real parts. */
export function runSession(session: OpenSession, context: SessionContext, ports: SessionPorts): RunningSession {
  // Also where something fails before it begins: in a program that goes on, no one else could have it.
  const result = run(session, context, ports).finally(session.lease.release);
  return { kind: 'running', name: session.name, session, result };
}

async function run(session: OpenSession, context: SessionContext, ports: SessionPorts): Promise<SessionResult> {
  const { places, hooks } = context;
  const { env, stop, atOnce, program } = ports;
  rememberProject(env, places.root);
  const secrets = createSecrets(places, ports.onRemark);
  const mask = createMask(env, () => Object.values(secrets()));
  const { name, plan, settings, stopWish } = session;
  const report = await ports.watch({ name, plan, settings, stopWish, mask });
  const all = [...pipelineHooks(plan), ...hooks];
  const isRechecked = recheckedIn(settings.protect, places);
  const scripts = (): string[] => {
    const free = freeScripts(all, places, isRechecked);
    return namedScripts(all, places).filter(path => !free.has(path));
  };
  const rule = hookRule({ places, hooks: all, scripts, env });
  const cutOff = (): void => endAtOnce(session);
  atOnce.addEventListener('abort', cutOff, { once: true });
  try {
    const shared: SharedParts = {
      ...{ ...context, env, mask, secrets, report, atOnce, program },
      rule: async event => {
        const decision = await rule(event);
        if (decision.kind !== 'proceed') report.remark({ level: 'warning', text: mask(decision.reason) });
        return decision;
      },
      onlyTrusted: await pinGates(session, all, context, mask, isRechecked),
    };
    // One part of the program for all that run sessions.
    const { runOpened } = await import('./session-parts.ts');
    return await runOpened({ shared, session, places, hooks, env, stop });
  } finally {
    atOnce.removeEventListener('abort', cutOff);
    report.close();
  }
}

/** Files that are protected as a whole. */
function recheckedIn(protect: Protect | undefined, { root }: Places): (path: string) => boolean {
  const whole = partsOf(protect?.files ?? []).filter(({ pointer }) => !pointer);
  return path => whole.some(({ matches }) => matches(relative(root, path)));
}

/** Where the journal keeps what the session's gates are. */
export const pinsKey = keyOf('pins');

/** From now on gates count only while the scripts they name stay as they are. What had changed before, `resume` has asked about. */
async function pinGates(
  { paths, journal, state }: OpenSession,
  hooks: readonly HookDefinition[],
  { places, onlyTrusted }: SessionContext,
  mask: Mask,
  isRechecked: (path: string) => boolean,
): Promise<NonNullable<ComposeOptions['onlyTrusted']>> {
  const pins = pinSession(hooks, places, isRechecked);
  const gates = Object.fromEntries(Object.entries(pins.gates).map(([gate, label]) => [gate, mask(label)]));
  fold(state, await journal.append({ kind: 'step.done', key: formatKey(pinsKey), value: { ...pins, gates } }));
  const own = onlyAsPinned(pins, hooks, places, `hookloop resume ${paths.name} --accept-changes`);
  return run => own(onlyTrusted ? onlyTrusted(run) : run);
}

/** What must be done before the process is gone. */
function endAtOnce({ journal, run }: OpenSession): void {
  for (const pid of findSurvivors({ mark: run.mark }).escaped) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  }
  journal.append({ kind: 'session.closed', status: 'interrupted', reason: 'at once' }, 'kept').catch(() => {
    // Then it counts as crashed, and goes on all the same.
  });
}
