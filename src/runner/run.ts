import { resolveAgent } from '../agents/index.ts';
import { composeEngine } from '../compose.ts';
import { serveControl } from '../control/serve.ts';
import { assembleLoop } from '../loop/assemble.ts';
import type { SessionResult } from '../loop/ending.ts';
import type { LoopPorts } from '../loop/loop.ts';
import type { OpenSession } from '../loop/open.ts';
import { type Question, tellQuestion } from '../loop/questions.ts';
import { runSession } from '../loop/session.ts';
import { offerTools } from '../mcp/offer.ts';
import type { AnswerControl } from '../model/control.ts';
import type { HookDefinition, Places } from '../model/index.ts';
import type { Watcher } from '../model/notice.ts';
import { createPeople, type People, type PeopleOptions } from '../people/people.ts';
import { sessionEnv } from './environment.ts';

export interface RunOptions {
  session: OpenSession;
  places: Places;
  /** Hooks of project, user and plugin. */
  hooks: readonly HookDefinition[];
  maxFailures?: number;
  env: Readonly<Record<string, string | undefined>>;
  mask(text: string): string;
  watcher: Watcher;
  askPerson?: LoopPorts['askPerson'];
  /** Values of the user's secrets files. */
  secrets(): Readonly<Record<string, string>>;
  /** A question to a person has its answer. */
  onSettled?(approval: string): void;
  /** The file that starts this program, for the agent's tools. */
  program: string;
  stop: AbortSignal;
  atOnce: AbortSignal;
}

/** Runs an open session with the real parts, and lets go of it. */
export async function runOpened(options: RunOptions): Promise<SessionResult> {
  const { session, hooks, maxFailures, stop, atOnce } = options;
  const questions: { tell?(question: Question): void } = {};
  const people = peopleOf(options, question => questions.tell?.(question));
  try {
    const ports = realPorts(options, people);
    const loop = assembleLoop({
      session,
      ports,
      hooks,
      stop,
      atOnce,
      ...(maxFailures !== undefined && { maxFailures }),
    });
    questions.tell = question => tellQuestion(loop, question);
    return await runSession(loop);
  } finally {
    await people.close();
    await session.close();
  }
}

function peopleOf(
  { session, env, mask, watcher, secrets, onSettled }: RunOptions,
  onQuestion: PeopleOptions['onQuestion'],
): People {
  const { paths, settings, startedAt } = session;
  return createPeople({
    env,
    session: paths.name,
    sessionFolder: paths.folder,
    root: settings.root,
    seed: `${paths.folder} ${startedAt}`,
    secrets,
    mask,
    warn: text => watcher.remark({ level: 'warning', text: mask(text) }),
    onQuestion,
    ...(onSettled && { onSettled }),
  });
}

function realPorts(
  { session, places, mask, watcher, askPerson, program, ...options }: RunOptions,
  people: People,
): LoopPorts {
  const { paths, run, settings } = session;
  const env = sessionEnv(options.env, paths, run.mark);
  const warn = (text: string): void => watcher.remark({ level: 'warning', text: mask(text) });
  const relay = (text: string): void => watcher.remark({ level: 'info', text: mask(text) });
  return {
    createEngine: (hooks, { around, onProgress }) =>
      composeEngine({
        ...{ hooks, places, env, mask, around, onProgress, warn, relay },
        outputFolder: paths.hooks,
        actions: { webhook: people.webhook },
      }),
    requestApproval: people.ask,
    agentFor: (spec, { watchEdits }) => {
      const agent = resolveAgent(spec, { cwd: settings.root, env, watchEdits });
      if ('start' in agent) return agent;
      // Checked before the session began; a resumed one may name an agent that this version no longer knows.
      const { message: reason, hint } = agent;
      return { name: spec, start: async () => ({ kind: 'unavailable', reason, ...(hint !== undefined && { hint }) }) };
    },
    openControl: answer => openControl(paths.folder, env, answer, warn),
    watcher,
    mask,
    env,
    ...(askPerson && { askPerson }),
    mcpServers: [offerTools(paths.folder, program)],
  };
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
