import type { HookDefinition } from '../model/index.ts';
import { isOwnCommand, ownMark } from '../model/own-entry.ts';

export { isOwnCommand, ownMark };

/** Other agents' hook files are hook files of ours too: an entry of ours in them must not call us from inside ourselves. */
export const isOwnEntry = ({ action }: HookDefinition): boolean =>
  action.kind === 'shell' && isOwnCommand(action.command);
