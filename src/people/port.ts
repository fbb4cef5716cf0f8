import type { ApprovalPort, ApprovalRequest, OpenApproval } from '../actions/webhook/approval.ts';
import type { HookDefinition } from '../model/index.ts';

/** What a person is asked; by a hook, or by an agent or a command that shows files. */
export interface AskRequest extends Omit<ApprovalRequest, 'hook'> {
  hook?: HookDefinition;
  /** Shown as they are now; relative to the project. */
  files?: readonly string[];
}

export interface OpenQuestion extends OpenApproval {
  /** It was asked before a crash under a URL that no longer leads here. */
  urlChanged: boolean;
  /** It has its answer, or has expired: `wait` ends at once. */
  isSettled: boolean;
  sent: boolean;
  markSent(): Promise<void>;
  close(reason: string): Promise<void>;
}

/** The approvals of one session. The callback URL is a secret: whoever has it can answer. */
export interface Approvals extends ApprovalPort {
  open(request: AskRequest): Promise<OpenQuestion | { kind: 'failed'; reason: string }>;
  /** Stops serving, after running requests have their replies. Questions stay as they are. */
  close(): Promise<void>;
}
