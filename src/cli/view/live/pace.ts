export interface Pace {
  /** Something has changed: draw soon. */
  change(): void;
  /** Draw again after that time even if nothing happens. */
  next(afterMs: number): void;
  stop(): void;
}

/** Draws at most twelve times a second. */
export function createPace(draw: () => void): Pace {
  let timer: NodeJS.Timeout | undefined;
  let dueMs = Number.POSITIVE_INFINITY;
  let drawnMs = 0;
  const schedule = (atMs: number): void => {
    if (atMs >= dueMs) return;
    clearTimeout(timer);
    dueMs = atMs;
    timer = setTimeout(run, Math.max(0, atMs - Date.now())).unref();
  };
  const run = (): void => {
    dueMs = Number.POSITIVE_INFINITY;
    drawnMs = Date.now();
    draw();
  };
  return {
    change: () => schedule(Math.max(Date.now(), drawnMs + minGapMs)),
    next: afterMs => schedule(Date.now() + afterMs),
    stop() {
      clearTimeout(timer);
      dueMs = Number.NEGATIVE_INFINITY;
    },
  };
}

const minGapMs = 84;
