import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { config } from '../../codex/config.ts';
import type { InstallPlaces } from '../../config.ts';
import { isOwnCommand } from '../../own-entry.ts';
import type { Trust } from '../report.ts';
import { type Fields, fieldsOf, readSettings, valueAt } from '../settings.ts';

/** Whether each entry of ours has been trusted once. Whether it still reads the same only Codex can tell. */
export function codexTrust(user: InstallPlaces, files: readonly string[]): Trust {
  const state = fieldsOf(valueAt(readSettings(userConfig(user)), ['hooks', 'state']));
  const isKnown = (file: string): boolean =>
    keysIn(file).every(key => [key, realOr(file) + key.slice(file.length)].some(name => isTrusted(state[name])));
  const isProject = (file: string): boolean => dirname(file) !== dirname(userConfig(user));
  const isOpen = (files.length > 0 && !files.some(isProject)) || isProjectTrusted(user);
  return isOpen && files.every(isKnown) ? 'trusted' : 'untrusted';
}

/** Without it Codex does not read the project's folder at all. */
export function isProjectTrusted(user: InstallPlaces): boolean {
  const projects = fieldsOf(readSettings(userConfig(user))['projects']);
  return [user.root, realOr(user.root)].some(root => fieldsOf(projects[root])['trust_level'] === 'trusted');
}

/** The same state for files that stand elsewhere: its keys begin with their paths. */
export function movedState(state: Fields, user: InstallPlaces, stage: InstallPlaces): Fields {
  const moves = (['user', 'project'] as const).flatMap(scope => {
    const [from, to] = [dirname(config.file(scope, user)), dirname(config.file(scope, stage))];
    return [from, realOr(from)].map(folder => ({ from: `${folder}/`, to: `${to}/` }));
  });
  const moved = Object.entries(state).flatMap(([key, value]) => {
    const move = moves.find(({ from }) => key.startsWith(from));
    return move ? [[move.to + key.slice(move.from.length), value] as const] : [];
  });
  return Object.fromEntries(moved);
}

const userConfig = (user: InstallPlaces): string => join(dirname(config.file('user', user)), 'config.toml');

const isTrusted = (value: unknown): boolean => {
  const { trusted_hash, enabled } = fieldsOf(value);
  return typeof trusted_hash === 'string' && enabled !== false;
};

/** `FILE:pre_tool_use:GROUP:INDEX` for each entry of ours. */
function keysIn(file: string): string[] {
  return Object.entries(fieldsOf(readSettings(file)['hooks'])).flatMap(([native, groups]) =>
    (Array.isArray(groups) ? groups : []).flatMap((group, at) => {
      const { hooks } = fieldsOf(group);
      return (Array.isArray(hooks) ? hooks : []).flatMap((entry, index) => {
        const { command } = fieldsOf(entry);
        const isOurs = typeof command === 'string' && isOwnCommand(command);
        return isOurs ? [`${file}:${snakeCase(native)}:${at}:${index}`] : [];
      });
    }),
  );
}

const snakeCase = (name: string): string => name.replaceAll(/(?<=.)[A-Z]/g, letter => `_${letter}`).toLowerCase();

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
