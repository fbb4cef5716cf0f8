import type { HookDefinition } from '../model/index.ts';

/** The end of every command that `install` writes: how it is found again. */
export const ownMark = '# hookloop';

/** Whether a command in somebody's hook file is an entry of ours. */
export const isOwnCommand = (command: string): boolean =>
  / hook [a-z]+ [\w.]+( \|\| exit 2)? # hookloop$/.test(command);

/** Other agents' hook files are hook files of ours too: an entry of ours in them must not call us from inside ourselves. */
export const isOwnEntry = ({ action }: HookDefinition): boolean =>
  action.kind === 'shell' && isOwnCommand(action.command);
