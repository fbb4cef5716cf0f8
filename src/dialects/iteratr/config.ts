import { childOf, isNothing, itemsOf, type Located } from '../../config/located.ts';
import { forbiddenKeys, read } from '../../config/read.ts';
import type { Report } from '../../config/report.ts';
import { count, filled, flag, json, list, record, seconds } from '../../config/shape.ts';
import { parseYaml } from '../../config/yaml.ts';
import type { DialectConfig, HookDefinition } from '../../model/index.ts';
import { didYouMean, nearest } from '../../model/nearest.ts';
import {
  compilePlaceholders,
  hookFrom,
  normaliseFiles,
  openFiles,
  type PlaceholderRules,
  type TextFile,
} from '../shared/text-file.ts';
import { events, placeholders } from './wire.ts';

const entryShape = record(
  {
    command: filled(
      'Shell command; {{session}}, {{iteration}}, {{task_id}}, {{task_content}} and {{error}} stand for values',
    ),
    timeout: seconds('Seconds; 0 or less is the default (30)'),
    pipe_output: flag('Send the output to the agent (default false)'),
  },
  { required: ['command'] },
);
const entriesShape = list(entryShape, 'Hooks in the order they run');

/** The whole file, for its JSON Schema. */
export const fileShape = record(
  {
    version: count('Version of the format: 1'),
    hooks: record(Object.fromEntries(Object.keys(events).map(type => [type, entriesShape]))),
  },
  { doc: 'Hooks of .iteratr.hooks.yml: commands around the iterations of an agent session' },
);
const topShape = record({ version: json(), hooks: json() });

export const config: DialectConfig = {
  name: 'iteratr',
  badFile: 'leave-out',
  locations: [{ scope: 'project', base: 'root', path: '.iteratr.hooks.yml', holds: 'file' }],
  normalise: found => normaliseFiles(openFiles(found, config, parseYaml), hooksIn),
};

function hooksIn(root: Located, file: TextFile): HookDefinition[] {
  if (isNothing(root)) return [];
  read(root, topShape, file.report);
  checkVersion(root, file.report);
  const types = childOf(root, 'hooks');
  return types && !isNothing(types) ? readTypes(types, file) : [];
}

function checkVersion(root: Located, report: Report): void {
  const version = childOf(root, 'version');
  if (version && !(version.kind === 'scalar' && version.value === 1))
    report.warning(version.span, 'this version is not known; the file is read as version 1', 'write version: 1');
}

function readTypes(types: Located, file: TextFile): HookDefinition[] {
  if (types.kind !== 'map') {
    read(types, fileShape.fields.hooks, file.report);
    return [];
  }
  return types.entries.flatMap(({ key, keySpan, value }) => {
    if (Object.hasOwn(events, key)) return readEntries(key, value, file);
    const hint = didYouMean(key, Object.keys(events)) ?? `known here: ${Object.keys(events).join(', ')}`;
    if (!forbiddenKeys.has(key)) file.report.warning(keySpan, `unknown hook type "${key}"`, hint);
    return [];
  });
}

/** The entries are read one by one, so that a bad one does not take the others with it. */
function readEntries(type: string, entries: Located, file: TextFile): HookDefinition[] {
  if (entries.kind !== 'list' && !isNothing(entries)) read(entries, entriesShape, file.report);
  return itemsOf(entries).flatMap((node, index) => toHook(type, node, index, file) ?? []);
}

function toHook(type: string, node: Located, index: number, file: TextFile): HookDefinition | undefined {
  const entry = read(node, entryShape, file.report);
  if (!entry) return undefined;
  const written = { command: entry.command, node: childOf(node, 'command')! };
  const run = compilePlaceholders(written, placeholderRules, file);
  if (run === undefined) return undefined;
  const timeout = entry.timeout !== undefined && entry.timeout > 0 ? entry.timeout : 30;
  return hookFrom(file, node, index, {
    event: events[type]![0]!,
    spelling: type,
    name: entry.command,
    action: { kind: 'shell', command: entry.command, run, cwd: 'root' },
    timeoutMs: Math.min(timeout * 1000, Number.MAX_SAFE_INTEGER),
    feedback: entry.pipe_output ? feedbackOf(type) : 'none',
    ...(type === 'on_error' && { recovers: true }),
  });
}

/** No one is left to read what a hook says at the end of the session. */
function feedbackOf(type: string): HookDefinition['feedback'] {
  if (type === 'session_end') return 'none';
  return type === 'on_error' ? 'now' : 'next-prompt';
}

const placeholderRules: PlaceholderRules = {
  // Names only: Go templates like {{.Name}} or {{json .}} belong to the command itself.
  pattern: /\{\{([ \t]*[\w-]+[ \t]*)\}\}/g,
  variableOf: name => (Object.hasOwn(placeholders, name) ? placeholders[name]!.variable : undefined),
  unknown: name => {
    const near = nearest(name, Object.keys(placeholders));
    const known = Object.keys(placeholders).map(each => `{{${each}}}`);
    return {
      message: `unknown placeholder {{${name}}}; it stays as it is`,
      hint: near === undefined ? `known here: ${known.join(', ')}` : `did you mean {{${near}}}?`,
    };
  },
};
