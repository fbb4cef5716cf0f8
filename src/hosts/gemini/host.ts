import type { Refusal } from '../../model/index.ts';
import { contextOf, refusalWithFeedback, type Said, silence, withMessage } from '../answer-json.ts';
import type { Host, NativeEvent, Payload, Reply } from '../host.ts';
import { native, textOf } from '../native-events.ts';

const events: Host['events'] = {
  SessionStart: native(['session.starting'], ['feedback']),
  BeforeAgent: native(['prompt.submitting'], ['blocks', 'feedback', 'closed']),
  BeforeTool: native(['tool.calling'], ['blocks', 'closed']),
  Notification: native(['notification.sent', 'permission.requesting']),
  AfterTool: native(['tool.called', 'tool.failed', 'file.edited'], ['blocks', 'feedback']),
  AfterAgent: native(['turn.ending', 'turn.ended'], ['blocks']),
  // No one waits for it.
  PreCompress: native(['context.compacting']),
  SessionEnd: native(['session.ended']),
};

export const gemini: Host = {
  name: 'gemini',
  events,
  projectVariables: ['GEMINI_PROJECT_DIR', 'CLAUDE_PROJECT_DIR'],
  capsTurns: false,
  files: {
    ...{ project: '.gemini/settings.json', shared: '.gemini/settings.json', user: '.gemini/settings.json' },
    home: { variable: 'GEMINI_CLI_HOME', otherwise: '' },
  },
  read(name, payload) {
    const { prompt_response, ...rest } = payload;
    if (name === 'AfterAgent') return { fields: { ...rest, last_assistant_message: prompt_response } };
    if (name === 'Notification') {
      if (payload['notification_type'] !== 'ToolPermission') return { fields: payload, fires: ['notification.sent'] };
      return { fields: { ...payload, ...askedTool(payload['details']) } };
    }
    if (name !== 'AfterTool') return { fields: payload };
    const error = (payload['tool_response'] as { error?: unknown } | null | undefined)?.error;
    if (error) return { fields: { ...payload, error: textOf(error) }, fires: ['tool.failed'] };
    return { fields: payload, fires: ['tool.called', 'file.edited'] };
  },
  /** Anything on stdout that is not JSON counts as `allow`. */
  answer(name, reply) {
    const spec = events[name];
    return spec ? withMessage(answerOf(name, reply, spec), reply.message) : silence;
  },
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

function answerOf(name: string, reply: Reply, spec: NativeEvent): Said {
  const { decision, feedback, input } = reply;
  if (decision.kind !== 'proceed') return refuse(name, decision, reply, spec);
  // It merges this into the input it has.
  if (input !== undefined) return { hookSpecificOutput: { hookEventName: name, tool_input: input } };
  return feedback !== '' && spec.feedback ? contextOf(name, feedback) : {};
}

function refuse(name: string, decision: Refusal, reply: Reply, { blocks, feedback }: NativeEvent): Said {
  const text = refusalWithFeedback(decision, reply);
  if (!blocks) return { systemMessage: text, ...(feedback && contextOf(name, text)) };
  // A denial would hide what the tool has really done.
  if (decision.kind === 'revise' && feedback) return contextOf(name, text);
  const end = decision.kind === 'abort' ? { continue: false, stopReason: text } : {};
  // After the last turn `deny` would start another one.
  if (decision.kind === 'abort' && name === 'AfterAgent') return end;
  return { ...end, decision: 'deny', reason: text };
}
