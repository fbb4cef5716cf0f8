import type { HookEvent, Places } from '../../model/index.ts';
import { claudeToolName, shellTextOf, toolKind } from '../../model/tools.ts';

/** What Claude Code tells a hook about this event. Unknown fields of the event come along. */
export function claudePayload(event: HookEvent, spelling: string, places: Places): string {
  const own = {
    session_id: event.session ?? '',
    cwd: event.cwd ?? places.cwd,
    hook_event_name: spelling,
    ...toolFields(event),
    ...ownFields(event),
  };
  return JSON.stringify({ ...defaults[spelling], ...event.extra, ...own });
}

/** What Claude Code says where the session does not know better. */
const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'other' },
  Stop: { stop_hook_active: false },
};

const toolFields = ({ tool, input, toolCallId }: HookEvent): Record<string, unknown> => ({
  ...(tool !== undefined && { tool_name: claudeToolName(tool), tool_input: toolInput(tool, input ?? {}) }),
  ...(toolCallId !== undefined && { tool_use_id: toolCallId }),
});

/** Adds the fields that scripts for Claude look at, so that a guard is not blind to the tools of other agents. */
function toolInput(tool: string, input: unknown): unknown {
  const fields: Record<string, unknown> = typeof input === 'object' && !Array.isArray(input) ? { ...input } : {};
  const kind = toolKind(tool);
  if (kind === 'shell') {
    const command = shellTextOf(input);
    return command === undefined ? input : { ...fields, command };
  }
  const file = fields['filePath'] ?? fields['path'] ?? fields['absolute_path'];
  const isFileTool = kind === 'edit' || kind === 'read';
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
