import { createWebhookRunner } from '../actions/webhook/runner.ts';
import type { HookEvent, RunAction } from '../model/index.ts';
import { answeredMeaning } from '../session/questions/settlement.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { type ContextPath, contextPaths } from './context-files.ts';

export interface PeopleOptions {
  env: Readonly<Record<string, string | undefined>>;
  session: string;
  sessionFolder: string;
  /** The project. */
  root: string;
  /** Names the session for receivers of webhooks: deliveries keep their ids over a crash. */
  seed: string;
  /** Values of the user's secrets files. */
  secrets: () => Readonly<Record<string, string>>;
  mask(text: string): string;
  warn(text: string): void;
  /** A question waits for a person. */
  onQuestion(question: Waiting): void;
  /** How often the session has failed before: what was refused then is asked anew. */
  round?: number;
  /** It no longer does. */
  onSettled?(id: string): void;
}

/** A question that can be answered from now on. */
export interface Waiting {
  id: string;
  question: string;
  title?: string;
  files?: readonly ContextPath[];
  /** Of the work that waits. */
  key?: string;
  /** ISO time; absent: it waits for ever. */
  expires?: string;
}

/** The way to people and programs outside: webhooks, and questions that somebody answers. */
export interface People {
  webhook: RunAction<'webhook'>;
  ask(question: Asked, signal: AbortSignal): Promise<AskEnd>;
  close(): Promise<void>;
}

export interface Asked {
  /** Of the work that waits; absent outside of sessions. */
  key?: string;
  event: HookEvent;
  question: string;
  title?: string;
  files?: readonly string[];
}

export type AskEnd =
  | { kind: 'answered'; approved: boolean; message: string; by?: string; at?: string }
  | { kind: 'expired' }
  | { kind: 'cancelled' }
  | { kind: 'failed'; reason: string };

const defaultPort = 8765;

export function createPeople(options: PeopleOptions): People {
  const { env, session, sessionFolder, root, mask, warn, secrets, seed, onQuestion, onSettled, round = 0 } = options;
  const approvals = createApprovals({ env, session, sessionFolder, root, mask });
  const told: Approvals = {
    ...approvals,
    async open(request) {
      const { key, question, title, files, deadlineMs } = request;
      const asked = key === undefined || round === 0 ? request : { ...request, key: `${key}~${round}` };
      const opened = await approvals.open(asked);
      if (opened.kind !== 'open') return opened;
      if (!opened.isSettled)
        onQuestion({
          id: opened.id,
          question: mask(question),
          ...(title !== undefined && { title: mask(title) }),
          ...(files && files.length > 0 && { files: contextPaths(files, mask) }),
          ...(key !== undefined && { key }),
          ...(deadlineMs !== null && { expires: new Date(Date.now() + deadlineMs).toISOString() }),
        });
      const wait: typeof opened.wait = async signal => {
        const end = await opened.wait(signal);
        // Without a key nobody ever takes up the wait again.
        if (end.kind === 'cancelled' && key === undefined) await opened.close('whoever asked no longer waits');
        onSettled?.(opened.id);
        return end;
      };
      return { ...opened, wait };
    },
  };
  return {
    webhook: createWebhookRunner({ env, secrets, seed: `${seed} ${round}`, warn, approvals: told }),
    async ask({ key, event, question, title, files }, signal) {
      const opened = await told.open({
        ...(key !== undefined && { key }),
        event,
        question,
        port: defaultPort,
        deadlineMs: null,
        ...(title !== undefined && { title }),
        ...(files && { files }),
      });
      if (opened.kind === 'failed') return opened;
      const end = await opened.wait(signal);
      if (end.kind !== 'answered') return end;
      const { kind, action, message, by, at } = end;
      return {
        kind,
        approved: answeredMeaning({ action }, {}) === 'approve',
        message,
        ...(by !== undefined && { by }),
        at,
      };
    },
    close: () => approvals.close(),
  };
}
