import { childOf, type Located } from '../../config/located.ts';
import { read } from '../../config/read.ts';
import { createReport, type Report } from '../../config/report.ts';
import { count, either, filled, flag, list, oneOf, record, text } from '../../config/shape.ts';
import { parseYaml } from '../../config/yaml.ts';
import type { DialectConfig, HookDefinition, Normalised } from '../../model/index.ts';
import { urlFlaw } from '../shared/action-shapes.ts';
import { disablesOf, readHooksFile } from '../shared/hooks-file.ts';
import type { FoundText } from '../shared/text-file.ts';
import { grammar } from './grammar.ts';

const actions = list(either(Object.values(grammar.shapes)), 'Actions in the order they run');

/** The whole file, for its JSON Schema. */
export const fileShape = record(
  {
    version: either([count(), text()], 'Version of this format'),
    agent: filled('Agent of `hookloop run`: claude, codex, acp:COMMAND, ...'),
    judge: record({ agent: filled('Agent that answers prompt and agent hooks') }, { closed: true }),
    hooks: record(Object.fromEntries(Object.keys(grammar.events).map(name => [name, actions])), {
      doc: 'Events and their actions',
      closed: true,
    }),
    root: flag('Hooks of folders above do not apply here (counts once the file is trusted)'),
    disable_global_hooks: flag("Leave the user's global hooks out"),
    max_failures: count('Failed iterations in a row that end the session'),
    max_retries: count('Fix attempts per task'),
    tasks: record(
      {
        done: oneOf(
          ['ticked', 'gates'],
          'When a task is done: when it is ticked and its gates passed, or when they passed',
        ),
      },
      { closed: true },
    ),
    callback_base_url: filled('Public https address of the callback server'),
  },
  { doc: 'Hooks of Hookloop', closed: true },
);

export const config: DialectConfig = {
  name: 'native',
  badFile: 'refuse',
  locations: [
    { scope: 'project', base: 'root', path: 'hookloop.yaml', holds: 'file' },
    { scope: 'user', base: 'config', path: 'hookloop/hooks.yaml', holds: 'file' },
  ],
  normalise(found) {
    const files = found.filter(file => file.kind === 'text').map(readFile);
    return {
      hooks: files.flatMap(file => file.hooks),
      problems: files.flatMap(file => file.problems),
      disables: files.flatMap(file => file.disables ?? []),
    };
  },
};

function readFile(found: FoundText): Normalised {
  const file = readHooksFile(found, fileShape, grammar);
  const disables = disablesOf(file, found.file, found.location.scope);
  warnOfVersion(childOf(file.root, 'version'), file.report);
  const base = childOf(file.root, 'callback_base_url');
  const flaw = urlFlaw('callback_base_url', textOf(base));
  if (base && flaw) file.report.error(base.span, flaw.message, flaw.hint);
  const hooks = file.hooks.map(hook => withBase(hook, flaw ? undefined : textOf(base)));
  return { hooks, problems: file.report.problems, ...disables };
}

/** A value of another type is told already. */
function warnOfVersion(version: Located | undefined, report: Report): void {
  if (version?.kind !== 'scalar' || !['number', 'string'].includes(typeof version.value)) return;
  if (!/^1(\.0)?$/.test(String(version.value)))
    report.warning(version.span, `version ${version.value} is not known here`, 'it is read as version: 1');
}

const textOf = (node: Located | undefined): string | undefined =>
  node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;

/** The file's address counts for every approval in it that names none itself. */
function withBase(hook: HookDefinition, base: string | undefined): HookDefinition {
  const { action } = hook;
  if (base === undefined || action.kind !== 'webhook' || action.callbackBaseUrl !== undefined) return hook;
  return { ...hook, action: { ...action, callbackBaseUrl: base } };
}

/** What hookloop.yaml says beside its hooks. */
export interface Settings {
  agent?: string;
  /** Who answers prompt and agent hooks. */
  judge?: string;
  maxFailures?: number;
  maxRetries?: number;
  /** Hooks of folders above do not apply. */
  root?: true;
  /** A task is done when its gates passed, whoever ticks its box. */
  doneByGates?: boolean;
}

/** Reads the settings of a file. Problems are told where its hooks are read; what is wrong counts as not written. */
export function readSettings(file: string, text: string): Settings {
  const parsed = parseYaml(text);
  if (parsed.kind !== 'parsed' || parsed.root?.kind !== 'map') return {};
  const root = { ...parsed.root, entries: parsed.root.entries.filter(({ key }) => key !== 'hooks') };
  const found = read(root, fileShape, createReport(file, text, false));
  if (!found) return {};
  const { agent, judge, max_failures: maxFailures, max_retries: maxRetries, root: isRoot, tasks } = found;
  return {
    ...(agent !== undefined && { agent }),
    ...(judge?.agent !== undefined && { judge: judge.agent }),
    ...(maxFailures !== undefined && { maxFailures }),
    ...(maxRetries !== undefined && { maxRetries }),
    ...(isRoot && { root: true }),
    ...(tasks?.done !== undefined && { doneByGates: tasks.done === 'gates' }),
  };
}
