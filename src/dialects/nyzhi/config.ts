import { childOf, itemsOf, type Located } from '../../config/located.ts';
import { didYouMean } from '../../config/nearest.ts';
import { read } from '../../config/read.ts';
import { createReport, type Report } from '../../config/report.ts';
import { flag, list, oneOf, record, seconds, text, type ValueOf } from '../../config/shape.ts';
import { parseToml } from '../../config/toml.ts';
import type { Action, DialectConfig, Found, HookDefinition, Problem } from '../../model/index.ts';
import { compileWritten } from '../shared/command.ts';
import { hookFromFile } from '../shared/hook.ts';
import { events } from './events.ts';
import { readMatch } from './match.ts';

type FoundText = Extract<Found, { kind: 'text' }>;

const entryShape = record(
  {
    event: oneOf(Object.keys(events), 'When it runs'),
    command: text('Shell command; {file} stands for the changed file (after_edit)'),
    pattern: text('Files it is for, separated by commas (after_edit): *.ts, src/api/, src/**'),
    timeout: { ...seconds('Seconds, 0 = no limit (default 30)'), min: 0 },
    block: flag('Failing stops what is about to happen (default false)'),
    tool_name: text('Tools it is for, separated by commas (tool events)'),
    type: text('command (default), prompt or agent'),
    hook_type: text('Same as type'),
    prompt: text('Question of a prompt or agent hook'),
    instructions: text('Same as prompt'),
  },
  { required: ['event'] },
);

/** The whole file, for its JSON Schema. */
export const fileShape = record(
  { agent: record({ hooks: list(entryShape, 'Hooks in the order they run') }, { open: true }) },
  { open: true, doc: 'Hooks of nyzhi: [[agent.hooks]] in config.toml' },
);

export const config: DialectConfig = {
  name: 'nyzhi',
  badFile: 'refuse',
  locations: [
    { scope: 'project', base: 'root', path: '.nyzhi/config.toml', holds: 'file' },
    { scope: 'project', base: 'root', path: 'config.toml', holds: 'file', onlyIf: '\\bagent\\b[^]*\\bhooks\\b' },
    { scope: 'user', base: 'config', path: 'nyzhi/config.toml', holds: 'file' },
  ],
  normalise(found) {
    const files = found.filter(file => file.kind === 'text').map(readFile);
    return { hooks: files.flatMap(file => file.hooks), problems: files.flatMap(file => file.problems) };
  },
};

/** The rest of the file belongs to other programs: it is neither checked nor turned into objects. */
function readFile(found: FoundText): { hooks: HookDefinition[]; problems: readonly Problem[] } {
  const report = createReport(found.file, found.text, true);
  const parsed = parseToml(found.text);
  for (const flaw of parsed.flaws) report.flaw(flaw, parsed.kind === 'parsed' ? 'warning' : 'error');
  const entries = parsed.kind === 'parsed' ? childOf(childOf(parsed.root, 'agent'), 'hooks') : undefined;
  if (entries && entries.kind !== 'list')
    report.error(entries.span, 'agent.hooks is not a list of tables', 'write [[agent.hooks]] above each hook');
  const hooks = itemsOf(entries).flatMap(
    (node, index) => toHook(node, index, found, report.refusing(mayBlock(node))) ?? [],
  );
  return { hooks, problems: report.problems };
}

/** True unless the entry surely is no gate. */
function mayBlock(node: Located): boolean {
  if (node.kind !== 'map') return true;
  const block = childOf(node, 'block');
  return block !== undefined && !(block.kind === 'scalar' && block.value === false);
}

function toHook(node: Located, index: number, found: FoundText, report: Report): HookDefinition | undefined {
  const entry = read(node, entryShape, report);
  const action = entry && readAction(entry, node, found, report);
  if (!action) return undefined;
  const timeout = entry.timeout ?? 30;
  return hookFromFile('nyzhi', found, report, node.span, index, {
    event: events[entry.event]![0]!,
    spelling: entry.event,
    name: action.kind === 'shell' ? action.command : firstLine(action.prompt),
    match: readMatch(entry, node, report),
    action,
    timeoutMs: timeout === 0 ? null : Math.min(timeout * 1000, Number.MAX_SAFE_INTEGER),
    onFailure: entry.block ? 'block' : 'continue',
    feedback: 'next-prompt',
  });
}

type Entry = ValueOf<typeof entryShape>;
type HookAction = Extract<Action, { kind: 'shell' | 'prompt' | 'agent' }>;

const kinds = ['command', 'prompt', 'agent'] as const;

function readAction(entry: Entry, node: Located, found: FoundText, report: Report): HookAction | undefined {
  const key = entry.type === undefined ? 'hook_type' : 'type';
  const written = entry[key] ?? 'command';
  const kind = kinds.find(each => each === written.toLowerCase());
  if (kind === undefined) {
    const hint = didYouMean(written, kinds);
    report.error(childOf(node, key)!.span, `"${written}" is not one of ${kinds.join(', ')}`, hint);
    return undefined;
  }
  if (kind === 'command') return readCommand(entry, node, found, report);
  const prompt = entry.prompt ?? entry.instructions;
  if (prompt?.trim()) return { kind, prompt };
  reportMissing('prompt', node, report);
  return undefined;
}

function readCommand(entry: Entry, node: Located, found: FoundText, report: Report): HookAction | undefined {
  const { command } = entry;
  if (!command?.trim()) {
    reportMissing('command', node, report);
    return undefined;
  }
  const isEdit = entry.event === 'after_edit';
  const run = compileWritten(
    { command, span: childOf(node, 'command')!.span, text: found.text },
    {
      // ${file} is the shell's.
      pattern: /(?<!\$)\{(file)\}/g,
      variableOf: () => (isEdit ? 'HOOK_FILE' : undefined),
      unknown: () => ({
        message: `{file} stays as it is: ${entry.event} has no file`,
        hint: 'only after_edit has one',
      }),
    },
    report,
  );
  return run && { kind: 'shell', command, run, cwd: 'root' };
}

function reportMissing(key: 'command' | 'prompt', node: Located, report: Report): void {
  const empty = childOf(node, key);
  if (empty) report.error(empty.span, `"${key}" is empty`);
  else report.error(node.span, `"${key}" is missing`, `${key}: ${entryShape.fields[key].doc}`);
}

const firstLine = (prompt: string): string => prompt.trim().split('\n', 1)[0]!.slice(0, 80);
