import { childOf, isNothing, type Located } from '../../config/located.ts';
import { read } from '../../config/read.ts';
import { count, type Entry, entries, filled, flag, json, record, seconds, type ValueOf } from '../../config/shape.ts';
import { parseYaml } from '../../config/yaml.ts';
import type { DialectConfig, HookDefinition } from '../../model/index.ts';
import { nearest } from '../../model/nearest.ts';
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
const entriesShape = entries(entryShape, 'Hooks in the order they run', { orNothing: true });

/** The whole file, for its JSON Schema. */
export const fileShape = record(
  {
    version: count('Version of the format: 1'),
    hooks: record(Object.fromEntries(Object.keys(events).map(type => [type, entriesShape])), {
      each: 'hook type',
      orNothing: true,
    }),
  },
  { doc: 'Hooks of .iteratr.hooks.yml: commands around the iterations of an agent session' },
);
/** Whatever it says of its version, its hooks count. */
const readShape = record(
  { ...fileShape.fields, version: json() },
  { each: 'key', check: ({ version = 1 }: { version?: unknown }) => (version === 1 ? [] : [otherVersion]) },
);
const otherVersion = {
  field: 'version',
  message: 'this version is not known; the file is read as version 1',
  hint: 'write version: 1',
  isWarning: true,
} as const;

export const config: DialectConfig = {
  name: 'iteratr',
  badFile: 'leave-out',
  locations: [{ scope: 'project', base: 'root', path: '.iteratr.hooks.yml', holds: 'file' }],
  normalise: found => normaliseFiles(openFiles(found, config, parseYaml), hooksIn),
};

function hooksIn(root: Located, file: TextFile): HookDefinition[] {
  const types = isNothing(root) ? undefined : read(root, readShape, file.report)?.hooks;
  if (!types) return [];
  return Object.entries(types).flatMap(([type, listed = []]) =>
    listed.flatMap(entry => toHook(type, entry, file) ?? []),
  );
}

function toHook(
  type: string,
  { value: entry, node, index }: Entry<ValueOf<typeof entryShape>>,
  file: TextFile,
): HookDefinition | undefined {
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
