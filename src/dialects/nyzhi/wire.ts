import type { ActionOutcome, DialectWire, HookDefinition, HookEvent, Interpretation } from '../../model/index.ts';
import { outcomeWords } from '../../model/words.ts';
import { byExitCode, hookVariables, outputOf, succeeded } from '../shared/outcome.ts';
import { refusalMessage } from '../shared/refusal-message.ts';
import { toContext } from './context.ts';
import { events } from './events.ts';

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
    if (isRejection(outcome, hook)) return rejection(outcome, hook, event);
    const verdict = byExitCode(outcome, hook.name);
    const feedback = reportOf(outcome, hook);
    return {
      verdict,
      ...(verdict.kind === 'failed' && { refusal: refusalMessage(outcome, hook, event) }),
      ...(feedback !== undefined && { feedback }),
    };
  },
};

/** Programs take a name that starts with a dash or a sign for an option or a command: such a path is made absolute. */
function plainPath(file: string, root: string): string {
  const path = file.replaceAll('\0', '');
  // Made here: compiling it costs a third of a millisecond, and most events have no file.
  return /^($|[\p{L}\p{N}_/]|\.{1,2}\/)/u.test(path) ? path : `${root}/${path}`;
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

const teamEvents: readonly string[] = ['teammate.idling', 'task.completing'];

const isRejection = (outcome: ActionOutcome, hook: HookDefinition): boolean =>
  outcome.kind === 'exited' && outcome.exitCode === 2 && teamEvents.includes(hook.event);

function rejection(outcome: ActionOutcome, hook: HookDefinition, event: HookEvent): Interpretation {
  const { stdout, stderr } = outputOf(outcome);
  const reason = stdout.trim() || stderr.trim() || refusalMessage(outcome, hook, event);
  return { verdict: { kind: 'rejected', reason }, feedback: reason };
}

/** Undefined where there is nothing to tell: the hook passed in silence, or the session itself was stopped. */
function reportOf(outcome: ActionOutcome, hook: HookDefinition): string | undefined {
  const lines = printed(outcome);
  if (outcome.kind === 'cancelled' || (succeeded(outcome) && lines.length === 0)) return undefined;
  return [`[hook] ${hook.name} (${stateOf(outcome)})`, ...lines].join('\n');
}

function stateOf(outcome: ActionOutcome): string {
  if (succeeded(outcome)) return 'ok';
  if (outcome.kind === 'exited') return `exit ${outcome.exitCode}`;
  if (outcome.kind === 'timed-out') return 'timed out';
  return outcome.kind === 'killed' ? 'killed' : outcomeWords(outcome);
}

function printed(outcome: ActionOutcome): string[] {
  if (outcome.kind === 'not-started') return [];
  const { stdout, stderr } = outputOf(outcome);
  return [stdout.trim(), stderr.trim()].filter(text => text !== '');
}
