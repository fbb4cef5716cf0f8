import { childOf, itemsOf, type Located } from '../../config/located.ts';
import { read } from '../../config/read.ts';
import { flag, list, oneOf, record, seconds, text, type ValueOf } from '../../config/shape.ts';
import { parseToml } from '../../config/toml.ts';
import type { DialectConfig, EventName, HookDefinition, JudgeAction, Match, ShellAction } from '../../model/index.ts';
import { didYouMean } from '../../model/nearest.ts';
import {
  commaList,
  compilePlaceholders,
  hookFrom,
  normaliseFiles,
  openFiles,
  type PlaceholderRules,
  type TextFile,
} from '../shared/text-file.ts';
import { events } from './wire.ts';

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
  normalise: found => normaliseFiles(openFiles(found, config, parseToml), hooksIn),
  without: withoutHooks,
};

/** Tables of their own go with their lines; a list in one value stays. */
function withoutHooks(text: string, hooks: readonly HookDefinition[]): string | undefined {
  const parsed = parseToml(text);
  const items = parsed.kind === 'parsed' ? itemsOf(childOf(childOf(parsed.root, 'agent'), 'hooks')) : [];
  const spans = hooks.map(({ id }) => items[Number(/\[(\d+)\]$/.exec(id)?.[1])]?.span);
  let left = text;
  for (const span of spans.toSorted((a, b) => (b?.start ?? 0) - (a?.start ?? 0))) {
    if (span === undefined || !text.startsWith('[[', span.start)) return undefined;
    const [rest = ''] = /^[ \t]*(?:#[^\n]*)?(?:\r?\n[ \t]*)*(?:\r?\n)?/.exec(left.slice(span.end)) ?? [];
    left = left.slice(0, span.start) + left.slice(span.end + rest.length);
  }
  return left.trim() === '' ? '' : left;
}

/** The rest of the file belongs to other programs: it is neither checked nor turned into objects. */
function hooksIn(root: Located, { report, ...file }: TextFile): HookDefinition[] {
  const entries = childOf(childOf(root, 'agent'), 'hooks');
  if (entries && entries.kind !== 'list')
    report.error(entries.span, 'agent.hooks is not a list of tables', 'write [[agent.hooks]] above each hook');
  return itemsOf(entries).flatMap(
    (node, index) => toHook(node, index, { ...file, report: report.refusing(mayBlock(node)) }) ?? [],
  );
}

/** True unless the entry surely is no gate. */
function mayBlock(node: Located): boolean {
  if (node.kind !== 'map') return true;
  const block = childOf(node, 'block');
  return block !== undefined && !(block.kind === 'scalar' && block.value === false);
}

function toHook(node: Located, index: number, file: TextFile): HookDefinition | undefined {
  const entry = read(node, entryShape, file.report);
  const action = entry && readAction(entry, node, file);
  if (!action) return undefined;
  const timeout = entry.timeout ?? 30;
  return hookFrom(file, node, index, {
    event: events[entry.event]![0]!,
    spelling: entry.event,
    name: action.kind === 'shell' ? action.command : firstLine(action.prompt),
    match: readMatch(entry, node, file),
    action,
    timeoutMs: timeout === 0 ? null : Math.min(timeout * 1000, Number.MAX_SAFE_INTEGER),
    onFailure: entry.block ? 'block' : 'continue',
    feedback: 'next-prompt',
  });
}

type Entry = ValueOf<typeof entryShape>;
type HookAction = ShellAction | JudgeAction;

const kinds = ['command', 'prompt', 'agent'] as const;

function readAction(entry: Entry, node: Located, file: TextFile): HookAction | undefined {
  const { report } = file;
  const key = entry.type === undefined ? 'hook_type' : 'type';
  const written = entry[key] ?? 'command';
  const kind = kinds.find(each => each === written.toLowerCase());
  if (kind === undefined) {
    const hint = didYouMean(written, kinds);
    report.error(childOf(node, key)!.span, `"${written}" is not one of ${kinds.join(', ')}`, hint);
    return undefined;
  }
  const field = kind === 'command' ? 'command' : 'prompt';
  const said = entry[field] ?? (field === 'prompt' ? entry.instructions : undefined);
  if (!said?.trim()) {
    const empty = childOf(node, field);
    if (empty) report.error(empty.span, `"${field}" is empty`);
    else report.error(node.span, `"${field}" is missing`, `${field}: ${entryShape.fields[field].doc}`);
    return undefined;
  }
  if (kind !== 'command') return { kind, prompt: said };
  const run = compilePlaceholders({ command: said, node: childOf(node, field)! }, placeholdersOf(entry), file);
  return run && { kind: 'shell', command: said, run, cwd: 'root' };
}

const placeholdersOf = ({ event }: Entry): PlaceholderRules => ({
  // ${file} is the shell's.
  pattern: /(?<!\$)\{(file)\}/g,
  variableOf: () => (event === 'after_edit' ? 'HOOK_FILE' : undefined),
  unknown: () => ({ message: `{file} stays as it is: ${event} has no file`, hint: 'only after_edit has one' }),
});

const usedBy: Record<'pattern' | 'tool_name', { events: readonly EventName[]; hint: string }> = {
  pattern: { events: ['file.edited'], hint: 'it is for after_edit' },
  tool_name: {
    events: ['tool.calling', 'tool.called', 'tool.failed', 'permission.requesting'],
    hint: 'it is for tool events like pre_tool',
  },
};

/** Which files and tools a hook is for. */
function readMatch(entry: Entry, node: Located, file: TextFile): Match {
  const names = readFilter('tool_name', entry, node, file);
  const files = readFilter('pattern', entry, node, file);
  return {
    ...(names.length > 0 && { tool: { kind: 'names', names } }),
    ...(files.length > 0 && { files }),
  };
}

/** A filter that the event cannot use is ignored: if it counted, the hook would never run and a gate would be lost. */
function readFilter(key: 'pattern' | 'tool_name', entry: Entry, node: Located, file: TextFile): string[] {
  const written = entry[key];
  if (written === undefined) return [];
  if (usedBy[key].events.includes(events[entry.event]![0]!)) return commaList(written);
  file.report.warning(childOf(node, key)!.span, `${key} has no effect on ${entry.event}`, usedBy[key].hint);
  return [];
}

const firstLine = (prompt: string): string => prompt.trim().split('\n', 1)[0]!.slice(0, 80);
