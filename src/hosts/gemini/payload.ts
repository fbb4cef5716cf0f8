import type { EventName } from '../../model/index.ts';
import type { Host, Payload } from '../host.ts';
import { textOf, toEvents } from '../shared/events.ts';
import { events } from './events.ts';

export const read: Host['read'] = (native, payload, now) => {
  if (native === 'Notification') {
    if (payload['notification_type'] !== 'ToolPermission') return { kind: 'other', why: 'it asks for no permission' };
    return toEvents('gemini', events[native]!.fires, { ...payload, ...askedTool(payload['details']) }, now);
  }
  if (native === 'AfterTool') {
    const error = (payload['tool_response'] as { error?: unknown } | null | undefined)?.error;
    const failed: readonly EventName[] = ['tool.failed'];
    if (error) return toEvents('gemini', failed, { ...payload, error: textOf(error) }, now);
    return toEvents('gemini', ['tool.called', 'file.edited'], payload, now);
  }
  const { prompt_response, ...rest } = payload;
  const fields = native === 'AfterAgent' ? { ...rest, last_assistant_message: prompt_response } : payload;
  return toEvents('gemini', events[native]!.fires, fields, now);
};

/** A question to the user names its tool only by what it would do. */
function askedTool(details: unknown): Payload {
  const { type, command, filePath, serverName, toolName } = (details ?? {}) as Record<string, unknown>;
  if (type === 'exec') return { tool_name: 'run_shell_command', tool_input: { command } };
  if (type === 'edit') return { tool_name: 'replace', tool_input: { file_path: filePath } };
  if (type === 'mcp' && typeof serverName === 'string' && typeof toolName === 'string')
    return { tool_name: `mcp__${serverName}__${toolName}`, tool_input: {} };
  return {};
}
