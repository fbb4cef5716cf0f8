import { dispatch } from '../cli/commands/dispatch.ts';
import { runCommand } from '../cli/run-command.ts';
import { start } from './start.ts';

export { isWarm } from '../app/plan-source.ts';

/** `dispatch` is a file of its own: of what others need it would feel every page. */
start(io => runCommand(dispatch, process.argv.slice(3), io), true);
