import {
  type ActionOutcome,
  type DialectWire,
  type EventFields,
  fieldRules,
  type HookDefinition,
  type HookEvent,
  type Interpretation,
  type Places,
} from '../../model/index.ts';
import { outcomeWords } from '../../model/words.ts';
import { byExitCode, hookVariables, outputOf, plainPath, refusalMessage, succeeded } from '../shared/outcome.ts';

/** First the names of the documentation, then those that only the original program's code knows. */
export const events: DialectWire['events'] = {
  after_edit: ['file.edited'],
  after_turn: ['turn.ended'],
  pre_tool: ['tool.calling'],
  post_tool: ['tool.called'],
  post_tool_failure: ['tool.failed'],
  teammate_idle: ['teammate.idling'],
  task_completed: ['task.completing'],
  pre_tool_use: ['tool.calling'],
  post_tool_use: ['tool.called'],
  post_tool_use_failure: ['tool.failed'],
  session_start: ['session.starting'],
  user_prompt_submit: ['prompt.submitting'],
  permission_request: ['permission.requesting'],
};

export const wire: DialectWire = {
  name: 'nyzhi',
  events,
  order: 'in-order',
  present(event, hook, { places }) {
    const env = hookVariables(event);
    if (event.file !== undefined) env['HOOK_FILE'] = plainPath(event.file, places.root);
    return { env, stdin: toContext(event, hook, places) };
  },
  interpret(outcome, hook, event) {
    if (outcome.kind === 'judged') return judgement(outcome, hook, event);
    if (outcome.kind === 'exited' && outcome.exitCode === 2 && teamEvents.includes(hook.event)) {
      const reason = outcome.stdout.trim() || outcome.stderr.trim() || refusalMessage(outcome, hook, event);
      return { verdict: { kind: 'rejected', reason }, feedback: reason };
    }
    const verdict = byExitCode(outcome, hook.name);
    const feedback = reportOf(outcome, hook);
    return {
      verdict,
      ...(verdict.kind === 'failed' && { refusal: refusalMessage(outcome, hook, event) }),
      ...(feedback !== undefined && { feedback }),
    };
  },
};

/** With exit code 2 their hooks say no. */
const teamEvents: readonly string[] = ['teammate.idling', 'task.completing'];

/** The JSON a hook reads on stdin: its own spelling of the event, the fields that are there, and foreign fields untouched. */
function toContext(event: HookEvent, hook: HookDefinition, places: Places): string {
  const own: Record<string, unknown> = { event: hook.spelling, cwd: event.cwd ?? places.root };
  for (const field of Object.keys(fieldRules) as (keyof EventFields)[])
    if (field !== 'cwd' && event[field] !== undefined) for (const name of namesOf(field)) own[name] = event[field];
  if (event.name === 'prompt.submitting' && event.message !== undefined) own['prompt'] = event.message;
  if (event.name === 'tool.called' || event.name === 'tool.failed') own['success'] = event.name === 'tool.called';
  // Spreading defines properties and never assigns them, so a foreign `__proto__` stays a plain key.
  return `${stringify({ ...event.extra, ...own })}\n`;
}

/** Its own names of a field; most are ours in other letters, as in `max_iterations`. */
const namesOf = (field: keyof EventFields): readonly string[] =>
  ownNames[field] ?? [field.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)];

const ownNames: { readonly [Field in keyof EventFields]?: readonly string[] } = {
  session: ['session', 'session_id'],
  at: ['timestamp'],
  content: ['task_content', 'task_subject'],
  tool: ['tool_name'],
  input: ['tool_args', 'tool_input'],
  output: ['output', 'tool_output'],
  file: ['file', 'file_path'],
  again: ['stop_hook_active'],
};

/** A caller of the library may put in what JSON cannot hold (a cycle, a bigint): such fields are left out. */
function stringify(fields: Record<string, unknown>): string {
  return (
    asJson(fields) ?? JSON.stringify(Object.fromEntries(Object.entries(fields).filter(([, value]) => asJson(value))))
  );
}

function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** A judge's answer is the verdict itself, whether the hook blocks or not. */
function judgement(
  outcome: Extract<ActionOutcome, { kind: 'judged' }>,
  hook: HookDefinition,
  event: HookEvent,
): Interpretation {
  if (outcome.ok) return { verdict: { kind: 'passed' } };
  const reason = outcome.reason.trim() || `${hook.name}: no`;
  return {
    verdict: { kind: 'rejected', reason },
    refusal: refusalMessage(outcome, hook, event),
    feedback: `[hook] ${hook.name} (no)\n${reason}`,
  };
}

/** Undefined where there is nothing to tell: the hook passed in silence, or the session itself was stopped. */
function reportOf(outcome: ActionOutcome, hook: HookDefinition): string | undefined {
  const { stdout, stderr } = outcome.kind === 'not-started' ? { stdout: '', stderr: '' } : outputOf(outcome);
  const lines = [stdout.trim(), stderr.trim()].filter(text => text !== '');
  if (outcome.kind === 'cancelled' || (succeeded(outcome) && lines.length === 0)) return undefined;
  return [`[hook] ${hook.name} (${stateOf(outcome)})`, ...lines].join('\n');
}

function stateOf(outcome: ActionOutcome): string {
  if (succeeded(outcome)) return 'ok';
  if (outcome.kind === 'exited') return `exit ${outcome.exitCode}`;
  if (outcome.kind === 'timed-out') return 'timed out';
  return outcome.kind === 'killed' ? 'killed' : outcomeWords(outcome);
}
