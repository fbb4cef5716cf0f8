import { createWebhookRunner } from '../actions/webhook/runner.ts';
import type { ActionRunners, HookEvent } from '../model/index.ts';
import { answeredMeaning } from '../model/question.ts';
import { type ApprovalsOptions, createApprovals, type Told } from './approvals.ts';

export interface PeopleOptions extends ApprovalsOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** Names the session for receivers of webhooks: deliveries keep their ids over a crash. */
  seed: string;
  /** Values of the user's secrets files. */
  secrets: () => Readonly<Record<string, string>>;
  warn(text: string): void;
  mask(text: string): string;
  onQuestion(question: Told): void;
}

/** The way to people and programs outside: webhooks, and questions that someone answers. */
export interface People {
  actions: Required<Pick<ActionRunners, 'webhook' | 'ask'>>;
  ask(question: Asked, signal: AbortSignal): Promise<AskEnd>;
  close(): Promise<void>;
}

export interface Asked {
  /** Of the work that waits; absent outside sessions. */
  key?: string;
  event: HookEvent;
  question: string;
  title?: string;
  files?: readonly string[];
  /** How long it waits for an answer; for ever where it is not given. */
  timeoutMs?: number;
}

export type AskEnd =
  | { kind: 'answered'; approved: boolean; message: string; by?: string; at?: string }
  | { kind: 'expired' }
  | { kind: 'cancelled' }
  | { kind: 'failed'; reason: string };

const defaultPort = 8765;

export function createPeople(options: PeopleOptions): People {
  const { env, warn, secrets, seed, round = 0 } = options;
  const approvals = createApprovals(options);
  return {
    actions: createWebhookRunner({ env, secrets, seed: `${seed} ${round}`, warn, approvals }),
    async ask({ timeoutMs, ...question }, signal) {
      const opened = await approvals.open({ ...question, port: defaultPort, deadlineMs: timeoutMs ?? null });
      if (opened.kind === 'failed') return opened;
      const end = await opened.wait(signal);
      if (end.kind !== 'answered') return end;
      const { kind, action, message, by, at } = end;
      const approved = answeredMeaning({ action }, {}) === 'approve';
      return { kind, approved, message, ...(by !== undefined && { by }), at };
    },
    close: () => approvals.close(),
  };
}
