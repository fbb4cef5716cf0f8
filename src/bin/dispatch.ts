import { dispatch } from '../cli/commands/dispatch.ts';
import { runCommand } from '../cli/run-command.ts';
import { start } from './start.ts';

export { isWarm } from '../app/plan-source.ts';

/** `dispatch` has a bundle of its own: it starts with every event, and code that only other commands need would slow it down. */
start(io => runCommand(dispatch, process.argv.slice(3), io), true);
