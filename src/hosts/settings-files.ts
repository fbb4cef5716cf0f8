import { dirname, join } from 'node:path';
import { parseJsonc } from '../config/json.ts';
import type { Located } from '../config/located.ts';
import { parseToml } from '../config/toml.ts';
import { type Fields, fieldsOf } from '../model/json.ts';
import { marksOwn } from '../model/own-entry.ts';
import { jsonText } from '../platform/files.ts';
import { isWithin, realPath } from '../platform/folders.ts';
import { type Finding, finding, type Trust } from './doctor/agent-report.ts';
import { type AgentFolders, type Host, installScopes, settingsFile } from './host.ts';
import { readFile } from './install/installed-files.ts';
import type { Files } from './settings.ts';

/** What a settings file says; empty where it is missing or cannot be read. */
export function readSettings(file: string): Fields {
  const found = readFile(file, undefined);
  if (found.kind !== 'text') return {};
  const parsed = (file.endsWith('.toml') ? parseToml : parseJsonc)(found.text);
  return parsed.kind === 'parsed' && parsed.root ? fieldsOf(plainOf(parsed.root)) : {};
}

export function plainOf(node: Located): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainOf);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainOf(value)]));
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value at a path of keys. */
export const valueAt = (fields: Fields, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => fieldsOf(value)[key], fields);

/**
 * Our entries under `hooks`, as they stand. Those of others may do anything, and do not run: they are left out, or do
 * nothing (`blank`) where the place of an entry has a meaning.
 */
export function ownHooks(settings: Fields, strangers: 'drop' | 'blank'): Fields {
  const kept = Object.entries(fieldsOf(settings['hooks'])).flatMap(([native, groups]) => {
    const list = listOf(groups).flatMap(group => ownGroup(fieldsOf(group), strangers));
    return list.length > 0 ? [[native, list] as const] : [];
  });
  return Object.fromEntries(kept);
}

const nothing = { type: 'command', command: 'true' };

function ownGroup(group: Fields, strangers: 'drop' | 'blank'): readonly unknown[] {
  const entries = listOf(group['hooks']).map(fieldsOf);
  if (strangers === 'blank') return [{ ...group, hooks: entries.map(entry => (isOwnEntry(entry) ? entry : nothing)) }];
  const own = entries.filter(isOwnEntry);
  return own.length > 0 ? [{ ...group, hooks: own }] : [];
}

export const isOwnEntry = (entry: unknown): boolean => ownField(fieldsOf(entry)) !== undefined;

/** The commands and addresses of ours for an event, the first one found first. */
export const ownCalls = (settings: Fields, native: string): string[] =>
  listOf(fieldsOf(settings['hooks'])[native]).flatMap(group =>
    [group, ...listOf(fieldsOf(group)['hooks'])].flatMap(entry => ownField(fieldsOf(entry)) ?? []),
  );

const ownField = (entry: Fields): string | undefined =>
  Object.entries(entry).find(([key, value]) => marksOwn(key, value))?.[1] as string | undefined;

/** The settings files of an agent for a sandbox: our entries and what decides about them, which `kept` picks, and nothing else of the user. */
export const sandboxedSettings = (
  host: Host,
  user: AgentFolders,
  sandbox: AgentFolders,
  kept: (settings: Fields) => Fields,
): Files =>
  Object.fromEntries(
    installScopes.map(scope => {
      const settings = readSettings(settingsFile(host, scope, user));
      return [settingsFile(host, scope, sandbox), jsonText({ ...kept(settings), hooks: ownHooks(settings, 'drop') })];
    }),
  );

/** Says of each settings file what is switched off in it. */
export const switchedOff = (
  host: Host,
  user: AgentFolders,
  isOff: (settings: Fields) => string | undefined,
): Finding[] =>
  [...new Set(installScopes.toReversed().map(scope => settingsFile(host, scope, user)))].flatMap(file => {
    const what = isOff(readSettings(file));
    if (what === undefined) return [];
    return [finding('warning', `${what} in ${file} switches hooks off`, `remove ${what} from ${file}`)];
  });

export const allHooksOff = ({ disableAllHooks }: Fields): string | undefined =>
  disableAllHooks === true ? 'disableAllHooks' : undefined;

/** Trust in folders as Gemini CLI and its kin keep it: rules in a file, which a variable can name, and the longest path wins. */
export function folderTrust(host: Host, variable: string) {
  const fileOf = (folders: AgentFolders): string =>
    join(dirname(settingsFile(host, 'user', folders)), 'trustedFolders.json');
  return {
    of(user: AgentFolders): Trust {
      const root = realPath(user.root);
      const rules = Object.entries(readSettings(user.env[variable] ?? fileOf(user)))
        .map(([path, level]) => ({ path: level === 'TRUST_PARENT' ? dirname(path) : path, level }))
        .filter(({ path }) => isWithin(root, realPath(path)))
        .sort((a, b) => b.path.length - a.path.length);
      const level = rules[0]?.level;
      return level === 'TRUST_FOLDER' || level === 'TRUST_PARENT' ? 'trusted' : 'untrusted';
    },
    /** The file for a sandbox. */
    sandboxed: (sandbox: AgentFolders, trust: Trust): Files => ({
      [fileOf(sandbox)]: jsonText(trust === 'trusted' ? { [sandbox.root]: 'TRUST_FOLDER' } : {}),
    }),
  };
}

/** A TOML text with each value on one line; what is undefined is left out, as in JSON. */
export const tomlText = (fields: Fields): string =>
  Object.entries(JSON.parse(JSON.stringify(fields)) as Fields)
    .map(([key, value]) => `${quotedInToml(key)} = ${valueText(value)}\n`)
    .join('');

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return quotedInToml(value);
  const pairs = Object.entries(fieldsOf(value)).map(([key, inner]) => `${quotedInToml(key)} = ${valueText(inner)}`);
  return `{ ${pairs.join(', ')} }`;
}

/** A JSON text is a TOML text, but for the character that ends most of the others. */
export const quotedInToml = (value: unknown): string => JSON.stringify(value).replaceAll('\u007f', '\\u007f');
