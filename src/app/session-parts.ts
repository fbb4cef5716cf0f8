import { createJudgeRunner, judgeStage } from '../actions/judge/runner.ts';
import { createMcpRunner, type McpTools } from '../actions/mcp/runner.ts';
import type { SessionResult } from '../loop/ending.ts';
import { tellQuestion } from '../loop/fire.ts';
import { runLoop } from '../loop/loop.ts';
import { assembleLoop } from '../loop/loop-parts.ts';
import type { LoopPorts, Question } from '../loop/session.ts';
import type { AgentPort, AgentStart } from '../model/agent.ts';
import type { AnswerControl } from '../model/control.ts';
import type { HookEvent } from '../model/index.ts';
import { quoted } from '../model/own-entry.ts';
import { createPeople, type People, type PeopleOptions } from '../people/people.ts';
import { writeAtomically } from '../platform/files.ts';
import { realPath, stateFolder } from '../platform/folders.ts';
import { serveControl } from '../session/control/serve-control.ts';
import { createDayLedger } from '../session/day-ledger.ts';
import { parentOf, type SessionRun } from './child-sessions.ts';
import { createChildWatcher } from './child-watcher.ts';
import { composeEngine } from './compose.ts';
import { createHookOutput } from './hook-output.ts';
import { maxWaitOf, rulesOf } from './loop-rules.ts';
import { agentsAt, agentWithCredentials, envFileIn, markOf, readEnvFile, sessionEnv } from './session-environment.ts';
import { createSpawnRunner } from './spawn.ts';

/** Runs an open session with the real parts, and lets go of it. */
export async function runOpened(run: SessionRun): Promise<SessionResult> {
  const { shared, session, hooks, stop } = run;
  const questions: { tell?(question: Question): void } = {};
  const people = peopleOf(run, question => questions.tell?.(question));
  let tools: McpTools | undefined;
  try {
    const ports = realPorts(run, people, env => {
      tools = createMcpRunner({ env, ...run.places });
      return tools;
    });
    const { atOnce, config } = shared;
    const { maxFailures } = config;
    const maxWaitMs = maxWaitOf(config, session);
    const rules = rulesOf(config, session);
    const loop = assembleLoop({ session, ports, hooks, stop, atOnce, maxFailures, maxWaitMs, rules });
    questions.tell = question => tellQuestion(loop, question);
    return await runLoop(loop).finally(loop.base.close);
  } finally {
    await tools?.close();
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

function realPorts(
  { shared, session, places, env: own }: SessionRun,
  people: People,
  toolsWith: (env: Readonly<Record<string, string>>) => McpTools,
): LoopPorts {
  const { paths, run, settings } = session;
  const { mask, report, program, onlyTrusted, rule, functions } = shared;
  const watcher = settings.child ? createChildWatcher(report, session.name) : report;
  // The folder may have come with a project: only what hooks of this session's start write counts.
  if (run.number === 1) writeAtomically(envFileIn(paths.folder), '');
  // Hooks of its start may add to it.
  const env: Record<string, string> = { ...sessionEnv(own, paths, run.mark, settings.child?.depth) };
  const warn = (text: string): void => watcher.remark({ level: 'warning', text: mask(text) });
  const relay = (text: string): void => watcher.remark({ level: 'info', text: mask(text) });
  const watch = createHookOutput(watcher, mask);
  const agentFor: LoopPorts['agentFor'] = (spec, watching) =>
    agentWithCredentials(spec, {
      ...{ ...watching, cwd: shared.places.root, env: shared.env },
      silenceMs: shared.config.silenceMs,
    });
  const judgeFor = (event: HookEvent): AgentPort | { reason: string } => {
    const spec = shared.config.judge ?? agentsAt(session, event)[0];
    return spec === undefined ? { reason: 'there is no one to ask' } : agentFor(spec, { watchEdits: false });
  };
  const actions = {
    ...people.actions,
    ...(functions && { function: functions }),
    spawn: createSpawnRunner({ shared, parent: parentOf(session, { env, places }), play: runOpened }),
    ...createJudgeRunner({ judgeFor, cwd: settings.root, env, mask }),
    mcp_tool: toolsWith(env).run,
  };
  return {
    createEngine: (hooks, needs) =>
      composeEngine({
        ...{ hooks, places, env, mask, warn, relay, watch, actions, onlyTrusted, ...needs },
        outputFolder: paths.hooks,
        rule: hooks.length > 0 ? rule : undefined,
      }),
    requestApproval: people.ask,
    ...dayLedgerOf(session, shared, warn),
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

/** Only where something may be spent on a day. */
function dayLedgerOf(
  { paths, settings, state }: SessionRun['session'],
  { config, env }: SessionRun['shared'],
  warn: (text: string) => void,
): Pick<LoopPorts, 'dayLedger'> {
  if (!config.limits?.perDay) return {};
  const folder = stateFolder(env);
  if (folder === undefined) {
    warn('HOME is not set: limits per day hold for this session alone');
    return {};
  }
  const project = realPath(settings.root);
  const named = { folder, project, session: `${realPath(paths.folder)} ${state.startedAt}` };
  return { dayLedger: createDayLedger(named, warn) };
}

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

/** How an agent starts the server with a session's tools. `program` is hookloop's own file, as in `process.argv[1]`. */
export const offerTools = (sessionFolder: string, program: string): AgentStart['mcpServers'][number] => ({
  name: 'hookloop',
  command: process.execPath,
  args: [program, 'mcp'],
  env: { HOOKLOOP_SESSION_DIR: sessionFolder },
});

/** Whatever environment the agent gives its hooks, they find the session, and it does not tell our Node what to load. */
const hookCommand = (sessionFolder: string, program: string, agent: string): string =>
  `HOOKLOOP_SESSION_DIR=${quoted(sessionFolder)} NODE_OPTIONS= ${quoted(process.execPath)} ${quoted(program)} hook ${agent}`;
