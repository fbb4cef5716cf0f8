import { relative } from 'node:path';
import { missingAgents } from '../agents/index.ts';
import { loadSettings } from '../hooks/discovery/find-files.ts';
import { createLook } from '../hooks/discovery/look.ts';
import { loadApplyingHooks } from '../hooks/plan/compile.ts';
import { type Changed, changedSince, type SessionPins } from '../hooks/trust/session-pins.ts';
import { reopenSession } from '../loop/open.ts';
import { exportsKey } from '../loop/resume.ts';
import { agentSpecsOf } from '../loop/session.ts';
import type { HookDefinition, Places } from '../model/index.ts';
import { pipelineHooks } from '../model/pipeline.ts';
import { formatKey } from '../model/step-key.ts';
import { checkSessionName, type SessionFiles, sessionFiles } from '../session/paths.ts';
import type { WholeState } from '../session/state/state.ts';
import type { KnownStart, Start } from '../session/store.ts';
import { unreportedLimit } from './check-limits.ts';
import { type FunctionHooksRun, noFunctions } from './function-hooks.ts';
import { keepLimits, type RaisedLimits, rulesOf } from './loop-rules.ts';
import { isOwnOrigin } from './origin.ts';
import { whyNoSession } from './prepare.ts';
import { pinsKey, type RunningSession, runSession } from './run-session.ts';
import { envFileIn, markOf } from './session-environment.ts';
import { type NotStarted, notOpen, notStarted, type SessionPorts } from './session-ports.ts';
import { sessionsAt } from './sessions.ts';
import { checkSessionTrust, isTrustedNow } from './trust.ts';

export interface ResumeRequest extends RaisedLimits {
  /** A person has looked at what has changed since the session last ran, or at a session that was begun elsewhere. */
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
  const { root, store } = sessionsAt(ports);
  const begun = await store.startOf(name);
  const look = createLook();
  const roots = begun?.settings.outerRoots ?? [];
  const { places, hooks, problems } = loadApplyingHooks({ cwd, env, look, roots });
  // Warnings were told when it began.
  for (const problem of problems.filter(({ severity }) => severity === 'error')) ports.onProblem(problem);
  const broken = whyNoSession(problems, places);
  if (broken !== undefined) return notStarted('bad-config', broken);
  if ((await store.find(name)).kind === 'group') return { kind: 'group' };
  const own = [...ofProgram.hooks, ...(begun?.settings.noHooks ? [] : hooks)];
  const read = await store.state(name);
  const { state, end } = read;
  // Why a session cannot be resumed at all is told by `reopenSession`.
  if (begun && end.kind === 'read' && state.closed?.status !== 'completed') {
    const missing = agentsOf(begun).map(specs => missingAgents(specs, { cwd: places.root, root: places.root, env }));
    const lacking = missing.find(({ isAll }) => isAll);
    if (lacking) return notStarted('no-agent', mask(lacking.texts[0]!));
    const rules = rulesOf(loadSettings(places, look), { settings: begun.settings, state });
    const limits = { ...rules.limits, ...request.limits };
    const unreported = unreportedLimit(agentsOf(begun).flat(), { ...rules, limits });
    if (unreported !== undefined) return notStarted(request.limits ? 'usage' : 'bad-config', mask(unreported));
    const { acceptChanges, isPersonHere } = request;
    const files = sessionFiles(root, name);
    if (!isOwnOrigin(env, files, begun.origin) && !(acceptChanges && isPersonHere))
      return notStarted('untrusted', mask(foreignText(files, begun)));
    const all = [...pipelineHooks(begun.plan), ...own];
    const changed = acceptChanges ? [] : changesSince(state, files, all, places);
    const isTrusted = (): boolean => changed.every(({ isTrustable }) => isTrustable) && isTrustedNow({ cwd, env });
    if (changed.length > 0 && !isTrusted()) return notStarted('untrusted', mask(changedText(name, changed)));
  }
  const trust = begun?.settings.requireTrust ? checkSessionTrust(begun.plan, own, ports) : {};
  if (trust.why !== undefined) return notStarted('untrusted', trust.why);
  const opened = await reopenSession(store, name, read);
  if (opened.kind !== 'open') return notOpen(name, opened);
  await keepLimits(opened, request);
  return runSession(
    opened,
    {
      ...{ places, config: loadSettings(places, look), functions: ofProgram.run, onlyTrusted: trust.onlyTrusted },
      ...{ hooks: own, acceptsChanges: request.acceptChanges },
    },
    ports,
  );
}

const acceptLine = (name: string): string => `hookloop resume ${name} --accept-changes`;

const foreignText = ({ name, folder }: SessionFiles, { origin, settings }: KnownStart): string =>
  `nothing shows that you started session ${name} here (${
    origin === undefined ? 'versions before 0.2 did not note it' : 'was its folder copied or moved?'
  }). Its journal decides which agent runs (${[settings.agent, ...(settings.otherAgents ?? [])].join(', ')}) and which hooks: look at ${folder}/journal.jsonl, then run in a terminal: ${acceptLine(name)}`;

const changedText = (name: string, changed: readonly Changed[]): string =>
  `changed or gone since session ${name} last ran: ${changed.map(({ what }) => what).join(', ')}. Put it back, or look at it and run: ${acceptLine(name)}`;

function changesSince(
  { work }: WholeState,
  { folder }: SessionFiles,
  hooks: readonly HookDefinition[],
  places: Places,
): Changed[] {
  const pins = work.done.get(formatKey(pinsKey)) as SessionPins | undefined;
  const exported = work.done.get(formatKey(exportsKey));
  const file = envFileIn(folder);
  return [
    ...(pins ? changedSince(pins, hooks, places) : []),
    ...(exported === undefined || exported === markOf(file)
      ? []
      : [{ what: relative(places.root, file), isTrustable: false }]),
  ];
}

/** The agents of each stage. What is masked in the record cannot be looked for. */
const agentsOf = ({ plan, settings }: Start): (readonly string[])[] =>
  plan.stages
    .map(stage => agentSpecsOf({ plan, settings }, stage))
    .filter(specs => !specs.some(spec => spec.includes('***')));
