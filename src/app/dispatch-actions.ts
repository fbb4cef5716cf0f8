import { setTimeout as delay } from 'node:timers/promises';
import type { McpTools } from '../actions/mcp/runner.ts';
import { createMask } from '../hooks/secrets/create-mask.ts';
import { createSecrets } from '../hooks/secrets/secrets.ts';
import { type ActionRunners, fillNames, type HookEvent, type Places, type RunAction } from '../model/index.ts';
import type { Mask } from '../model/mask.ts';
import { createPeople, type People, type PeopleOptions } from '../people/people.ts';
import { questionsOf } from '../session/file-store/question-files.ts';
import { sessionFiles, sessionWithoutName } from '../session/paths.ts';
import type { ChildAndJudgeActions } from './children-and-judges.ts';
import { silentReport } from './session-ports.ts';

/** How long webhooks that no one waits for may take to be sent. */
const sendingMs = 5000;

/** Actions that reach beyond a shell, for one event outside sessions. */
export interface DispatchActions {
  actions: ActionRunners;
  /** Hides what the user's secrets files say, too. */
  mask: Mask;
  /** Waits for what is on its way; past its limit that is ended. Closes everything. */
  finish(settled: Promise<unknown>): Promise<void>;
  /** Aborted: whatever is still running ends. */
  signal: AbortSignal;
  /** For questions besides those of hooks. */
  peopleFor(onQuestion: PeopleOptions['onQuestion']): People;
}

export interface DispatchActionsContext {
  env: Readonly<Record<string, string | undefined>>;
  /** The file that starts hookloop. */
  program: string;
  /** Lines for people. */
  tell(line: string): void;
  /** The caller asks people what `ask` wants to know. */
  leavesOpen?: boolean;
}

/** The question, for whoever asks it. */
const leaveOpen: RunAction<'ask'> = async ({ question }, { presentation }) => ({
  kind: 'left-open',
  question: fillNames(question, presentation.env),
});

export function openDispatchActions(
  { env, program, tell, leavesOpen = false }: DispatchActionsContext,
  places: Places,
  event: HookEvent,
): DispatchActions {
  const warn = (text: string): void => tell(`hookloop: ${mask(text)}`);
  const secrets = createSecrets(places, text => tell(`hookloop: ${text}`));
  const mask = createMask(env, () => Object.values(secrets()));
  const late = new AbortController();
  const peopleFor: DispatchActions['peopleFor'] = onQuestion =>
    createPeople({
      ...{ env, secrets, mask, warn, onQuestion, root: places.root, seed: sessionWithoutName },
      questions: questionsOf(env),
      session: event.session ?? sessionWithoutName,
      sessionFolder: sessionFiles(places.root, sessionWithoutName).folder,
    });
  const people = peopleFor(({ id, question }) =>
    tell(`asks a person: ${mask(question)}\nanswer with: hookloop approve ${id}, or hookloop reject ${id}`),
  );
  let loaded: Promise<ChildAndJudgeActions> | undefined;
  // They need the whole loop, webhooks do not.
  const childrenAndJudges = (): Promise<ChildAndJudgeActions> => {
    loaded ??= import('./children-and-judges.ts').then(({ createChildAndJudgeActions }) =>
      createChildAndJudgeActions({
        ...{ places, env, mask, secrets, program },
        report: { ...silentReport, remark: ({ text }) => warn(text) },
      }),
    );
    return loaded;
  };
  let mcp: Promise<McpTools> | undefined;
  const mcpTools = (): Promise<McpTools> => {
    mcp ??= import('../actions/mcp/runner.ts').then(({ createMcpRunner }) => createMcpRunner({ env, ...places }));
    return mcp;
  };
  return {
    actions: {
      mcp_tool: async (action, run) => (await mcpTools()).run(action, run),
      ask: leavesOpen ? leaveOpen : people.actions.ask,
      async webhook(action, run) {
        const outcome = await people.actions.webhook(action, run);
        if (outcome.kind !== 'cancelled' || !late.signal.aborted) return outcome;
        return { kind: 'timed-out', afterMs: sendingMs, stdout: '', stderr: '' };
      },
      spawn: async (action, run) => (await childrenAndJudges()).spawn(action, run),
      prompt: async (action, run) => (await childrenAndJudges()).prompt(action, run),
      agent: async (action, run) => (await childrenAndJudges()).agent(action, run),
      judge: async (action, run) => (await childrenAndJudges()).judge(action, run),
    },
    mask,
    peopleFor,
    signal: late.signal,
    async finish(settled) {
      const done = new AbortController();
      await Promise.race([settled, delay(sendingMs, undefined, { signal: done.signal }).catch(() => {})]);
      done.abort();
      late.abort();
      await settled;
      await (await mcp)?.close();
      await people.close();
    },
  };
}
