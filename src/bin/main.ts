import { writeSync } from 'node:fs';
import { dispatch } from '../cli/commands/dispatch.ts';
import { exit } from '../cli/exit.ts';
import { createIo, WorldError } from '../cli/io.ts';
import { runCommand } from '../cli/main.ts';

export { hasStartedProcess } from '../actions/process.ts';

/** `dispatch` stands in front of an agent's every step: it runs from this small file, everything else is loaded when asked for. */
async function main(): Promise<void> {
  const [name, ...rest] = process.argv.slice(2);
  const io = createIo();
  process.exitCode =
    name === dispatch.name
      ? await runCommand(dispatch, rest, io)
      : await (await import('../cli/cli.ts')).runCli(process.argv.slice(2), io);
}

main().catch((error: unknown) => {
  const isBug = !(error instanceof WorldError);
  process.exitCode = isBug ? 70 : exit.failed;
  writeSync(
    2,
    `hookloop: ${isBug ? `this is a bug: ${error instanceof Error ? error.stack : String(error)}` : error.message}\n`,
  );
});
