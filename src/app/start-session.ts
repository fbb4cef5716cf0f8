import { createMask } from '../hooks/secrets/create-mask.ts';
import { createSecrets } from '../hooks/secrets/secrets.ts';
import { beginSession, type NotOpen, type OpenSession } from '../loop/open.ts';
import { given } from '../model/json.ts';
import type { SessionSettings } from '../model/record.ts';
import { version } from '../platform/build.ts';
import { folderFlaws } from '../platform/folders.ts';
import { checkNewName, makeSessionName, sessionFiles } from '../session/paths.ts';
import { fold } from '../session/state/state.ts';
import { type FunctionHooksRun, noFunctions } from './function-hooks.ts';
import { originOf } from './origin.ts';
import { type Prepared, prepare, type SessionRequest } from './prepare.ts';
import { type RunningSession, runSession } from './run-session.ts';
import { nestingVariable } from './session-environment.ts';
import { type NotStarted, notOpen, notStarted, type SessionPorts } from './session-ports.ts';
import { sessionsOf } from './sessions.ts';
import { checkSessionTrust } from './trust.ts';

/** How many sessions may run one inside the other. */
const maxNesting = 5;

/** Begins a session and runs it. If it is not started, nothing has run. `own`: hooks of the program that asks. */
export async function startSession(
  request: SessionRequest,
  ports: SessionPorts,
  own: FunctionHooksRun = noFunctions,
): Promise<RunningSession | NotStarted> {
  const { env } = ports;
  if (Number(env[nestingVariable] ?? 0) >= maxNesting)
    return notStarted(
      'usage',
      `this is the ${maxNesting}th session inside another: does a hook start its own session?`,
    );
  const named = request.session === undefined ? undefined : checkNewName(request.session);
  if (named?.kind === 'bad') return notStarted('usage', named.reason, 'name');
  for (const flaw of folderFlaws(env)) ports.onRemark(flaw);
  const prepared = prepare(request, ports);
  if (prepared.kind === 'not-started') return prepared;
  const { loaded, settings, plan } = prepared;
  const trust = request.requireTrust ? checkSessionTrust(plan, loaded.hooks, ports) : {};
  if (trust.why !== undefined) return notStarted('untrusted', trust.why);
  const { name, opened } = await begin(prepared, request, ports);
  if (opened.kind !== 'open') return notOpen(name, opened);
  for (const [index, content] of (request.tasks ?? []).entries())
    fold(opened.state, await opened.journal.append({ kind: 'task.added', id: `T${index + 1}`, content }));
  return runSession(
    opened,
    {
      ...{ places: loaded.places, config: settings, functions: own.run, onlyTrusted: trust.onlyTrusted },
      hooks: [...own.hooks, ...(request.noHooks ? [] : loaded.hooks)],
    },
    ports,
  );
}

/** A generated name may be taken by someone else in the same second; then the next one is tried. */
async function begin(
  { plan, agents, loaded, settings }: Prepared,
  request: SessionRequest,
  { env }: SessionPorts,
): Promise<{ name: string; opened: OpenSession | NotOpen }> {
  const { root, outer } = loaded.places;
  const { tasksFile, turnTimeoutMs, permissions, noHooks, maxFailures, maxWaitMs, limits } = request;
  const { agent = '', otherAgents = [] } = agents;
  const told: SessionSettings = given({
    ...{ agent, otherAgents: otherAgents.length > 0 ? otherAgents : undefined, maxWaitMs, limits },
    ...{ root, outerRoots: outer, tasksFile, turnTimeoutMs, permissions, noHooks, maxFailures },
    maxRetries: request.maxRetries ?? settings.maxRetries,
    requireTrust: request.requireTrust || undefined,
    doneByGates: settings.doneByGates || undefined,
    commitTasks: settings.commitTasks,
    protect: noHooks ? undefined : settings.protect,
  });
  // Remarks about the user's secrets files come when the session runs.
  const secrets = createSecrets(loaded.places, () => {});
  const mask = createMask(env, () => Object.values(secrets()));
  const { store } = sessionsOf(root, env);
  const now = new Date();
  for (let attempt = 1; ; attempt += 1) {
    const name = request.session ?? makeSessionName(plan.name, now, attempt);
    const opened = await beginSession(
      store,
      name,
      given({
        origin: originOf(env, sessionFiles(root, name)),
        plan: noHooks ? withoutHooks(plan) : plan,
        settings: told,
        values: request.values,
        program: version,
        mask,
      }),
    );
    if (opened.kind !== 'exists' || request.session !== undefined || attempt === 100) return { name, opened };
  }
}

const withoutHooks = (plan: Prepared['plan']): Prepared['plan'] => ({
  ...plan,
  hooks: [],
  stages: plan.stages.map(stage => ({ ...stage, hooks: [] })),
});
