import { resolve } from 'node:path';
import type { SessionResult } from '../loop/ending.ts';
import { describeProblem } from '../model/index.ts';
import type { Notice } from '../model/notice.ts';
import type { Task } from '../model/record.ts';
import type { SessionView } from '../model/view.ts';
import { isFolder } from '../platform/folders.ts';
import { readSession } from '../session/read-session.ts';
import { answerQuestion, type QuestionAnswered } from './approvals.ts';
import { createContext } from './context.ts';
import { type FunctionHooks, type FunctionHooksRun, toFunctionHooks } from './function-hooks.ts';
import { ownProgram, SessionError } from './library.ts';
import type { SessionRequest } from './prepare.ts';
import { resumeSession as resume } from './resume-session.ts';
import type { RunningSession } from './run-session.ts';
import { type NotStarted, notStarted, type SessionPorts, silentReport } from './session-ports.ts';
import { startSession as start } from './start-session.ts';

interface Where {
  /** Where the project is; default: the current folder. */
  cwd?: string;
  /** Default: a copy of `process.env`. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Hooks that are functions; they run before those of the files. */
  hooks?: FunctionHooks;
}

export interface SessionOptions extends Where {
  /** A Markdown checklist, or the tasks themselves. */
  tasks?: string | readonly string[];
  /** One stage with this prompt. */
  prompt?: string;
  /** A loop or pipeline file, or its name. */
  pipeline?: string;
  /** As `--agent`, or several of which the next takes over while those before it are limited; default: what the project's files say. */
  agent?: string | readonly string[];
  /** The session's name; default: made from pipeline and time. */
  name?: string;
  maxIterations?: number;
  maxRetries?: number;
  maxFailures?: number;
  /** Longest turn of the agent; null: none. Default: an hour. */
  turnTimeoutMs?: number | null;
  /** The longest pause while its agents are limited. Default: what hookloop.yaml says, else 12 hours. */
  maxWaitMs?: number;
  /** Inputs for prompts. */
  inputs?: Readonly<Record<string, unknown>>;
}

/** How a session ended; one that failed is no error. */
export interface SessionOutcome {
  status: SessionResult['status'];
  reason?: string;
  tasks: readonly Task[];
}

/** A session that runs in this process. Iterating it gives what `run --json` prints: the last 10,000 lines, and those to come. */
export interface Session extends AsyncIterable<Notice> {
  readonly name: string;
  /** Settles when the session has ended, however it did. */
  readonly result: Promise<SessionOutcome>;
  /** What is true of it now. */
  state(): Promise<SessionView>;
  /** Answers the question with the id of `approval.requested`. */
  answer(id: string, answer: { approve: boolean; message?: string }): Promise<QuestionAnswered>;
  /** Ends it cleanly; it can be resumed. */
  stop(): Promise<void>;
}

const hourMs = 3_600_000;

/** Starts a session and returns at once. Contract: rejects with SessionError where nothing runs. */
export async function startSession(options: SessionOptions): Promise<Session> {
  const flaw = flawOf(options);
  if (flaw !== undefined) throw new SessionError(notStarted('usage', flaw), []);
  const { cwd = process.cwd(), env: _, hooks: __, tasks, name, inputs = {}, turnTimeoutMs = hourMs, ...same } = options;
  const request: SessionRequest = {
    ...same,
    tasksFile: typeof tasks === 'string' ? resolve(cwd, tasks) : undefined,
    tasks: typeof tasks === 'object' ? tasks : undefined,
    session: name,
    turnTimeoutMs,
    permissions: 'allow',
    values: inputs,
    noHooks: false,
    requireTrust: false,
  };
  return open(options, (ports, functions) => start(request, ports, functions));
}

/** What no session could be run with; TypeScript sees only a part of it. */
function flawOf({ prompt, tasks, pipeline, ...options }: SessionOptions) {
  const { maxIterations, maxRetries, maxFailures, turnTimeoutMs, maxWaitMs } = options;
  if (prompt !== undefined && (tasks ?? pipeline) !== undefined)
    return 'prompt: tasks and pipelines have their own prompts';
  const least = { maxIterations: 1, maxRetries: 0, maxFailures: 1, turnTimeoutMs: 1, maxWaitMs: 0 };
  const limits = { maxIterations, maxRetries, maxFailures, turnTimeoutMs: turnTimeoutMs ?? undefined, maxWaitMs };
  const given = Object.entries(limits);
  for (const [name, value] of given) {
    const from = least[name as keyof typeof least];
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= from))
      return `${name}: ${value} is not a whole number of at least ${from}`;
  }
  return undefined;
}

/** Goes on with a session of the project. Contract: as `startSession`; the functions are those given here. */
export function resumeSession(name: string, options: Where & { acceptChanges?: boolean } = {}): Promise<Session> {
  const { acceptChanges = false } = options;
  return open(options, async (ports, functions) => {
    const resumed = await resume(name, { acceptChanges, isPersonHere: acceptChanges }, ports, functions);
    return resumed.kind === 'group' ? { kind: 'not-started', why: 'usage', text: `${name} is no session` } : resumed;
  });
}

async function open(
  { cwd = process.cwd(), env = { ...process.env }, hooks = {} }: Where,
  begin: (ports: SessionPorts, functions: FunctionHooksRun) => Promise<RunningSession | NotStarted>,
): Promise<Session> {
  if (!isFolder(cwd)) throw new SessionError(notStarted('usage', `cwd: ${cwd} is not a folder`), []);
  const notices = createQueue<Notice>();
  const problems: string[] = [];
  const running = await begin(
    {
      ...{
        ...createContext(cwd, env),
        stop: new AbortController().signal,
        atOnce: new AbortController().signal,
        program: ownProgram(),
      },
      onProblem: problem => void problems.push(describeProblem(problem)),
      onRemark: () => {},
      watch: () => ({ ...silentReport, notice: notices.push, close: notices.end }),
    },
    toFunctionHooks(hooks),
  );
  if (running.kind === 'not-started') throw new SessionError(running, problems);
  const { name, session } = running;
  const result = running.result.then(({ status, reason, summary: { tasks } }) => ({
    ...{ status, tasks },
    ...(reason !== undefined && { reason }),
  }));
  // Whoever only iterates does not have to look at it.
  result.catch(() => {});
  return {
    name,
    result,
    state: () => readSession(session.store, name),
    answer: async (id, { approve, message = '' }) =>
      answerQuestion(env, id, { action: approve ? 'approve' : 'reject', message, where: 'by a program' }),
    async stop() {
      session.stopWish.want('now');
      await result;
    },
    [Symbol.asyncIterator]: notices.iterate,
  };
}

/** More are not kept for a program that does not look at them. */
const maxKept = 10_000;

/** Hands on what comes, in order; every iterator begins with the oldest that is kept. */
function createQueue<T>(): { push(item: T): void; end(): void; iterate(): AsyncIterator<T> } {
  const items: T[] = [];
  let first = 0;
  let isOver = false;
  let wake: (() => void)[] = [];
  const wakeAll = (): void => {
    const waiting = wake;
    wake = [];
    for (const resume of waiting) resume();
  };
  return {
    push(item) {
      items.push(item);
      if (items.length > maxKept) first += items.splice(0, items.length - maxKept).length;
      wakeAll();
    },
    end() {
      isOver = true;
      wakeAll();
    },
    async *iterate() {
      for (let at = first; ; at += 1) {
        while (at >= first + items.length && !isOver) await new Promise<void>(resume => wake.push(resume));
        if (at >= first + items.length) return;
        at = Math.max(at, first);
        yield items[at - first]!;
      }
    },
  };
}
