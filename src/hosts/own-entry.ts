import type { HookDefinition } from '../model/index.ts';
import { isOwnCommand, isOwnUrl, ownCommand, ownFragment } from '../model/own-entry.ts';

export { isOwnCommand, isOwnUrl, ownCommand, ownFragment };

/** Whether a field of an entry in a hook file says that the entry is ours. */
export const marksOwn = (key: string, value: unknown): boolean =>
  typeof value === 'string' &&
  (key === 'url' ? isOwnUrl(value) : (key === 'command' || key === 'bash') && isOwnCommand(value));

/** Other agents' hook files are hook files of ours too: an entry of ours in them must not call us from inside ourselves. */
export const isOwnEntry = ({ action }: HookDefinition): boolean =>
  action.kind === 'shell' && isOwnCommand(action.command);
