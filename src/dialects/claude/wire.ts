import type { ToolKind } from '../../model/event.ts';
import type {
  ActionOutcome,
  DialectWire,
  HookDefinition,
  HookEvent,
  Interpretation,
  Places,
  Verdict,
} from '../../model/index.ts';
import { callKinds, claudeToolName, toolKind } from '../../model/tool-call.ts';
import {
  interpretAnswer,
  parseAnswer,
  type ReadAnswer,
  readAnswer,
  readExitTwo,
  startsObject,
  unreadableAnswer,
} from '../shared/json-answer.ts';
import { byExitCode, hookVariables, refusalMessage } from '../shared/outcome.ts';
import { inputForClaude } from '../shared/tool-input.ts';
import { lifeDefaults, lifeEvents, lifeFields, lifeHeardByNoOne } from './agent-life.ts';

export const events = {
  Setup: ['session.starting'],
  SessionStart: ['session.starting'],
  SessionEnd: ['session.ended'],
  UserPromptSubmit: ['prompt.submitting'],
  PreToolUse: ['tool.calling'],
  PermissionRequest: ['permission.requesting'],
  PostToolUse: ['tool.called'],
  PostToolUseFailure: ['tool.failed'],
  TaskCompleted: ['task.completing'],
  TeammateIdle: ['teammate.idling'],
  Stop: ['turn.ending'],
  StopFailure: ['iteration.failed'],
  ...lifeEvents,
} as const satisfies DialectWire['events'];

export type Spelling = keyof typeof events;

export const isSpelling = (name: string): name is Spelling => Object.hasOwn(events, name);

export const wire: DialectWire = {
  name: 'claude',
  events,
  order: 'side-by-side',
  maxTextBytes: 10_000,
  present(event, hook, { places, env }) {
    const pluginRoot = hook.settings?.['pluginRoot'];
    const envFile = envFileOf(env);
    return {
      env: {
        ...hookVariables(event),
        CLAUDE_PROJECT_DIR: places.root,
        ...(typeof pluginRoot === 'string' && { CLAUDE_PLUGIN_ROOT: pluginRoot }),
        ...(exporting.has(hook.spelling) && envFile !== undefined && { CLAUDE_ENV_FILE: envFile }),
      },
      stdin: `${claudePayload(event, hook.spelling, places, env)}\n`,
    };
  },
  interpret(outcome, hook, event) {
    const answered = asExited(outcome, hook);
    if (onlyHear.has(hook.spelling)) return { verdict: byExitCode(answered, hook.name) };
    if (!hook.wait) return interpretLate(answered, hook);
    const reading =
      answered.kind === 'exited' ? interpretExit(answered, hook, event) : { verdict: otherVerdict(answered, hook) };
    // Its own words are in the reason; where it has none, the agent gets all that is known.
    return reading.verdict.kind === 'failed' || outcome.kind === 'judged'
      ? { ...reading, refusal: refusalMessage(outcome, hook, event) }
      : reading;
  },
};

/** Events in which a hook may export what is to be there for all that comes after in the session. */
const exporting: ReadonlySet<string> = new Set(['SessionStart', 'Setup', 'CwdChanged', 'FileChanged']);

/** What a receiver has answered well is read as what a script prints. */
const asExited = (outcome: ActionOutcome, { action }: HookDefinition): ActionOutcome =>
  outcome.kind === 'replied' && action.kind === 'webhook' && outcome.status >= 200 && outcome.status < 300
    ? { kind: 'exited', exitCode: 0, stdout: outcome.body, stderr: '' }
    : outcome;

/** No one waited for it, so it decides nothing any more; the agent hears what it has to say. */
function interpretLate(outcome: ActionOutcome, hook: HookDefinition): Interpretation {
  const verdict = byExitCode(outcome, hook.name);
  if (outcome.kind !== 'exited') return { verdict };
  if (hook.wakes && outcome.exitCode === 2) {
    const feedback = outcome.stderr.trim() || outcome.stdout.trim();
    return { verdict: { kind: 'passed' }, ...(feedback !== '' && { feedback }) };
  }
  const answer = parseAnswer(outcome.stdout);
  const { context, message } = answer ? readAnswer(answer, '') : {};
  return { verdict, ...(answer && { answer }), ...(context && { feedback: context }), ...(message && { message }) };
}

/** What Claude Code tells a hook about this event. Unknown fields of the event come along. */
export const claudePayload = (event: HookEvent, spelling: string, places: Places, env: Env = {}): string =>
  JSON.stringify(claudeFields(event, spelling, places, env));

export function claudeFields(event: HookEvent, spelling: string, places: Places, env: Env): Record<string, unknown> {
  const own = {
    session_id: event.session ?? '',
    cwd: event.cwd ?? places.cwd,
    hook_event_name: spelling,
    ...toolFields(event),
    ...ownFields(event),
  };
  return { ...defaults[spelling], ...transcriptOf(env), ...event.extra, ...own };
}

