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
import { callKinds, claudeToolName, shellTextOf, toolKind } from '../../model/tool-call.ts';
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

export const events = {
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
} as const satisfies DialectWire['events'];

export type Spelling = keyof typeof events;

export const isSpelling = (name: string): name is Spelling => Object.hasOwn(events, name);

export const wire: DialectWire = {
  name: 'claude',
  events,
  order: 'side-by-side',
  present(event, hook, { places, env }) {
    const pluginRoot = hook.settings?.['pluginRoot'];
    const envFile = envFileOf(env);
    return {
      env: {
        ...hookVariables(event),
        CLAUDE_PROJECT_DIR: places.root,
        ...(typeof pluginRoot === 'string' && { CLAUDE_PLUGIN_ROOT: pluginRoot }),
        ...(hook.spelling === 'SessionStart' && envFile !== undefined && { CLAUDE_ENV_FILE: envFile }),
      },
      stdin: `${claudePayload(event, hook.spelling, places, env)}\n`,
    };
  },
  interpret(outcome, hook, event) {
    if (onlyHear.has(hook.spelling)) return { verdict: byExitCode(outcome, hook.name) };
    const reading =
      outcome.kind === 'exited' ? interpretExit(outcome, hook, event) : { verdict: otherVerdict(outcome, hook) };
    // Its own words are in the reason; where it has none, the agent gets all that is known.
    return reading.verdict.kind === 'failed' || outcome.kind === 'judged'
      ? { ...reading, refusal: refusalMessage(outcome, hook, event) }
      : reading;
  },
};

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
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'other' },
  Stop: { stop_hook_active: false },
};

const toolFields = (event: HookEvent): Record<string, unknown> => ({
  ...(event.tool !== undefined && { tool_name: toolName(event.tool, event), tool_input: toolInput(event) }),
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

/** Adds the fields that scripts for Claude look at, so that a guard is not blind to the tools of other agents. */
function toolInput(event: HookEvent): unknown {
  const { input = {} } = event;
  const fields: Record<string, unknown> = typeof input === 'object' && !Array.isArray(input) ? { ...input } : {};
  const kinds = callKinds(event);
  if (kinds.has('shell')) {
    const command = shellTextOf(input);
    return command === undefined ? input : { ...fields, command };
  }
  const file = fields['filePath'] ?? fields['path'] ?? fields['absolute_path'];
  const isFileTool = kinds.has('edit') || kinds.has('read');
  return isFileTool && fields['file_path'] === undefined && file !== undefined ? { ...fields, file_path: file } : input;
}

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
      return {};
  }
}

const otherVerdict = (outcome: ActionOutcome, hook: HookDefinition): Verdict =>
  outcome.kind === 'judged' && !outcome.ok
    ? { kind: 'rejected', reason: outcome.reason || `${hook.name}: said no` }
    : byExitCode(outcome, hook.name);

/** Claude Code throws away what hooks of these events answer. */
const onlyHear: ReadonlySet<string> = new Set(['SessionEnd', 'StopFailure']);
/** Exit code 2 is an error like any other here. */
const ignoreExitTwo: ReadonlySet<string> = new Set(['SessionStart', 'PermissionRequest']);
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
  return interpretAnswer(verdict, answer, { ...said, context: said.context ?? plainText, warning });
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
  if (said && said.kind !== 'passed' && hook.spelling !== 'SessionStart') return said;
  // Who wrote `onFailure: "block"` wants an answer that can be understood.
  if (outcome.exitCode === 0 && hook.onFailure === 'block' && warning && !said)
    return { kind: 'failed', reason: `${hook.name}: ${warning}` };
  return byExitCode(outcome, hook.name);
}
