const longestStepMs = 5000;

/** Watches for turns in which nothing comes: some agents retry for ever, and say nothing. `isPending`: something else keeps the agent waiting. */
export function createSilence(silenceMs: number | null, isPending: () => boolean) {
  let heardMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const heard = (): void => {
    heardMs = performance.now();
  };
  const end = (): void => clearInterval(timer);
  return {
    heard,
    /** When something came last, in the clock of `performance`. */
    heardMs: (): number => heardMs,
    /** A turn begins. `reached` is called once, where nothing came for too long. */
    begin(reached: () => void): void {
      isOver = false;
      heard();
      if (silenceMs === null) return;
      // Not one long timer: what is pending holds it up, and so may a machine that sleeps.
      timer = setInterval(
        () => {
          if (isPending()) heard();
          if (performance.now() - heardMs < silenceMs) return;
          isOver = true;
          end();
          reached();
        },
        Math.max(1, Math.min(silenceMs / 10, longestStepMs)),
      );
    },
    end,
    /** Whether the turn was ended for its silence. */
    isOver: (): boolean => isOver,
  };
}

export const silentFor = (silenceMs: number): string =>
  `nothing came from the agent for ${silenceMs >= 60_000 ? `${Math.round(silenceMs / 6000) / 10} min` : `${silenceMs / 1000} s`}, while no tool, hook or question was pending: its turn was cancelled (silence: in hookloop.yaml sets how long it may be)`;
