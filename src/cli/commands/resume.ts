import { relative } from 'node:path';
import { missingAgent } from '../../agents/index.ts';
import { envFileIn, markOf } from '../../app/env-file.ts';
import { sessionsAt } from '../../app/sessions.ts';
import { checkTrust, isTrustedNow } from '../../app/trust.ts';
import { loadSettings } from '../../hooks/discovery/find.ts';
import { createLook } from '../../hooks/discovery/look.ts';
import { loadApplyingHooks } from '../../hooks/plan/compile.ts';
import { createMask } from '../../hooks/secrets/mask.ts';
import { type Changed, changedSince, type SessionPins } from '../../hooks/trust/session-pins.ts';
import { exportsKey } from '../../loop/exports.ts';
import { reopenSession } from '../../loop/open.ts';
import { describeProblem, type HookDefinition, type Places } from '../../model/index.ts';
import { formatKey } from '../../model/step-key.ts';
import { checkSessionName } from '../../session/names.ts';
import { type SessionFiles, sessionFiles } from '../../session/paths.ts';
import { fold, newState } from '../../session/state/state.ts';
import type { KnownStart, SessionStore, Start } from '../../session/store.ts';
import { canAsk } from '../ask-yes-no.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { groupError } from '../find-session.ts';
import type { Io } from '../io.ts';
import { refuseAgents } from '../not-for-agents.ts';
import { isOwnOrigin } from '../run/origin.ts';
import { whyStopped } from '../run/plan.ts';
import { pinsKey, play, sayNotOpen } from '../run/play.ts';
import { watchStopSignals } from '../run/signals.ts';

export const resume: Command = {
  name: 'resume',
  summary: 'Go on where a session stopped, failed, crashed or was interrupted',
  arguments: ['SESSION'],
  options: {
    quiet: { doc: 'print only what goes wrong, and what waits for a person' },
    'accept-changes': {
      doc: 'go on although gates or their scripts have changed, or the session was begun elsewhere: you have looked at it',
    },
  },
  streams: true,
  example: 'hookloop resume tasks-20261115-221758',
  async run({ positionals, flags }, io) {
    const name = positionals[0]!;
    const checked = checkSessionName(name);
    if (checked.kind === 'bad') throw new UsageError(checked.reason);
    const look = createLook();
    const { root, store } = sessionsAt(io.cwd, io.env);
    const paths = sessionFiles(root, name);
    // Before the session is taken up: what is refused leaves no trace in it.
    const begun = await store.startOf(name);
    const roots = begun?.settings.outerRoots ?? [];
    const { places, hooks, problems } = loadApplyingHooks({ cwd: io.cwd, env: io.env, look, roots });
    const mask = createMask(io.env);
    // Warnings were told when it began.
    for (const problem of problems.filter(({ severity }) => severity === 'error'))
      io.err(`${mask(describeProblem(problem))}\n`);
    const broken = whyStopped(problems, places);
    if (broken !== undefined) {
      io.err(`hookloop resume: ${broken}\n`);
      return exit.badConfig;
    }
    if ((await store.find(name)).kind === 'group') throw groupError(name);
    const missing = begun && missingAgent(agentsOf(begun), { cwd: places.root, root: places.root, env: io.env });
    if (missing !== undefined) {
      io.err(`hookloop resume: ${mask(missing)}\n`);
      return exit.noAgent;
    }
    const own = begun?.settings.noHooks ? [] : hooks;
    const acceptChanges = flags.has('accept-changes');
    if (acceptChanges) refuseAgents('hookloop resume --accept-changes', io);
    const doubt = begun && (await whyDoubted(store, paths, { begun, hooks: own, places, acceptChanges, io }));
    if (doubt !== undefined) {
      io.err(`hookloop resume: nothing was run: ${mask(doubt)}\n`);
      return exit.refused;
    }
    const trusted = begun?.settings.requireTrust ? checkTrust(begun.plan, own, io) : {};
    if (trusted.remark !== undefined) io.err(trusted.remark);
    if (trusted.why !== undefined) {
      io.err(`hookloop resume: nothing was run: ${trusted.why}\n`);
      return exit.refused;
    }
    const stopping = watchStopSignals();
    const opened = await reopenSession(store, name);
    if (opened.kind !== 'open') {
      const { text, code } = sayNotOpen(name, opened);
      io.err(`hookloop resume: ${text}\n`);
      return code;
    }
    const { maxFailures, judge } = loadSettings(places, look);
    return play(opened, {
      ...{ io, stopping, flags, places, hooks: own },
      ...(trusted.guard && { guard: trusted.guard }),
      ...(maxFailures !== undefined && { maxFailures }),
      ...(judge !== undefined && { judge }),
    });
  },
};

interface Doubted {
  begun: KnownStart;
  hooks: readonly HookDefinition[];
  places: Places;
  acceptChanges: boolean;
  io: Io;
}

/** Why a person has to look before the session goes on: it is not this user's, or it no longer has the gates it had. */
async function whyDoubted(
  store: SessionStore,
  paths: SessionFiles,
  { begun, hooks, places, acceptChanges, io }: Doubted,
): Promise<string | undefined> {
  const { name, folder } = paths;
  const accept = `hookloop resume ${name} --accept-changes`;
  const state = newState({ work: true });
  const end = await store.read(name, entry => fold(state, entry));
  // What cannot be taken up at all is told by whoever tries.
  if (end.kind !== 'read' || state.closed?.status === 'completed') return undefined;
  if (!isOwnOrigin(io.env, paths, begun.origin) && !(acceptChanges && canAsk(io)))
    return `nothing shows that you began session ${name} here (${
      begun.origin === undefined ? 'versions before 0.2 did not note it' : 'was its folder copied or moved?'
    }). Its journal decides which agent runs (${begun.settings.agent}) and which hooks: look at ${folder}/journal.jsonl, then run in a terminal: ${accept}`;
  if (acceptChanges) return undefined;
  const kept = (key: string): unknown => state.work?.done.get(key);
  const pins = kept(pinsKey) as SessionPins | undefined;
  const all = [...begun.plan.stages.flatMap(stage => stage.hooks), ...begun.plan.hooks, ...hooks];
  const changed = [
    ...(pins ? changedSince(pins, all, places) : []),
    ...changedExports(paths, kept(formatKey(exportsKey)), places),
  ];
  if (changed.length === 0 || (changed.every(({ isTrustable }) => isTrustable) && isTrustedNow(io))) return undefined;
  const named = changed.map(({ what }) => what).join(', ');
  return `changed or gone since session ${name} last ran: ${named}. Put it back, or look at it and run: ${accept}`;
}

function changedExports({ folder }: SessionFiles, mark: unknown, { root }: Places): Changed[] {
  const file = envFileIn(folder);
  return mark === undefined || mark === markOf(file) ? [] : [{ what: relative(root, file), isTrustable: false }];
}

/** What is masked in the record cannot be looked for. */
const agentsOf = ({ plan, settings }: Start): string[] =>
  plan.stages.flatMap(stage => stage.agent ?? plan.agent ?? settings.agent).filter(spec => !spec.includes('***'));
