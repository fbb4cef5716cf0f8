import { read } from '../../config/read.ts';
import { createReport } from '../../config/report.ts';
import { parseYaml } from '../../config/yaml.ts';
import { fileShape } from './config.ts';

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
