import { read } from '../../config/read.ts';
import { createReport } from '../../config/report.ts';
import { count, duration, either, type FieldFlaw, filled, flag, oneOf, record, text } from '../../config/shape.ts';
import { parseYaml } from '../../config/yaml.ts';
import { type NamedAgents, namedAgents } from '../../model/agent.ts';
import { longestWaitMs } from '../../model/duration.ts';
import { given } from '../../model/json.ts';
import type { Protect } from '../../model/protect.ts';
import { agentsShape } from '../shared/action-shapes.ts';
import { type LoopSettings, loopFields, onFailureField, readLoopSettings } from './loop-settings.ts';
import { protectShape, toProtect } from './protect.ts';

/** What hookloop.yaml says beside its hooks. */
export interface Settings extends LoopSettings, NamedAgents {
  /** Who answers prompt and agent hooks. */
  judge?: string;
  maxFailures?: number;
  maxRetries?: number;
  /** The longest pause of a session. */
  maxWaitMs?: number;
  /** Hooks of folders above do not apply. */
  root?: true;
  /** A task is done when its gates passed, whoever ticks its box. */
  doneByGates?: boolean;
  onFailure?: 'end' | 'next';
  /** Every accepted task is a commit on the branch. */
  commitTasks?: true;
  /** How long nothing may come in a turn while nothing is pending; null: for ever. */
  silenceMs?: number | null;
  /** What gates depend on; of the project's file alone. */
  protect?: Protect;
}

export const settingFields = {
  protect: protectShape,
  agent: agentsShape('Agent of `hookloop run`: claude, codex, acp:COMMAND, ...; of a list the next one takes over'),
  judge: record({ agent: filled('Agent that answers prompt and agent hooks') }, { closed: true }),
  root: flag('Hooks of folders above do not apply here (counts once the file is trusted)'),
  max_failures: count('Failed iterations in a row that end the session'),
  max_retries: count('Fix attempts per task'),
  commit: oneOf(['task'], 'task: every accepted task becomes a commit on the branch'),
  max_wait: duration('The longest pause of a session while its agents are limited (default 12h)'),
  tasks: record(
    {
      done: oneOf(
        ['ticked', 'gates'],
        'When a task is done: when it is ticked and its gates passed, or when they passed',
      ),
      on_failure: onFailureField,
    },
    { closed: true },
  ),
  ...loopFields,
  silence: either(
    [duration(), { ...text(), like: '^off$' }],
    'How long nothing may come from an agent in a turn while no tool, hook or question is pending (default 15m), or off',
  ),
};

const settingsShape = record(settingFields);

/** Reads the settings of a file. Problems are told where its hooks are read; what is wrong counts as not written. */
export function readSettings(file: string, written: string): Settings {
  const parsed = parseYaml(written);
  if (parsed.kind !== 'parsed' || parsed.root?.kind !== 'map') return {};
  const root = { ...parsed.root, entries: parsed.root.entries.filter(({ key }) => Object.hasOwn(settingFields, key)) };
  const found = read(root, settingsShape, createReport(file, written, false));
  if (!found) return {};
  const { agent, judge, root: isRoot, tasks, commit, silence, protect } = found;
  const { max_failures: maxFailures, max_retries: maxRetries, max_wait: maxWait } = found;
  return given({
    // A file that names its agent says nothing about those of another file.
    ...(agent !== undefined && { otherAgents: [], ...namedAgents(agent) }),
    ...{ maxFailures, maxRetries },
    maxWaitMs: maxWait === undefined ? undefined : Math.min(maxWait * 1000, longestWaitMs),
    judge: judge?.agent,
    root: isRoot || undefined,
    commitTasks: commit === 'task' || undefined,
    protect: protect && toProtect(protect),
    doneByGates: tasks?.done === undefined ? undefined : tasks.done === 'gates',
    onFailure: tasks?.on_failure,
    ...readLoopSettings(found),
    silenceMs: silenceMs(silence),
  });
}

function silenceMs(silence: number | string | undefined): number | null | undefined {
  if (typeof silence === 'number') return silence > 0 ? silence * 1000 : undefined;
  return silence === 'off' ? null : undefined;
}

export function silenceFlaw(silence: number | string | undefined): FieldFlaw | undefined {
  if (silence === undefined || silence === 'off' || (typeof silence === 'number' && silence > 0)) return undefined;
  const isNumber = typeof silence === 'number';
  return {
    field: 'silence',
    message: isNumber ? 'silence must be longer than 0' : `"${silence}" is neither a duration nor off`,
    hint: 'write 15m, 90s or 2h, or off',
  };
}
