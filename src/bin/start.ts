import { writeSync } from 'node:fs';
import { signalExit } from '../cli/exit.ts';
import { createIo, type Io } from '../cli/io.ts';
import { failureOf } from '../cli/run-command.ts';
import { leave } from '../cli/signals.ts';

/** Runs a command to its end, which is that of the program. `isHot`: it stands in front of an agent's every step. */
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
  // Leaves without taking down all that Node has built up, which costs a millisecond.
  if ((isHot && io.isWritten()) || code === signalExit['SIGHUP']) leave(code);
}
