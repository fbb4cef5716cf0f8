import type { DialectWire, EventName, HookDefinition, HookEvent, PresentContext } from '../../model/index.ts';
import { claudePayload, envFileOf } from '../claude/wire.ts';
import { interpretAnswer, parseAnswer, readAnswer, readExitTwo, unreadableAnswer } from '../shared/json-answer.ts';
import { byExitCode, hookVariables, refusalMessage } from '../shared/outcome.ts';

/** The hook types of the SDK, then those that Claude Code's own hooks hand on. */
export const events: DialectWire['events'] = {
  'on-run-start': ['session.starting'],
  'on-run-complete': ['session.completed'],
  'on-run-fail': ['session.failed'],
  'on-iteration-start': ['iteration.starting'],
  'on-iteration-end': ['iteration.completed', 'iteration.failed'],
  'on-task-start': ['task.starting'],
  'on-task-complete': ['task.completed'],
  'on-breakpoint': ['approval.requested'],
  'on-score': ['score.recorded'],
  'on-step-dispatch': ['step.dispatching'],
  'post-planning': ['plan.completed'],
  'pre-branch': ['branch.creating'],
  'pre-commit': ['commit.creating'],
  SessionStart: ['session.starting'],
  Stop: ['turn.ending'],
  PreToolUse: ['tool.calling'],
  PostToolUse: ['tool.called'],
};

export const wire: DialectWire = {
  name: 'babysitter',
  events,
  order: 'all-in-order',
  summary: 'exit',
  present(event, hook, context) {
    const { places } = context;
    const payload = claudeTypes.has(hook.spelling)
      ? claudePayload(event, hook.spelling, places, context.env)
      : JSON.stringify(babysitterFields(event));
    return {
      env: {
        ...hookVariables(event),
        HOOK_PAYLOAD: payload,
        HOOK_TYPE: hook.spelling,
        REPO_ROOT: places.repo,
        ...handedOn(hook, context, event.session),
      },
      stdin: `${payload}\n`,
      relayStderr: `[${hook.name.replaceAll(/[\x00-\x1f\x7f]/g, '?')}] `,
    };
  },
  interpret(outcome, hook, event) {
    if (outcome.kind !== 'exited') return { verdict: byExitCode(outcome, hook.name) };
    const unreadable = unreadableAnswer(outcome, hook.name);
    if (unreadable) return { verdict: unreadable };
    const { exitCode, stdout } = outcome;
    if (exitCode === 2 && claudeTypes.has(hook.spelling) && hook.spelling !== 'SessionStart')
      return interpretAnswer(readExitTwo(outcome, refusalMessage(outcome, hook, event)), undefined, {}, event);
    const answer = parseAnswer(stdout);
    if (exitCode === 0 && answer) {
      const said = readAnswer(answer, refusalMessage(outcome, hook, event));
      return interpretAnswer(said.verdict ?? { kind: 'passed' }, answer, said, event);
    }
    const isGarbled = !answer && stdout.trim() !== '';
    return { verdict: byExitCode(outcome, hook.name), ...(isGarbled && { warning: 'stdout is not a JSON object' }) };
  },
};

/** Scripts of these types speak Claude Code's language. */
const claudeTypes: ReadonlySet<string> = new Set(['SessionStart', 'Stop', 'PreToolUse', 'PostToolUse']);

/** The payload of the SDK's hook types: the event's fields under babysitter's names, unknown ones as they came. */
export function babysitterFields({
  name,
  extra,
  facts: _facts,
  spending: _spending,
  session,
  at,
  content,
  context,
  ...fields
}: HookEvent): Record<string, unknown> {
  return {
    // The id under which a hook reports that it has done the task itself.
    ...(fields.taskId !== undefined && { effectId: fields.taskId, kind: 'agent' }),
    ...extra,
    runId: session ?? '',
    ...(at !== undefined && { timestamp: at }),
    ...(content !== undefined && { label: content }),
    ...(name in statuses && { status: statuses[name] }),
    ...fields,
    ...(context !== undefined && { context: withRun(context, session) }),
  };
}

/** Breakpoints name their run once more beside their files. */
const withRun = (context: unknown, session = ''): unknown =>
  typeof context === 'object' && context !== null && 'files' in context ? { runId: session, ...context } : context;

const statuses: { readonly [Name in EventName]?: string } = {
  'session.completed': 'completed',
  'session.failed': 'failed',
  'iteration.completed': 'completed',
  'iteration.failed': 'failed',
};

/** A plugin's script gets its own plugin's folder, whichever plugin called us. */
function handedOn(hook: HookDefinition, { env }: PresentContext, session: string | undefined): Record<string, string> {
  const values = {
    CLAUDE_SESSION_ID: env['CLAUDE_SESSION_ID'] || session,
    CLAUDE_PLUGIN_ROOT: hook.settings?.['pluginRoot'] ?? env['CLAUDE_PLUGIN_ROOT'],
    CLAUDE_ENV_FILE:
      hook.spelling === 'SessionStart' ? (envFileOf(env) ?? env['CLAUDE_ENV_FILE']) : env['CLAUDE_ENV_FILE'],
  };
  // Set even when empty: the scripts of the original begin with `set -u`.
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : '']),
  );
}