type Env = Readonly<Record<string, string | undefined>>;

/** A session keeps what was said and done in it in Claude's own lines. */
const transcriptOf = ({ HOOKLOOP_SESSION_DIR: folder }: Env): Record<string, string> =>
  folder === undefined ? {} : { transcript_path: `${folder}/transcript.jsonl` };

/** The file in which a SessionStart hook exports what is to be there for all that comes after in the session. */
export const envFileOf = ({ HOOKLOOP_SESSION_DIR: folder }: Env): string | undefined =>
  folder === undefined ? undefined : `${folder}/env.sh`;

/** What Claude Code says where the session does not know better. */
const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Setup: { trigger: 'init' },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'other' },
  Stop: { stop_hook_active: false },
  ...lifeDefaults,
};

const toolFields = (event: HookEvent): Record<string, unknown> => ({
  ...(event.tool !== undefined && { tool_name: toolName(event.tool, event), tool_input: inputForClaude(event) }),
  ...(event.toolCallId !== undefined && { tool_use_id: event.toolCallId }),
});

/** A tool of which Claude knows nothing is called by what it does: scripts for Claude look for that name. */
function toolName(tool: string, event: HookEvent): string {
  const kinds = toolKind(tool) === undefined ? callKinds(event) : undefined;
  const does = kinds && changing.find(([kind]) => kinds.has(kind));
  return does ? does[1] : claudeToolName(tool);
}

const changing: readonly (readonly [ToolKind, string])[] = [
  ['shell', 'Bash'],
  ['edit', 'Edit'],
];

/** An absent value must not hide a field of the same name among the unknown ones. */
function ownFields(event: HookEvent): Record<string, unknown> {
  switch (event.name) {
    case 'prompt.submitting':
      return { prompt: event.message ?? '' };
    case 'tool.called':
      return { tool_response: event.output ?? null };
    case 'tool.failed':
      return { error: event.error ?? '' };
    case 'iteration.failed':
      return {
        error: event.error ?? '',
        ...(event.message !== undefined && { last_assistant_message: event.message }),
      };
    case 'task.completing':
      return { task_id: event.taskId ?? '', task_subject: event.content ?? '' };
    case 'turn.ending':
      return {
        ...(event.again !== undefined && { stop_hook_active: event.again }),
        last_assistant_message: event.message ?? '',
      };
    default:
      return lifeFields(event) ?? {};
  }
}

const otherVerdict = (outcome: ActionOutcome, hook: HookDefinition): Verdict =>
  outcome.kind === 'judged' && !outcome.ok
    ? { kind: 'rejected', reason: outcome.reason || `${hook.name}: said no` }
    : byExitCode(outcome, hook.name);

/** Claude Code throws away what hooks of these events answer. */
const onlyHear: ReadonlySet<string> = new Set(['SessionEnd', 'StopFailure', ...lifeHeardByNoOne]);
/** Exit code 2 is an error like any other here. */
const ignoreExitTwo: ReadonlySet<string> = new Set(['SessionStart', 'Setup', 'PermissionRequest', 'SubagentStart']);
/** What hooks of these events print reaches the agent even without JSON. */
const hearPlainText: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit']);

function interpretExit(outcome: Exited, hook: HookDefinition, event: HookEvent): Interpretation {
  const { exitCode, stdout } = outcome;
  const unreadable = unreadableAnswer(outcome, hook.name);
  if (unreadable) return { verdict: unreadable };
  const answer = parseAnswer(stdout);
  const said: ReadAnswer = answer ? readAnswer(answer, refusalMessage(outcome, hook, event)) : {};
  const isGarbled = !answer && startsObject(stdout);
  const plainText = !answer && exitCode === 0 && hearPlainText.has(hook.spelling) ? stdout.trim() : undefined;
  const warning = isGarbled ? 'stdout begins with { but is not a JSON object' : said.warning;
  const verdict =
    exitCode === 2 && !ignoreExitTwo.has(hook.spelling)
      ? readExitTwo(outcome, refusalMessage(outcome, hook, event))
      : verdictOf(outcome, hook, said.verdict, warning);
  return interpretAnswer(verdict, answer, { ...said, context: said.context ?? plainText, warning }, event);
}

type Exited = Extract<ActionOutcome, { kind: 'exited' }>;

function verdictOf(
  outcome: Exited,
  hook: HookDefinition,
  said: Verdict | undefined,
  warning: string | undefined,
): Verdict {
  // The start of a session cannot be refused, only the session ended; and a crash after an `allow` is still a crash.
  if (said?.kind === 'stopped') return said;
  if (said && said.kind !== 'passed' && !exporting.has(hook.spelling)) return said;
  // Who wrote `onFailure: "block"` wants an answer that can be understood.
  if (outcome.exitCode === 0 && hook.onFailure === 'block' && warning && !said)
    return { kind: 'failed', reason: `${hook.name}: ${warning}` };
  return byExitCode(outcome, hook.name);
}
