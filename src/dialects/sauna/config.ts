import { parseJson } from '../../config/json.ts';
import { childOf, itemsOf, type Located } from '../../config/located.ts';
import { read } from '../../config/read.ts';
import type { Report } from '../../config/report.ts';
import { count, either, filled, json, list, record, seconds, text, type ValueOf } from '../../config/shape.ts';
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
const gatesShape = list(entryShape, 'Gates in the order they run');
const objectShape = record(
  { hooks: gatesShape, max_retries: count('Fix attempts per task (default 3)') },
  { required: ['hooks'] },
);

const topShape = record({ hooks: json(), max_retries: json() }, { required: ['hooks'] });

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
  const { entries, maxFixes } = readTop(root, file.report);
  return itemsOf(entries).flatMap((node, index) => {
    const entry = read(node, entryShape, file.report);
    return entry === undefined ? [] : [toHook(entry, node, index, maxFixes, file)];
  });
}

/** The entries are read one by one afterwards, so that each problem is told once. */
function readTop(root: Located, report: Report): { entries: Located | undefined; maxFixes: number } {
  if (root.kind === 'list') return { entries: root, maxFixes: 3 };
  read(root, root.kind === 'map' ? topShape : fileShape, report);
  const [entries, retries] = [childOf(root, 'hooks'), childOf(root, 'max_retries')];
  if (entries) read(entries, list(json()), report);
  return { entries, maxFixes: (retries && read(retries, objectShape.fields.max_retries, report)) ?? 3 };
}

function toHook(
  entry: ValueOf<typeof entryShape>,
  node: Located,
  index: number,
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
