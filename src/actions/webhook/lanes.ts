/** Keeps the number of connections to one receiver bounded; a receiver that hangs holds up only what goes to it. */
export interface Lanes {
  /** Settles when there is room, or with undefined once the signal is aborted. Whoever got in calls what it got. */
  enter(origin: string, signal: AbortSignal): Promise<(() => void) | undefined>;
}

export function createLanes(most: number): Lanes {
  const busy = new Map<string, { inside: number; waiting: Set<() => void> }>();
  const leave = (origin: string): void => {
    const lane = busy.get(origin)!;
    const [next] = lane.waiting;
    if (next) next();
    else if (lane.inside === 1) busy.delete(origin);
    else lane.inside -= 1;
  };
  return {
    async enter(origin, signal) {
      if (signal.aborted) return undefined;
      const lane = busy.get(origin) ?? { inside: 0, waiting: new Set() };
      busy.set(origin, lane);
      if (lane.inside < most) lane.inside += 1;
      else if (!(await turn(lane.waiting, signal))) return undefined;
      return () => leave(origin);
    },
  };
}

/** Whoever leaves calls the first that waits: the place is handed on. */
function turn(waiting: Set<() => void>, signal: AbortSignal): Promise<boolean> {
  return new Promise(resolve => {
    const settle = (isIn: boolean): void => {
      waiting.delete(called);
      signal.removeEventListener('abort', gone);
      resolve(isIn);
    };
    const called = (): void => settle(true);
    const gone = (): void => settle(false);
    waiting.add(called);
    signal.addEventListener('abort', gone, { once: true });
  });
}
