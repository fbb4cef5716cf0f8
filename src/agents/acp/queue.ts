/** Work that is done one piece after another. */
export interface Queue {
  /** Resolves with what the work gives. Contract: a rejection is the caller's, the queue goes on. */
  add<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves once nothing is left, what was added meanwhile included. */
  idle(): Promise<void>;
}

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    add(work) {
      const result = last.then(work);
      last = result.catch(() => {});
      return result;
    },
    async idle() {
      for (let waitedFor: unknown; waitedFor !== last; ) {
        waitedFor = last;
        await last;
      }
    },
  };
}
