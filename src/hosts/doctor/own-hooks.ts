import { marksOwn } from '../own-entry.ts';
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

/** The commands and addresses of ours for an event, the first one found first. */
export const ownCalls = (settings: Fields, native: string): string[] =>
  listOf(fieldsOf(settings['hooks'])[native]).flatMap(group =>
    [group, ...listOf(fieldsOf(group)['hooks'])].flatMap(entry => {
      const call = ownField(fieldsOf(entry));
      return call === undefined ? [] : [call];
    }),
  );

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const ownField = (entry: Fields): string | undefined =>
  Object.entries(entry).find(([key, value]) => marksOwn(key, value))?.[1] as string | undefined;

const nothing = { type: 'command', command: 'true' };

function ownGroup(group: Fields, strangers: Strangers): readonly unknown[] {
  const entries = listOf(group['hooks']).map(fieldsOf);
  const isOwn = (entry: Fields): boolean => ownField(entry) !== undefined;
  if (strangers === 'blank') return [{ ...group, hooks: entries.map(entry => (isOwn(entry) ? entry : nothing)) }];
  const own = entries.filter(isOwn);
  return own.length > 0 ? [{ ...group, hooks: own }] : [];
}
