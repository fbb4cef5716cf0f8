import type { ComposeOptions } from '../../app/compose.ts';
import { hookRule } from '../../app/protect-hooks.ts';
import { runOpened } from '../../app/run.ts';
import { createMask, type Mask } from '../../hooks/secrets/mask.ts';
import { createSecrets } from '../../hooks/secrets/secrets.ts';
import { namedScripts } from '../../hooks/trust/named-files.ts';
import { guardSession, pinSession } from '../../hooks/trust/session-pins.ts';
import type { NotOpen, OpenSession } from '../../loop/open.ts';
import type { HookDefinition, Places } from '../../model/index.ts';
import { answerAsUser, findByTyped } from '../../people/answers.ts';
import { rememberProject } from '../../serve/dashboard/projects.ts';
import { answeredMeaning } from '../../session/questions/settlement.ts';
import { exit } from '../exit.ts';
import type { Io } from '../io.ts';
import { createWatcher, watchMode } from '../view/watcher.ts';
import type { Stopping } from './signals.ts';

export interface PlayOptions {
  io: Io;
  stopping: Stopping;
  flags: ReadonlySet<string>;
  places: Places;
  hooks: readonly HookDefinition[];
  maxFailures?: number;
  guard?: NonNullable<ComposeOptions['guard']>;
  /** Who answers prompt and agent hooks. */
  judge?: string;
}

/** Runs an open session in front of a person, to its exit code. */
export async function play(session: OpenSession, options: PlayOptions): Promise<number> {
  const { io, stopping, flags, places, hooks, maxFailures, judge } = options;
  const mode = watchMode({ io, json: flags.has('json'), quiet: flags.has('quiet'), color: !flags.has('no-color') });
  rememberProject(io.env, places.root);
  const asks = session.settings.permissions === 'ask';
  const stages = session.plan.stages.map(({ id }) => id);
  const secrets = createSecrets(places, text => io.err(`hookloop: ${text}\n`));
  const mask = createMask(io.env, () => Object.values(secrets()));
  const watcher = await createWatcher({
    ...{ io, mode, mask, stages },
    askPermission: asks,
    answer: (id, action) => answerHere(io, id, action),
  });
  const all = [...hooks, ...pipelineHooks(session.plan)];
  const rule = hookRule({ places, hooks: all, scripts: () => namedScripts(all, places), env: io.env });
  stopping.onFirst(() => watcher.remark({ level: 'warning', text: 'ending the session; once more ends it at once' }));
  stopping.guard(session.run.mark, () => closeAtOnce(session, io));
  try {
    const guard = await guardOf(session, options, mask);
    const result = await runOpened({
      session,
      places,
      hooks,
      env: io.env,
      mask,
      secrets,
      watcher,
      onSettled: id => watcher.settled(id),
      stop: stopping.stop,
      atOnce: stopping.atOnce,
      program: process.argv[1]!,
      askPerson: (question, signal) => watcher.ask(question, { signal }),
      ...(maxFailures !== undefined && { maxFailures }),
      rule: async event => {
        const decision = await rule(event);
        if (decision.kind !== 'proceed') watcher.remark({ level: 'warning', text: mask(decision.reason) });
        return decision;
      },
      guard,
      acceptsChanges: flags.has('accept-changes'),
      ...(judge !== undefined && { judge }),
    });
    if (result.status === 'interrupted') return stopping.exitCode() ?? exit.failed;
    if (result.because === 'agent-unavailable') return exit.noAgent;
    return result.status === 'completed' ? exit.done : exit.failed;
  } finally {
    watcher.close();
  }
}

const pipelineHooks = ({ hooks, stages }: OpenSession['plan']): readonly HookDefinition[] => [
  ...hooks,
  ...stages.flatMap(stage => stage.hooks),
];

/** Where the journal keeps what the session's gates are. */
export const pinsKey = 'pins';

/** Gates count only while the scripts they name are as they are now. What was another before, `resume` has asked about. */
async function guardOf(
  { plan, paths, journal }: OpenSession,
  { hooks, places, guard }: PlayOptions,
  mask: Mask,
): Promise<NonNullable<ComposeOptions['guard']>> {
  const all = [...pipelineHooks(plan), ...hooks];
  const pins = pinSession(all, places);
  const gates = Object.fromEntries(Object.entries(pins.gates).map(([gate, label]) => [gate, mask(label)]));
  await journal.append({ kind: 'step.done', key: pinsKey, value: { ...pins, gates } });
  const own = guardSession(pins, all, places, `hookloop resume ${paths.name} --accept-changes`);
  return run => own(guard ? guard(run) : run);
}

/** What must be said before the process is gone. */
function closeAtOnce({ journal, paths }: OpenSession, io: Io): void {
  try {
    journal.appendSync({ kind: 'session.closed', status: 'interrupted', reason: 'at once' });
  } catch {
    // Then it counts as crashed, and goes on all the same.
  }
  io.err(`Go on with: hookloop resume ${paths.name}\n`);
}

/** The person at the terminal answers with a key. */
function answerHere(io: Io, id: string, action: 'approve' | 'reject'): void {
  const found = findByTyped(io.env, id);
  if (found.kind !== 'found') throw new Error('it is no longer asked');
  const { question } = found;
  const { settlement } = answerAsUser(io.env, question, { action, message: '', where: 'at the terminal' });
  if (settlement.kind !== 'answered' || answeredMeaning(settlement, question) !== action)
    throw new Error('it was settled in another way before');
}

/** What is said where a session cannot be had, and the exit code. */
export function sayNotOpen(name: string, reason: NotOpen): { text: string; code: number } {
  switch (reason.kind) {
    case 'exists':
      return {
        text: `there is a session ${name} already; to go on with it: hookloop resume ${name}`,
        code: exit.usage,
      };
    case 'absent':
      return { text: `there is no session ${name}; hookloop runs lists them`, code: exit.usage };
    case 'busy':
      return {
        text: `session ${name} is held by another process${reason.pid === undefined ? '' : ` (pid ${reason.pid})`}`,
        code: exit.busy,
      };
    case 'damaged':
      return {
        text: `the journal of ${name} is damaged in line ${reason.damage.line}: ${reason.damage.reason}; see hookloop repair ${name}`,
        code: exit.badInput,
      };
    case 'finished':
      return { text: `session ${name} is finished; hookloop show ${name} tells how it went`, code: exit.done };
    case 'empty':
      return { text: `${name} was never started: its journal is empty`, code: exit.failed };
    case 'lost':
      return { text: reason.reason, code: exit.badInput };
    case 'failed':
      return { text: reason.reason, code: exit.failed };
  }
}
