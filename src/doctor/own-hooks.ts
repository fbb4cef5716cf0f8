import { isOwnCommand } from '../hosts/own-entry.ts';
import { type Fields, fieldsOf } from './settings.ts';

/** What becomes of entries that are not ours. `blank`: they do nothing, where the place of an entry has a meaning. */
export type Strangers = 'drop' | 'blank';

/** Our entries under `hooks`, as they stand. Those of others may do anything, and do not run. */
export function ownHooks(settings: Fields, strangers: Strangers): Fields {
  const kept = Object.entries(fieldsOf(settings['hooks'])).flatMap(([native, groups]) => {
    const list = Array.isArray(groups) ? groups.flatMap(group => ownGroup(fieldsOf(group), strangers)) : [];
    return list.length > 0 ? [[native, list] as const] : [];
  });
  return Object.fromEntries(kept);
}

/** The commands of ours for an event, the first one found first. */
export const ownCommands = (settings: Fields, native: string): string[] =>
  listOf(fieldsOf(settings['hooks'])[native]).flatMap(group =>
    [group, ...listOf(fieldsOf(group)['hooks'])].flatMap(entry => {
      const command = commandOf(fieldsOf(entry));
      return command !== undefined && isOwnCommand(command) ? [command] : [];
    }),
  );

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const commandOf = ({ command, bash }: Fields): string | undefined =>
  [command, bash].find(value => typeof value === 'string') as string | undefined;

const nothing = { type: 'command', command: 'true' };

function ownGroup(group: Fields, strangers: Strangers): readonly unknown[] {
  const entries = listOf(group['hooks']).map(fieldsOf);
  const isOwn = (entry: Fields): boolean => isOwnCommand(commandOf(entry) ?? '');
  if (strangers === 'blank') return [{ ...group, hooks: entries.map(entry => (isOwn(entry) ? entry : nothing)) }];
  const own = entries.filter(isOwn);
  return own.length > 0 ? [{ ...group, hooks: own }] : [];
}
