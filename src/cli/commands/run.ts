import { nestingVariable } from '../../app/environment.ts';
import { sessionsOf } from '../../app/sessions.ts';
import { checkTrust } from '../../app/trust.ts';
import { createMask, type Mask } from '../../hooks/secrets/mask.ts';
import { createSecrets } from '../../hooks/secrets/secrets.ts';
import { beginSession, type NotOpen, type OpenSession } from '../../loop/open.ts';
import { describeProblem } from '../../model/index.ts';
import type { SessionSettings } from '../../model/record.ts';
import { version } from '../../platform/build.ts';
import { folderFlaws } from '../../platform/folders.ts';
import { checkNewName, makeSessionName } from '../../session/names.ts';
import { sessionFiles } from '../../session/paths.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import type { Io } from '../io.ts';
import { flat } from '../print/text.ts';
import { originOf } from '../run/origin.ts';
import { type Prepared, prepare } from '../run/plan.ts';
import { play, sayNotOpen } from '../run/play.ts';
import { type RunRequest, readRequest, runOptions } from '../run/request.ts';
import { watchStopSignals } from '../run/signals.ts';

export const run: Command = {
  name: 'run',
  summary: 'Run an agent through a pipeline, a prompt or a list of tasks, with hooks around everything',
  arguments: ['[PIPELINE]'],
  options: runOptions,
  streams: true,
  example: 'hookloop run --tasks tasks.md --agent claude',
  async run(args, io) {
    const request = readRequest(args, io);
    if (Number(io.env[nestingVariable] ?? 0) >= maxNesting)
      throw new UsageError(`this is the ${maxNesting}th session inside of another: does a hook start its own session?`);
    if (request.session !== undefined) checkName(request.session);
    const prepared = prepare(request, io);
    const mask = createMask(io.env);
    for (const flaw of folderFlaws(io.env)) io.err(`hookloop: ${flat(flaw)}\n`);
    for (const problem of prepared.problems) io.err(`${mask(describeProblem(problem))}\n`);
    if (prepared.kind === 'usage') throw new UsageError(prepared.text);
    if (prepared.kind !== 'prepared') {
      io.err(`hookloop run: ${mask(prepared.text)}\n`);
      return prepared.kind === 'no-agent' ? exit.noAgent : exit.badConfig;
    }
    const checked = request.requireTrust ? checkTrust(prepared.plan, prepared.loaded.hooks, io) : {};
    if (checked.remark !== undefined) io.err(checked.remark);
    if (checked.why !== undefined) {
      io.err(`hookloop run: nothing was run: ${checked.why}\n`);
      return exit.refused;
    }
    const stopping = watchStopSignals();
    const { name, opened } = await begin(prepared, request, { mask: sessionMask(prepared, io), env: io.env });
    if (opened.kind !== 'open') {
      const { text, code } = sayNotOpen(name, opened);
      io.err(`hookloop run: ${text}\n`);
      return code;
    }
    const { loaded, settings } = prepared;
    const { maxFailures, judge } = settings;
    return play(opened, {
      io,
      stopping,
      flags: args.flags,
      places: loaded.places,
      ...(checked.guard && { guard: checked.guard }),
      hooks: request.noHooks ? [] : loaded.hooks,
      ...(maxFailures !== undefined && { maxFailures }),
      ...(judge !== undefined && { judge }),
    });
  },
};

/** As deep as children may go. */
const maxNesting = 5;

function checkName(name: string): void {
  const checked = checkNewName(name);
  if (checked.kind === 'bad') throw new UsageError(`--session: ${checked.reason}`);
}

/** Also of what the user's secrets files hold; whether they are well kept is told when the session runs. */
function sessionMask({ loaded }: Prepared, { env }: Io): Mask {
  const secrets = createSecrets(loaded.places, () => {});
  return createMask(env, () => Object.values(secrets()));
}

/** A name that was made and not given may be taken in the same second by somebody else; then the next is tried. */
async function begin(
  { plan, agent, loaded, settings }: Prepared,
  request: RunRequest,
  { mask, env }: { mask: Mask; env: Io['env'] },
): Promise<{ name: string; opened: OpenSession | NotOpen }> {
  const { root, outer } = loaded.places;
  const maxRetries = request.maxRetries ?? settings.maxRetries;
  const told: SessionSettings = {
    agent,
    root,
    ...(outer && { outerRoots: outer }),
    turnTimeoutMs: request.turnTimeoutMs,
    permissions: request.permissions,
    noHooks: request.noHooks,
    ...(request.requireTrust && { requireTrust: true as const }),
    ...(request.tasksFile !== undefined && { tasksFile: request.tasksFile }),
    ...(maxRetries !== undefined && { maxRetries }),
    ...(settings.doneByGates && { doneByGates: true as const }),
    ...(request.maxFailures !== undefined && { maxFailures: request.maxFailures }),
  };
  const now = new Date();
  for (let attempt = 1; ; attempt += 1) {
    const name = request.session ?? makeSessionName(plan.name, now, attempt);
    const origin = originOf(env, sessionFiles(root, name));
    const opened = await beginSession(sessionsOf(root, env).store, name, {
      ...(origin !== undefined && { origin }),
      plan: request.noHooks ? withoutHooks(plan) : plan,
      settings: told,
      values: request.values,
      program: version,
      mask,
    });
    if (opened.kind !== 'exists' || request.session !== undefined || attempt === 100) return { name, opened };
  }
}

const withoutHooks = (plan: Prepared['plan']): Prepared['plan'] => ({
  ...plan,
  hooks: [],
  stages: plan.stages.map(stage => ({ ...stage, hooks: [] })),
});
