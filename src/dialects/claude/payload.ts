import type { HookEvent, Places } from '../../model/index.ts';
import { callKinds } from '../../model/tool-call.ts';
import { claudeToolName, shellTextOf, type ToolKind, toolKind } from '../../model/tools.ts';

/** What Claude Code tells a hook about this event. Unknown fields of the event come along. */
export function claudePayload(event: HookEvent, spelling: string, places: Places, env: Env = {}): string {
  const own = {
    session_id: event.session ?? '',
    cwd: event.cwd ?? places.cwd,
    hook_event_name: spelling,
    ...toolFields(event),
    ...ownFields(event),
  };
  return JSON.stringify({ ...defaults[spelling], ...transcriptOf(env), ...event.extra, ...own });
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
