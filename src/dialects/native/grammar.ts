import { either, filled, flag, list, oneOf, type RecordShape, record, type ValueOf } from '../../config/shape.ts';
import { type ActionEntry, commonShapes, judgeFields } from '../shared/action-shapes.ts';
import type { Grammar } from '../shared/hooks-block.ts';
import { nativeVariableTypes } from '../shared/pipeline-variable-types.ts';
import { commaList } from './comma-list.ts';
import { events } from './events.ts';

const names = either([filled(), list(filled())]);
const matching = {
  name: filled('Name for logs and messages'),
  tool: { ...names, doc: 'Tool names, comma list, globs allowed' },
  files: { ...names, doc: 'Patterns over the edited file, comma list' },
};
const gating = {
  block: flag('Failure refuses what is about to happen'),
  // biome-ignore lint/suspicious/noThenProperty: it is a key of the file format
  then: oneOf(['abort', 'continue'], 'What follows when every retry has failed (default continue)'),
};
const shellOnly = {
  shell: oneOf(['sh', 'bash'], 'Shell that runs the command (default sh)'),
  feedback: either([flag(), oneOf(['now', 'next-prompt'])], 'Its output goes to the agent'),
};

const { shell, webhook, spawn } = commonShapes;
const shapes = {
  shell: record({ ...shell.fields, ...matching, ...gating, ...shellOnly }, shell),
  webhook: record({ ...webhook.fields, ...matching }, webhook),
  spawn: record({ ...spawn.fields, ...matching, ...gating }, spawn),
  prompt: judge('prompt', 'Asks a model about the event'),
  agent: judge('agent', 'Asks an agent, which may look around first'),
} satisfies Record<string, RecordShape>;

function judge(kind: 'prompt' | 'agent', doc: string) {
  return record({ type: oneOf([kind]), ...judgeFields, ...matching, ...gating }, { required: ['type', 'prompt'], doc });
}

type NativeEntry = ActionEntry &
  ValueOf<{
    type: 'record';
    fields: typeof matching & typeof gating & typeof shellOnly;
    required: readonly [];
  }>;

export const grammar: Grammar = {
  dialect: 'native',
  events,
  via: 'sh',
  shapes,
  variables: nativeVariableTypes,
  /** A gate and an output for the agent make sense only when waited for. */
  flaws({ tool, files }: NativeEntry, event) {
    const about = (...subjects: string[]): boolean => subjects.some(subject => event.startsWith(subject));
    return [
      ...(tool !== undefined && !about('tool.', 'permission.')
        ? [{ field: 'tool', message: `${event} is not about a tool`, hint: 'remove tool:, or the hook never runs' }]
        : []),
      ...(files !== undefined && !about('file.', 'tool.')
        ? [{ field: 'files', message: `${event} is not about a file`, hint: 'remove files:, or the hook never runs' }]
        : []),
    ];
  },
  complete(entry: NativeEntry) {
    const waits = entry.block === true || (entry.feedback ?? false) !== false;
    return waits && entry.await === undefined ? { ...entry, await: true } : entry;
  },
  extend(given, entry: NativeEntry, warn) {
    if (entry.then !== undefined && entry.on_failure !== 'retry')
      warn('then', 'then counts only with on_failure: retry', 'add on_failure: retry');
    if (entry.block === true && entry.on_failure === 'abort')
      warn('block', 'block does nothing beside on_failure: abort', 'remove one of the two');
    if (entry.block === true && entry.on_failure === 'continue')
      warn('on_failure', 'on_failure: continue does nothing beside block: true', 'remove one of the two');
    if (given.wait === false && entry.block === true)
      warn('block', 'block cannot act: nobody waits for this action', 'remove await: false');
    if (given.wait === false && (entry.feedback ?? false) !== false)
      warn('feedback', 'feedback cannot act: nobody waits for this action', 'remove await: false');
    const policy = policyOf(given, entry);
    const { action } = given;
    return {
      ...given,
      name: entry.name ?? given.name,
      match: { ...given.match, ...matchOf(entry) },
      action:
        action.kind === 'shell' && entry.shell === 'bash'
          ? { ...action, run: { via: 'bash', script: action.command } }
          : action,
      ...(policy && { onFailure: policy, onTimeout: policy }),
      feedback: given.wait === false ? 'none' : feedbackOf(entry),
    };
  },
};

function policyOf(given: { wait?: boolean; onFailure?: string }, entry: NativeEntry): 'abort' | 'block' | undefined {
  if (given.wait === false || given.onFailure === 'abort') return undefined;
  if (entry.on_failure === 'retry' && entry.then === 'abort') return 'abort';
  return entry.block === true ? 'block' : undefined;
}

function matchOf({ tool, files }: NativeEntry) {
  return {
    ...(tool !== undefined && { tool: { kind: 'names' as const, names: commaList(tool) } }),
    ...(files !== undefined && { files: commaList(files) }),
  };
}

/** What a gate found is told with its refusal, everything else with the next prompt. */
function feedbackOf({ feedback, block }: NativeEntry): 'none' | 'now' | 'next-prompt' {
  if (feedback === 'now' || feedback === 'next-prompt') return feedback;
  return feedback === true ? (block ? 'now' : 'next-prompt') : 'none';
}
