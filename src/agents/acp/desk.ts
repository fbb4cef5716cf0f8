import { unlessCancelled } from '../../actions/process/cancel.ts';
import type { AgentListener } from '../../model/agent.ts';
import type { Decision, HookEvent } from '../../model/index.ts';
import type { Queue } from './queue.ts';

/** Where the agent asks for leave. Questions are put one after another, in order with what has happened. */
export interface Desk {
  /** undefined: the turn was interrupted before there was an answer. From then on nobody is asked. */
  ask(
    event: HookEvent<'tool.calling'>,
    interrupted: AbortSignal,
    known?: Promise<Decision | undefined>,
  ): Promise<Decision | undefined>;
  /** Of a call that the agent makes without asking: also of those after an interruption, which it makes all the same. Contract: never rejects. */
  tell(event: HookEvent<'tool.calling'>, interrupted: AbortSignal): Promise<Decision | undefined>;
  /** Whether a question waits for its answer. */
  isBusy(): boolean;
}

/** No agent has so many calls in its hands; one that asks without end must not fill the memory. */
const maxWaiting = 1000;

export function createDesk(listener: AgentListener, queue: Queue): Desk {
  let waiting = 0;
  return {
    async ask(event, interrupted, known) {
      if (interrupted.aborted) return undefined;
      if (waiting >= maxWaiting) return tooMany;
      waiting += 1;
      const put = queue.add(async () =>
        interrupted.aborted ? undefined : unlessCancelled(listener.ask(event, await known), interrupted),
      );
      try {
        // Whoever waits in the queue is answered at once, whatever stands before it.
        return await unlessCancelled(put, interrupted);
      } finally {
        waiting -= 1;
      }
    },
    tell: (event, interrupted) =>
      queue.add(async () =>
        interrupted.aborted ? listener.calling(event) : unlessCancelled(listener.calling(event), interrupted),
      ),
    isBusy: () => waiting > 0,
  };
}

const tooMany: Decision = {
  kind: 'block',
  reason: `${maxWaiting} questions wait for an answer already`,
  by: 'hookloop',
};
