import { writeSync } from 'node:fs';
import { dispatch } from '../cli/commands/dispatch.ts';
import { hook } from '../cli/commands/hook.ts';
import { exit } from '../cli/exit.ts';
import { createIo, isWorldError } from '../cli/io.ts';
import { runCommand } from '../cli/main.ts';

export { hasStartedProcess } from '../actions/process.ts';

/** `dispatch` and `hook` stand in front of an agent's every step: they run from this small file, everything else is loaded when asked for. */
async function main(): Promise<void> {
  const [name, ...rest] = process.argv.slice(2);
  const io = createIo();
  const hot = [dispatch, hook].find(command => command.name === name);
  if (name === 'serve') {
    process.exitCode = await (await import('../cli/serve-alone.ts')).runServe(rest, io);
    return;
  }
  if (!hot) {
    process.exitCode = await (await import('../cli/cli.ts')).runCli(process.argv.slice(2), io);
    return;
  }
  process.exitCode = await runCommand(hot, rest, io);
  // Leaves without taking down all that Node has built up, which costs a millisecond.
  if (io.isWritten()) process.exit();
}

main().catch((error: unknown) => {
  const isBug = !isWorldError(error);
  process.exitCode = isBug ? 70 : exit.failed;
  writeSync(
    2,
    `hookloop: ${isBug ? `this is a bug: ${error instanceof Error ? error.stack : String(error)}` : error.message}\n`,
  );
});
