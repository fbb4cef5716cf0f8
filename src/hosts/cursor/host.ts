import type { Refusal } from '../../model/index.ts';
import { json, refusalWithFeedback } from '../answer-json.ts';
import type { Answer, Host, Payload, Reply } from '../host.ts';
import { native, parsed, textOf } from '../native-events.ts';

const events: Host['events'] = {
  sessionStart: native(['session.starting'], ['feedback']),
  beforeSubmitPrompt: native(['prompt.submitting'], ['blocks', 'closed']),
  preToolUse: native(['tool.calling'], ['blocks', 'closed']),
  // The same call comes here after preToolUse: this is the question whether it may run.
  beforeShellExecution: native(['permission.requesting'], ['blocks']),
  beforeMCPExecution: native(['permission.requesting'], ['blocks']),
  postToolUse: native(['tool.called'], ['feedback']),
  postToolUseFailure: native(['tool.failed']),
  afterFileEdit: native(['file.edited']),
  subagentStart: native(['subagent.starting'], ['blocks']),
  subagentStop: native(['subagent.ending'], ['blocks']),
  preCompact: native(['context.compacting']),
  stop: native(['turn.ending', 'turn.ended', 'iteration.failed'], ['blocks']),
  sessionEnd: native(['session.ended']),
};

export const cursor: Host = {
  name: 'cursor',
  events,
  projectVariables: ['CURSOR_PROJECT_DIR', 'CLAUDE_PROJECT_DIR'],
  projectsField: 'workspace_roots',
  capsTurns: true,
  files: { project: '.cursor/hooks.json', shared: '.cursor/hooks.json', user: '.cursor/hooks.json' },
  read(name, payload) {
    const fields: Payload = { ...common(payload), ...own(name, payload) };
    if (name !== 'stop' && name !== 'subagentStop') return { fields };
    const { status, ...rest } = fields;
    if (status === 'aborted') return 'the user stopped it';
    if (name === 'subagentStop') return status === 'error' ? 'the subagent failed' : { fields: rest };
    if (status === 'error') return { fields: { error: 'the turn failed', ...rest }, fires: ['iteration.failed'] };
    return { fields: rest, fires: ['turn.ending', 'turn.ended'] };
  },
  /**
   * Flat JSON with exit code 0, and never nothing: an entry that fails closed takes silence for a failure.
   * Cursor hands `user_message` to the model; `ask` is a denial without a question there.
   */
  answer(name, reply) {
    const { decision, feedback, input } = reply;
    if (decision.kind !== 'proceed') return refuse(name, decision, reply);
    if (name === 'preToolUse')
      return json({ permission: 'allow', ...(input !== undefined && { updated_input: input }) });
    if (name === 'beforeSubmitPrompt') return json({ continue: true });
    return json(feedback !== '' && events[name]?.feedback ? { additional_context: feedback } : {});
  },
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

function own(name: string, payload: Payload): Payload {
  const { tool_name, tool_input, tool_output, command } = payload;
  if (name === 'beforeShellExecution') return { tool_name: 'Shell', tool_input: { command } };
  if (name === 'subagentStop') return { last_assistant_message: payload['summary'] };
  const input = tool_input === undefined ? {} : { tool_input: parsed(tool_input) };
  if (name === 'beforeMCPExecution')
    return { ...input, tool_name: typeof tool_name === 'string' ? mcpTool(tool_name, payload) : tool_name };
  return {
    ...input,
    ...(typeof tool_name === 'string' && tool_name.startsWith('MCP:') && { tool_name: mcpTool(tool_name, payload) }),
    ...(tool_output !== undefined && { tool_output: parsed(tool_output) }),
    ...(name === 'postToolUseFailure' && { error: textOf(payload['error_message'] ?? payload['error']) }),
  };
}

/** Cursor does not always say which server a tool belongs to. */
function mcpTool(name: string, { server, server_name }: Payload): string {
  const known = [server, server_name].find(value => typeof value === 'string' && value !== '');
  return `mcp__${known ?? 'unknown'}__${name.replace(/^MCP:/, '')}`;
}

function refuse(name: string, decision: Refusal, reply: Reply): Answer {
  const text = refusalWithFeedback(decision, reply);
  switch (name) {
    case 'preToolUse':
    case 'beforeShellExecution':
    case 'beforeMCPExecution':
      return json({ permission: 'deny', user_message: text, agent_message: text });
    case 'beforeSubmitPrompt':
      return json({ continue: false, user_message: text });
    case 'subagentStart':
      return json({ permission: 'deny', user_message: text });
    case 'stop':
    case 'subagentStop':
      return decision.kind === 'abort' ? shown(text) : json({ followup_message: text });
    default:
      return events[name]?.feedback ? json({ additional_context: text }) : shown(text);
  }
}

const shown = (text: string): Answer => ({ ...json({}), stderr: `${text}\n` });
