import type { AnswerWords, ApprovalAnswer, HookDefinition, HookEvent } from '../../model/index.ts';

export interface ApprovalRequest {
  /** The run's key: opening again with the same one after a crash gives the same approval. */
  key?: string;
  hook: HookDefinition;
  event: HookEvent;
  question: string;
  title?: string;
  /** Words an answer may use beside the known ones. */
  actions?: AnswerWords;
  port: number;
  baseUrl?: string;
  /** How long an answer may take, counted from the first opening; null: no limit. Not a point in time. */
  deadlineMs: number | null;
}

export interface OpenApproval {
  kind: 'open';
  id: string;
  callbackUrl: string;
  /** The question was sent before a crash, with this same URL: it need not be sent again. */
  sent: boolean;
  /** It has its answer, or its time was up, before a crash: `wait` ends at once, and nothing is sent. */
  isSettled: boolean;
  /** Keeps that the question has reached its receiver. */
  markSent(): Promise<void>;
  /**
   * Settles with the answer, or `expired` at the deadline. An aborted signal ends only this wait (`cancelled`); the
   * approval itself stays open, so that a resumed session finds it again. An answer that was first wins over both.
   */
  wait(signal: AbortSignal): Promise<ApprovalAnswer | { kind: 'expired' } | { kind: 'cancelled' }>;
  /** Answers it in the place of a person; what came first stays. Contract: never rejects. */
  answer?(given: Pick<ApprovalAnswer, 'action' | 'message' | 'response' | 'by'>): Promise<void>;
  /** The question could not be sent: no one may answer it any more. */
  close(reason: string): Promise<void>;
}

/** Asks people. Contract: never rejects; once `open` has settled the approval is journalled and its URL listens. */
export interface ApprovalPort {
  open(request: ApprovalRequest): Promise<OpenApproval | { kind: 'failed'; reason: string }>;
}
