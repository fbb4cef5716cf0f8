import { writeSync } from 'node:fs';
import { signalExit } from '../cli/exit.ts';
import { createIo, type Io } from '../cli/io.ts';
import { failureOf } from '../cli/run-command.ts';
import { leave } from '../cli/signals.ts';

/** Runs a command and ends the program with its exit code. `isHot`: an agent waits for it at every step. */
export function start(run: (io: Io) => Promise<number>, isHot: boolean): void {
  main(run, isHot).catch((error: unknown) => {
    const { text, exitCode } = failureOf(error, process.argv);
    process.exitCode = exitCode;
    writeSync(2, text);
  });
}

async function main(run: (io: Io) => Promise<number>, isHot: boolean): Promise<void> {
  const io = createIo();
  const code = await run(io);
  process.exitCode = code;
  // Ends without letting Node tear down what it has built up, which would take a millisecond.
  if ((isHot && io.isWritten()) || code === signalExit['SIGHUP']) leave(code);
}
