import { createJudgeRunner, judgeStage } from '../actions/judge/runner.ts';
import { createMark, markedEnv } from '../actions/process/stop.ts';
import { loadSettings } from '../hooks/discovery/find-files.ts';
import { loadHooks } from '../hooks/discovery/load.ts';
import { createLook } from '../hooks/discovery/look.ts';
import type { SessionResult } from '../loop/ending.ts';
import { tellQuestion } from '../loop/fire.ts';
import { runLoop } from '../loop/loop.ts';
import { assembleLoop } from '../loop/loop-parts.ts';
import type { LoopPorts, Question } from '../loop/session.ts';
import type { AgentPort, AgentStart } from '../model/agent.ts';
import type { AnswerControl } from '../model/control.ts';
import type { ActionRunners, HookEvent } from '../model/index.ts';
import type { Notice, Remark, Watcher } from '../model/notice.ts';
import { quoted } from '../model/own-entry.ts';
import { createPeople, type People, type PeopleOptions } from '../people/people.ts';
import { writeAtomically } from '../platform/files.ts';
import { serveControl } from '../session/control/serve-control.ts';
import { sessionFiles, sessionWithoutName } from '../session/paths.ts';
import { parentOf, type SessionRun, type SharedParts, type SpawnParent } from './child-sessions.ts';
import { composeEngine } from './compose.ts';
import {
  agentAt,
  agentWithCredentials,
  depthVariable,
  envFileIn,
  markOf,
  readEnvFile,
  sessionEnv,
  setIn,
} from './session-environment.ts';
import { sessionsOf } from './sessions.ts';
import { createSpawnRunner } from './spawn.ts';

/** Runs an open session with the real parts, and lets go of it. */
export async function runOpened(run: SessionRun): Promise<SessionResult> {
  const { shared, session, hooks, stop } = run;
  const questions: { tell?(question: Question): void } = {};
  const people = peopleOf(run, question => questions.tell?.(question));
  try {
    const ports = realPorts(run, people);
    const { atOnce, config } = shared;
    const loop = assembleLoop({ session, ports, hooks, stop, atOnce, maxFailures: config.maxFailures });
    questions.tell = question => tellQuestion(loop, question);
    return await runLoop(loop);
  } finally {
    await people.close();
    await session.lease.release();
  }
}

function peopleOf({ shared, session, env }: SessionRun, onQuestion: PeopleOptions['onQuestion']): People {
  const { paths, settings, state } = session;
  const { mask, report, secrets } = shared;
  return createPeople({
    env,
    questions: session.store.questions,
    session: session.name,
    sessionFolder: paths.folder,
    root: settings.root,
    seed: `${paths.folder} ${state.startedAt}`,
    secrets,
    mask,
    warn: text => report.remark({ level: 'warning', text: mask(text) }),
    onQuestion,
    round: state.failures,
    onSettled: id => report.settled(id),
  });
}

function realPorts({ shared, session, places, env: own }: SessionRun, people: People): LoopPorts {
  const { paths, run, settings } = session;
  const { mask, report, program, onlyTrusted, rule, functions } = shared;
  const watcher = settings.child ? createChildWatcher(report, session.name) : report;
  // The folder may have come with a project: only what hooks of this session's start write counts.
  if (run.number === 1) writeAtomically(envFileIn(paths.folder), '');
  // Hooks of its start may add to it.
  const env: Record<string, string> = { ...sessionEnv(own, paths, run.mark, settings.child?.depth) };
  const warn = (text: string): void => watcher.remark({ level: 'warning', text: mask(text) });
  const relay = (text: string): void => watcher.remark({ level: 'info', text: mask(text) });
  const agentFor: LoopPorts['agentFor'] = (spec, watching) =>
    agentWithCredentials(spec, { ...watching, cwd: shared.places.root, env: shared.env });
  const judgeFor = (event: HookEvent): AgentPort | { reason: string } => {
    const spec = shared.config.judge ?? agentAt(session, event);
    return spec === undefined ? { reason: 'nobody to ask' } : agentFor(spec, { watchEdits: false });
  };
  const actions = {
    webhook: people.webhook,
    ...(functions && { function: functions }),
    spawn: createSpawnRunner({ shared, parent: parentOf(session, { env, places }), play: runOpened }),
    ...createJudgeRunner({ judgeFor, cwd: settings.root, env, mask }),
  };
  return {
    createEngine: (hooks, { around, onProgress }) =>
      composeEngine({
        ...{ hooks, places, env, mask, around, onProgress, warn, relay, actions, onlyTrusted },
        outputFolder: paths.hooks,
        rule: hooks.length > 0 ? rule : undefined,
      }),
    requestApproval: people.ask,
    agentFor,
    askJudge: (spec, facts, signal) => {
      const agent = agentFor(spec, { watchEdits: false });
      return judgeStage({ agent, facts, cwd: settings.root, env, mask, limitMs: settings.turnTimeoutMs, signal });
    },
    openControl: answer => openControl(paths.folder, env, answer, warn),
    watcher,
    mask,
    env,
    askPerson: (question, signal) => report.ask(question, { signal }),
    async takeEnvFile(known) {
      const file = envFileIn(paths.folder);
      const mark = markOf(file);
      const isKnown = known === undefined || known === mark || shared.acceptsChanges;
      const read = isKnown ? await readEnvFile(file, env) : undefined;
      if (read === undefined || markOf(file) !== mark) return { refused: `${file} has changed since hooks wrote it` };
      if ('failed' in read) warn(`what hooks exported for the session cannot be read: ${read.failed}`);
      else Object.assign(env, read.added);
      return { mark };
    },
    mcpServers: [offerTools(paths.folder, program)],
    hookCommand: agent => hookCommand(paths.folder, program, agent),
  };
}

