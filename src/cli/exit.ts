/** What the program's exit codes mean. A contract: never changed in silence. */
export const exit = {
  done: 0,
  failed: 1,
  refused: 2,
  usage: 64,
  badInput: 65,
  noAgent: 69,
  busy: 75,
  badConfig: 78,
} as const;

/** 128 + the signal's number, as shells count. */
export const signalExit: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 };
