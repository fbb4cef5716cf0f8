import { setMaxListeners } from 'node:events';
import type { ActionOutcome, ApprovalAnswer } from '../../model/index.ts';
import type { ApprovalPort, ApprovalRequest, OpenApproval } from './approval-port.ts';
import type { Delivery } from './deliver.ts';

/** Sends the question with its callback URL. Contract: never rejects. */
export type SendQuestion = (callbackUrl: string, signal: AbortSignal) => Promise<Delivery>;

/** What came of a question: an answer's outcome, or the delivery that failed. */
export type Asked = { kind: 'outcome'; outcome: ActionOutcome } | { kind: 'unsent'; delivery: Delivery };

/**
 * Opens an approval, then sends the question, then waits. An answer counts from the first moment on, also while sending
 * still tries; a question that could not be sent is closed.
 */
export async function ask(
  approvals: ApprovalPort,
  request: ApprovalRequest,
  sendQuestion: SendQuestion,
  signal: AbortSignal,
): Promise<Asked> {
  const approval = await approvals.open(request);
  if (approval.kind === 'failed')
    return { kind: 'outcome', outcome: { kind: 'not-started', reason: `nobody can be asked: ${approval.reason}` } };
  const [sending, waiting] = [follow(signal), follow(signal)];
  const answer = approval.wait(waiting.signal);
  try {
    if (approval.sent || approval.isSettled) return toAsked(await answer, request, approval.sent === true, signal);
    const first = await Promise.race([sendQuestion(approval.callbackUrl, sending.signal), answer]);
    if (isEnding(first)) return toAsked(first, request, false, signal);
    if (isDelivered(first)) {
      await approval.markSent?.();
      return toAsked(await answer, request, true, signal);
    }
    if (first.kind !== 'cancelled') await approval.close?.('it could not be sent');
    waiting.abort();
    // An answer that came in the last moment is still one.
    const last = await answer;
    return last.kind === 'answered' ? toAsked(last, request, true, signal) : { kind: 'unsent', delivery: first };
  } finally {
    sending.end();
    waiting.end();
  }
}

type Ended = Awaited<ReturnType<OpenApproval['wait']>>;

const isDelivered = (delivery: Delivery): boolean =>
  delivery.kind === 'replied' && delivery.status >= 200 && delivery.status < 300;

/** `cancelled` is the same in both: whoever waited and whoever sent was told to stop. */
const isEnding = (first: Delivery | Ended): first is ApprovalAnswer | { kind: 'expired' } =>
  first.kind === 'answered' || first.kind === 'expired';

/** A question that ran out of time before anybody had it, or that was taken back, counts as not asked. */
function toAsked(ended: Ended, { deadlineMs }: ApprovalRequest, wasSent: boolean, signal: AbortSignal): Asked {
  if (ended.kind === 'expired' && !wasSent) return unsent('its time was up before it could be sent');
  if (ended.kind === 'cancelled' && !signal.aborted) return unsent('the question was taken back');
  return { kind: 'outcome', outcome: outcomeOf(ended, deadlineMs ?? 0) };
}

const unsent = (reason: string): Asked => ({ kind: 'unsent', delivery: { kind: 'failed', reason } });

function outcomeOf(ended: Ended, afterMs: number): ActionOutcome {
  switch (ended.kind) {
    case 'answered': {
      const { kind, action, message, response, by, at } = ended;
      return { kind, action, message, response, ...(by !== undefined && { by }), at };
    }
    case 'expired':
      return { kind: 'timed-out', afterMs, stdout: '', stderr: '' };
    case 'cancelled':
      return { kind: 'cancelled' };
  }
}

interface Followed {
  signal: AbortSignal;
  abort(): void;
  end(): void;
}

/** A signal of its own that is aborted with another one; `end` aborts it and forgets the other. */
function follow(outer: AbortSignal): Followed {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  // As many questions may wait as a session asks.
  setMaxListeners(0, outer);
  outer.addEventListener('abort', abort, { once: true });
  if (outer.aborted) abort();
  return {
    signal: controller.signal,
    abort,
    end() {
      outer.removeEventListener('abort', abort);
      abort();
    },
  };
}
