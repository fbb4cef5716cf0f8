import { hook } from '../cli/commands/hook.ts';
import { runCommand } from '../cli/run-command.ts';
import { start } from './start.ts';

export { isWarm } from '../app/plan-source.ts';

/** Agents wait for `hook` at every step, so it runs from this small file; everything else is loaded when it is needed. */
const [name, ...rest] = process.argv.slice(2);
start(async io => {
  if (name === 'hook') return runCommand(hook, rest, io);
  if (name === 'serve') return (await import('../cli/serve-alone.ts')).runServe(rest, io);
  // A person waits for it with a finger on the tab key.
  if (name === 'completion' && rest[0] === '--sessions')
    return (await import('../cli/completion/session-names.ts')).printSessionNames(io, rest[1]);
  return (await import('../cli/cli.ts')).runCli(process.argv.slice(2), io);
}, name === 'hook');
