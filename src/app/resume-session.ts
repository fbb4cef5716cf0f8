import { relative } from 'node:path';
import { missingAgent } from '../agents/index.ts';
import { loadSettings } from '../hooks/discovery/find-files.ts';
import { createLook } from '../hooks/discovery/look.ts';
import { loadApplyingHooks } from '../hooks/plan/compile.ts';
import { type Changed, changedSince, type SessionPins } from '../hooks/trust/session-pins.ts';
import { reopenSession } from '../loop/open.ts';
import { exportsKey } from '../loop/resume.ts';
import type { HookDefinition, Places } from '../model/index.ts';
import { formatKey } from '../model/step-key.ts';
import { checkSessionName, type SessionFiles, sessionFiles } from '../session/paths.ts';
import type { KnownStart, Start, StateRead } from '../session/store.ts';
import { type FunctionHooksRun, noFunctions } from './function-hooks.ts';
import { isOwnOrigin } from './origin.ts';
import { whyNoSession } from './prepare.ts';
import { pinsKey, type RunningSession, runSession } from './run-session.ts';
import { envFileIn, markOf } from './session-environment.ts';
import { type NotStarted, notOpen, notStarted, type SessionPorts } from './session-ports.ts';
import { type Sessions, sessionsAt } from './sessions.ts';
import { checkSessionTrust, isTrustedNow } from './trust.ts';

export interface ResumeRequest {
  /** A person has looked at what is another since the session last ran, or at a session that was begun elsewhere. */
  acceptChanges: boolean;
  /** That person is there and can be asked. */
  isPersonHere: boolean;
}

/** Goes on with a session where its record ends. What is refused leaves no trace in it. */
export async function resumeSession(
  name: string,
  request: ResumeRequest,
  ports: SessionPorts,
  ofProgram: FunctionHooksRun = noFunctions,
): Promise<RunningSession | NotStarted | { kind: 'group' }> {
  const { cwd, env, mask } = ports;
  const checked = checkSessionName(name);
  if (checked.kind === 'bad') return notStarted('usage', checked.reason);
  const sessions = sessionsAt(ports);
  const { store } = sessions;
  const begun = await store.startOf(name);
  const look = createLook();
  const roots = begun?.settings.outerRoots ?? [];
  const { places, hooks, problems } = loadApplyingHooks({ cwd, env, look, roots });
  // Warnings were told when it began.
  for (const problem of problems.filter(({ severity }) => severity === 'error')) ports.onProblem(problem);
  const broken = whyNoSession(problems, places);
  if (broken !== undefined) return notStarted('bad-config', broken);
  if ((await store.find(name)).kind === 'group') return { kind: 'group' };
  const missing = begun && missingAgent(agentsOf(begun), { cwd: places.root, root: places.root, env });
  if (missing !== undefined) return notStarted('no-agent', mask(missing));
  const own = [...ofProgram.hooks, ...(begun?.settings.noHooks ? [] : hooks)];
  const read = await store.state(name);
  const doubt = begun && whyDoubted(name, read, { sessions, begun, hooks: own, places, request, env, cwd });
  if (doubt !== undefined) return notStarted('untrusted', mask(doubt));
  const trust = begun?.settings.requireTrust ? checkSessionTrust(begun.plan, own, ports) : {};
  if (trust.remark !== undefined) ports.onRemark(trust.remark);
  if (trust.why !== undefined) return notStarted('untrusted', trust.why);
  const opened = await reopenSession(store, name, read);
  if (opened.kind !== 'open') return notOpen(name, opened);
  const { maxFailures, judge } = loadSettings(places, look);
  return runSession(
    opened,
    {
      ...{ places, hooks: own, functions: ofProgram.run, onlyTrusted: trust.onlyTrusted, maxFailures, judge },
      acceptsChanges: request.acceptChanges,
    },
    ports,
  );
}

interface Doubted {
  sessions: Sessions;
  begun: KnownStart;
  hooks: readonly HookDefinition[];
  places: Places;
  request: ResumeRequest;
  cwd: string;
  env: SessionPorts['env'];
}

/** Why a person has to look before the session goes on: it is not this user's, or it no longer has the gates it had. */
function whyDoubted(
  name: string,
  { state, end }: StateRead,
  { sessions: { root }, begun, hooks, places, request, cwd, env }: Doubted,
): string | undefined {
  const files = sessionFiles(root, name);
  const accept = `hookloop resume ${name} --accept-changes`;
  // What cannot be resumed at all is told by whoever tries.
  if (end.kind !== 'read' || state.closed?.status === 'completed') return undefined;
  if (!isOwnOrigin(env, files, begun.origin) && !(request.acceptChanges && request.isPersonHere))
    return `nothing shows that you began session ${name} here (${
      begun.origin === undefined ? 'versions before 0.2 did not note it' : 'was its folder copied or moved?'
    }). Its journal decides which agent runs (${begun.settings.agent}) and which hooks: look at ${files.folder}/journal.jsonl, then run in a terminal: ${accept}`;
  if (request.acceptChanges) return undefined;
  const kept = (key: string): unknown => state.work.done.get(key);
  const pins = kept(formatKey(pinsKey)) as SessionPins | undefined;
  const all = [...begun.plan.stages.flatMap(stage => stage.hooks), ...begun.plan.hooks, ...hooks];
  const changed = [
    ...(pins ? changedSince(pins, all, places) : []),
    ...changedExports(files, kept(formatKey(exportsKey)), places),
  ];
  const isTrusted = () => changed.every(({ isTrustable }) => isTrustable) && isTrustedNow({ cwd, env });
  if (changed.length === 0 || isTrusted()) return undefined;
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
