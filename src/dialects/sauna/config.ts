import { parseJson } from '../../config/json.ts';
import type { Located } from '../../config/located.ts';
import { read } from '../../config/read.ts';
import { count, type Entry, either, entries, filled, record, seconds, text, type ValueOf } from '../../config/shape.ts';
import type { DialectConfig, HookDefinition } from '../../model/index.ts';
import { hookFrom, normaliseFiles, openFiles, type TextFile } from '../shared/text-file.ts';

const entryShape = either([
  filled('Shell command, run exactly as written'),
  record(
    {
      command: filled('Shell command, run exactly as written'),
      name: text('Name for logs and messages'),
      timeout: { ...seconds('Seconds, 0 = no limit (default 600)'), min: 0 },
    },
    { required: ['command'] },
  ),
]);
const gatesShape = entries(entryShape, 'Gates in the order they run');
const objectShape = record(
  { hooks: gatesShape, max_retries: count('Fix attempts per task (default 3)') },
  { required: ['hooks'], each: 'key' },
);

/** The whole file, for its JSON Schema. */
export const fileShape = either(
  [gatesShape, objectShape],
  'Gates of .sauna/hooks.json: all must pass before the builder may go on to the next task',
);

export const config: DialectConfig = {
  name: 'sauna',
  badFile: 'refuse',
  locations: [{ scope: 'project', base: 'root', path: '.sauna/hooks.json', holds: 'file' }],
  normalise: found => normaliseFiles(openFiles(found, config, parseJson), hooksIn),
};

function hooksIn(root: Located, file: TextFile): HookDefinition[] {
  const found = read(root, fileShape, file.report);
  const { hooks = [], max_retries: maxFixes = 3 } = Array.isArray(found) ? { hooks: found } : (found ?? {});
  return hooks.map(entry => toHook(entry, maxFixes, file));
}

function toHook(
  { value: entry, node, index }: Entry<ValueOf<typeof entryShape>>,
  maxFixes: number,
  file: TextFile,
): HookDefinition {
  const gate = typeof entry === 'string' ? { command: entry } : entry;
  const timeout = gate.timeout ?? 600;
  return hookFrom(file, node, index, {
    event: 'task.completing',
    spelling: 'gate',
    name: gate.name ?? gate.command,
    match: { role: 'builder' },
    action: { kind: 'shell', command: gate.command, run: { via: 'sh', script: gate.command }, cwd: 'root' },
    timeoutMs: timeout <= 0 ? null : timeout * 1000,
    onFailure: 'revise',
    maxFixes,
    feedback: 'now',
  });
}
