import { dirname } from 'node:path';
import { parseJsonc } from '../config/json.ts';
import type { Located } from '../config/located.ts';
import { parseToml } from '../config/toml.ts';
import { marksOwn } from '../model/own-entry.ts';
import { jsonText } from '../platform/files.ts';
import { isWithin, realPath } from '../platform/folders.ts';
import type { Finding, Trust } from './doctor/report.ts';
import { type AgentFolders, type Host, installScopes } from './host.ts';
import { readFile } from './install/files.ts';
import type { Files } from './settings.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What a settings file says; empty where it is missing or cannot be read. */
export function readSettings(file: string): Fields {
  const found = readFile(file, undefined);
  if (found.kind !== 'text') return {};
  const parsed = (file.endsWith('.toml') ? parseToml : parseJsonc)(found.text.replace(/^\ufeff/, ''));
  return parsed.kind === 'parsed' && parsed.root ? fieldsOf(plainOf(parsed.root)) : {};
}

export function plainOf(node: Located): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainOf);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainOf(value)]));
}

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value at a path of keys. */
export const valueAt = (fields: Fields, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (Object.hasOwn(fieldsOf(value), key) ? fieldsOf(value)[key] : undefined),
    fields,
  );

/** Only the values at these paths. */
export function picked(fields: Fields, paths: readonly (readonly string[])[]): Fields {
  let kept: Fields = {};
  for (const path of paths) {
    const value = valueAt(fields, path);
    if (value !== undefined) kept = merged(kept, fieldsOf(path.reduceRight((inner, key) => ({ [key]: inner }), value)));
  }
  return kept;
}

/** The second on top of the first, objects inside of each other. */
function merged(below: Fields, above: Fields): Fields {
  const both = Object.entries(above).map(([key, value]) => {
    const isObject = Object.keys(fieldsOf(value)).length > 0;
    return [key, isObject ? merged(fieldsOf(below[key]), fieldsOf(value)) : value] as const;
  });
  return { ...below, ...Object.fromEntries(both) };
}

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
  const isOwn = (entry: Fields): boolean => ownField(entry) !== undefined;
  if (strangers === 'blank') return [{ ...group, hooks: entries.map(entry => (isOwn(entry) ? entry : nothing)) }];
  const own = entries.filter(isOwn);
  return own.length > 0 ? [{ ...group, hooks: own }] : [];
}

/** The commands and addresses of ours for an event, the first one found first. */
export const ownCalls = (settings: Fields, native: string): string[] =>
  listOf(fieldsOf(settings['hooks'])[native]).flatMap(group =>
    [group, ...listOf(fieldsOf(group)['hooks'])].flatMap(entry => ownField(fieldsOf(entry)) ?? []),
  );

const ownField = (entry: Fields): string | undefined =>
  Object.entries(entry).find(([key, value]) => marksOwn(key, value))?.[1] as string | undefined;

/** The settings files of an agent for a sandbox: our entries and what decides about them, and nothing else of the user. */
export function sandboxedSettings(
  host: Host,
  user: AgentFolders,
  sandbox: AgentFolders,
  /** Paths of values that are kept. */
  kept: readonly (readonly string[])[],
  /** Goes into the user's file. */
  base: Fields = {},
): Files {
  const files: Record<string, string> = {};
  for (const scope of installScopes.toReversed()) {
    const settings = readSettings(host.file(scope, user));
    const hooks = ownHooks(settings, 'drop');
    const own = { ...picked(settings, kept), ...(Object.keys(hooks).length > 0 && { hooks }) };
    const sandboxed = scope === 'user' ? merged(base, own) : own;
    if (Object.keys(sandboxed).length > 0) files[host.file(scope, sandbox)] = jsonText(sandboxed);
  }
  return files;
}

/** Says of each settings file what is switched off in it. */
export const switchedOff = (
  host: Host,
  user: AgentFolders,
  isOff: (settings: Fields) => string | undefined,
): Finding[] =>
  [...new Set(installScopes.toReversed().map(scope => host.file(scope, user)))].flatMap(file => {
    const what = isOff(readSettings(file));
    if (what === undefined) return [];
    const message = `${what} in ${file} switches hooks off`;
    return [{ severity: 'warning' as const, message, fix: `remove ${what} from ${file}` }];
  });

/** What a file of trusted folders says about a folder, as Gemini CLI and its kin keep it: the longest path wins. */
export function folderTrust(file: string, folder: string): Trust {
  const real = realPath(folder);
  const rules = Object.entries(readSettings(file))
    .map(([path, level]) => ({ path: level === 'TRUST_PARENT' ? dirname(path) : path, level }))
    .filter(({ path }) => isWithin(real, realPath(path)))
    .sort((a, b) => b.path.length - a.path.length);
  const level = rules[0]?.level;
  return level === 'TRUST_FOLDER' || level === 'TRUST_PARENT' ? 'trusted' : 'untrusted';
}

/** The same for the folder of a sandbox. */
export const trustedFolders = (folder: string, trust: Trust): string =>
  `${JSON.stringify(trust === 'trusted' ? { [folder]: 'TRUST_FOLDER' } : {})}\n`;

export const foldersAbove = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...foldersAbove(dirname(folder))];

/** A TOML text with each value on one line. */
export const tomlText = (fields: Fields): string =>
  Object.entries(fields)
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
