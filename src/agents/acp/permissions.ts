import type { AgentListener } from '../../model/agent.ts';
import type { Decision, HookEvent } from '../../model/index.ts';
import { unlessCancelled } from '../../platform/cancel.ts';
import type { PermissionOption, RequestPermissionResponse } from './protocol.ts';

/** No agent has so many calls in its hands; one that asks without end must not fill the memory. */
const maxPending = 1000;

const tooMany: Decision = {
  kind: 'block',
  reason: `${maxPending} questions are already pending`,
  by: 'hookloop',
};

/** What hooks say about calls. They are asked one after another, in order with what has happened. */
export function createPermissions(listener: AgentListener) {
  let last: Promise<unknown> = Promise.resolve();
  let pending = 0;
  let working = 0;
  let workedMs = 0;
  /** Does other work in its turn. Contract: a rejection is the caller's, what comes next is done all the same. */
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    working += 1;
    const result = last.then(work).finally(() => {
      working -= 1;
      workedMs = Date.now();
    });
    last = result.catch(() => {});
    return result;
  };
  return {
    inOrder,
    /** Since when no hook runs, in the clock of the system; now while one may. */
    quietSince: (): number => (working > 0 ? Date.now() : workedMs),
    /** The agent waits for the answer; undefined: the turn was interrupted before there was one. From then on no one is asked. */
    async ask(
      event: HookEvent<'tool.calling'>,
      interrupted: AbortSignal,
      known?: Promise<Decision | undefined>,
    ): Promise<Decision | undefined> {
      if (interrupted.aborted) return undefined;
      if (pending >= maxPending) return tooMany;
      pending += 1;
      const put = inOrder(async () =>
        interrupted.aborted ? undefined : unlessCancelled(listener.ask(event, await known), interrupted),
      );
      try {
        // Whoever waits in the queue is answered at once, whatever stands before it.
        return await unlessCancelled(put, interrupted);
      } finally {
        pending -= 1;
      }
    },
    /** Of a call that the agent makes without asking: also of those after an interruption, which it makes all the same. Contract: never rejects. */
    tell: (event: HookEvent<'tool.calling'>, interrupted: AbortSignal): Promise<Decision | undefined> =>
      inOrder(async () =>
        interrupted.aborted ? listener.calling(event) : unlessCancelled(listener.calling(event), interrupted),
      ),
    /** Whether a hook may be running. */
    isWorking: (): boolean => working > 0,
    /** Whether a question waits for its answer. */
    isBusy: (): boolean => pending > 0,
    /** Resolves once nothing is left to do, what was added meanwhile included. */
    async idle(): Promise<void> {
      for (let waitedFor: unknown; waitedFor !== last; ) {
        waitedFor = last;
        await last;
      }
    },
  };
}

/**
 * The answer to a permission request, chosen by kind, since ids and order differ from agent to agent.
 * The reason stands in `_meta`, which no agent is known to read: whoever decided sends it with the next prompt as well.
 */
export function answerPermission(
  options: readonly PermissionOption[],
  decision: Decision | undefined,
): RequestPermissionResponse {
  const kinds = decision === undefined ? [] : decision.kind === 'proceed' ? allowing : refusing;
  const chosen = kinds.flatMap(kind => options.find(option => option.kind === kind) ?? [])[0];
  return {
    outcome: chosen ? { outcome: 'selected', optionId: chosen.optionId } : { outcome: 'cancelled' },
    ...(decision && decision.kind !== 'proceed' && { _meta: { hookloop: { reason: decision.reason } } }),
  };
}

const allowing = ['allow_once', 'allow_always'] as const;
const refusing = ['reject_once', 'reject_always'] as const;