/** Whatever environment the agent gives its hooks, they find the session, and it does not tell our Node what to load. */
const hookCommand = (sessionFolder: string, program: string, agent: string): string =>
  `HOOKLOOP_SESSION_DIR=${quoted(sessionFolder)} NODE_OPTIONS= ${quoted(process.execPath)} ${quoted(program)} hook ${agent}`;

/** Without it the session still runs: the agent only has fewer tools. */
async function openControl(
  sessionFolder: string,
  env: Readonly<Record<string, string>>,
  answer: AnswerControl,
  warn: (text: string) => void,
): Promise<{ close(): Promise<void> }> {
  const served = await serveControl({ sessionFolder, env, answer });
  if (served.kind === 'open') return served;
  warn(`the session cannot be asked from outside: ${served.reason}`);
  return { close: async () => {} };
}

/** Tells whoever watches the parent of a child's milestones, one line each, and of what went wrong in it. */
function createChildWatcher(watcher: Watcher, label: string): Watcher {
  const say = (level: Remark['level'], text: string): void => watcher.remark({ level, text: `${label}: ${text}` });
  return {
    notice(notice) {
      const told = milestone(notice);
      if (told) say(told.level, told.text);
    },
    remark({ level, text }) {
      if (level !== 'info') say(level, text);
    },
  };
}

function milestone(notice: Notice): Remark | undefined {
  switch (notice.type) {
    case 'session.starting':
      return info(`child pipeline starts${notice.agent === undefined ? '' : ` with ${notice.agent}`}`);
    case 'stage.completed':
      return info(`stage ${notice.stage} completed (${notice.status ?? ''})`);
    case 'iteration.failed':
      return {
        level: 'warning',
        text: `iteration ${notice.iteration} of stage ${notice.stage} failed: ${notice.error}`,
      };
    case 'hook.finished': {
      const { name, result } = notice;
      if (result.status !== 'finished' || result.verdict.kind !== 'failed') return undefined;
      return { level: 'warning', text: `hook ${name} failed: ${result.verdict.reason}` };
    }
    case 'approval.requested':
      if (notice.approval === undefined) return undefined;
      return info(`waits for a person: ${notice.question ?? ''} (hookloop approve ${notice.approval})`);
    case 'session.summary': {
      const { status, reason, durationMs } = notice;
      const how = `child pipeline ${status} after ${(durationMs / 1000).toFixed(1)} s`;
      return {
        level: status === 'failed' ? 'warning' : 'info',
        text: reason === undefined ? how : `${how}: ${reason}`,
      };
    }
    default:
      return undefined;
  }
}

const info = (text: string): Remark => ({ level: 'info', text });

/** How an agent starts the server with a session's tools. `program` is hookloop's own file, as in `process.argv[1]`. */
export const offerTools = (sessionFolder: string, program: string): AgentStart['mcpServers'][number] => ({
  name: 'hookloop',
  command: process.execPath,
  args: [program, 'mcp'],
  env: { HOOKLOOP_SESSION_DIR: sessionFolder },
});

export type ChildAndJudgeOptions = Pick<SharedParts, 'places' | 'env' | 'mask' | 'secrets' | 'report' | 'program'>;

export type ChildAndJudgeActions = Required<Pick<ActionRunners, 'spawn' | 'prompt' | 'agent'>>;

/** Child pipelines and judges for events that are fired from outside a session. Files are read when one of them runs. */
export function createChildAndJudgeActions(options: ChildAndJudgeOptions): ChildAndJudgeActions {
  const { places, mask } = options;
  const env = setIn(markedEnv(options.env, `${createMark()}-dispatch`));
  let found: Pick<SharedParts, 'hooks' | 'config'> | undefined;
  const load = (): NonNullable<typeof found> => {
    const look = createLook();
    found ??= {
      hooks: loadHooks({ cwd: places.cwd, env: options.env, look }).hooks,
      config: loadSettings(places, look),
    };
    return found;
  };
  const judges = createJudgeRunner({
    judgeFor() {
      const { judge, agent } = load().config;
      const spec = judge ?? agent;
      if (spec === undefined) return { reason: 'nobody to ask: write judge: { agent: ... } in hookloop.yaml' };
      return agentWithCredentials(spec, { cwd: places.root, env: options.env, watchEdits: false });
    },
    cwd: places.root,
    env,
    mask,
  });
  return {
    ...judges,
    spawn: (action, run) => {
      const shared = { ...options, ...load(), atOnce: new AbortController().signal };
      const spawn = createSpawnRunner({ shared, parent: parentWithout(shared, env), play: runOpened });
      return spawn(action, run);
    },
  };
}

const turnTimeoutMs = 3_600_000;

function parentWithout({ places, config }: SharedParts, env: Readonly<Record<string, string>>): SpawnParent {
  const { root } = places;
  const { agent, maxRetries } = config;
  // Where children of events live that belong to no session.
  const paths = sessionFiles(root, sessionWithoutName);
  return {
    ...{ paths, env, places },
    name: paths.name,
    store: sessionsOf(root, env).store,
    settings: {
      ...{ agent: agent ?? '', root, turnTimeoutMs },
      permissions: 'allow',
      noHooks: false,
      ...(maxRetries !== undefined && { maxRetries }),
    },
    agentAt: () => agent,
    // An agent of a child may cause events too.
    depth: Number(env[depthVariable] ?? 0) || 0,
    run: 1,
    redone: [],
  };
}
