import type { Host, Payload } from '../host.ts';
import { parsed, textOf, toEvents } from '../shared/events.ts';
import { events } from './events.ts';

export const read: Host['read'] = (native, payload, now) => {
  const fields = { ...common(payload), ...own(native, payload) };
  if (native !== 'stop') return toEvents('cursor', events[native]!.fires, fields, now);
  const { status } = payload;
  if (status === 'aborted') return { kind: 'other', why: 'the user stopped it' };
  const { status: _, ...rest } = fields;
  if (status === 'error') return toEvents('cursor', ['iteration.failed'], { error: 'the turn failed', ...rest }, now);
  return toEvents('cursor', ['turn.ending', 'turn.ended'], rest, now);
};

function common(payload: Payload): Payload {
  const { conversation_id, workspace_roots, ...rest } = payload;
  const [root]: unknown[] = Array.isArray(workspace_roots) ? workspace_roots : [];
  return {
    ...rest,
    session_id: payload['session_id'] ?? conversation_id,
    ...(typeof payload['cwd'] !== 'string' && typeof root === 'string' && { cwd: root }),
    ...(workspace_roots !== undefined && { workspace_roots }),
  };
}

function own(native: string, payload: Payload): Payload {
  const { tool_name, tool_input, tool_output, command } = payload;
  if (native === 'beforeShellExecution') return { tool_name: 'Shell', tool_input: { command } };
  const input = tool_input === undefined ? {} : { tool_input: parsed(tool_input) };
  if (native === 'beforeMCPExecution')
    return { ...input, tool_name: typeof tool_name === 'string' ? mcpTool(tool_name, payload) : tool_name };
  return {
    ...input,
    ...(typeof tool_name === 'string' && tool_name.startsWith('MCP:') && { tool_name: mcpTool(tool_name, payload) }),
    ...(tool_output !== undefined && { tool_output: parsed(tool_output) }),
    ...(native === 'postToolUseFailure' && { error: textOf(payload['error_message'] ?? payload['error']) }),
  };
}

/** Cursor does not always say which server a tool belongs to. */
function mcpTool(name: string, { server, server_name }: Payload): string {
  const known = [server, server_name].find(value => typeof value === 'string' && value !== '');
  return `mcp__${known ?? 'unknown'}__${name.replace(/^MCP:/, '')}`;
}
