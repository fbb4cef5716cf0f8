import type { HookEvent } from '../../model/index.ts';
import { recordOf, type ToolCall, toolFile, toolInput, toolName, toolOutput } from './tool-call.ts';

type ToolEventName = 'tool.calling' | 'tool.called' | 'tool.failed';

export const callingEvent = (call: ToolCall, root: string): HookEvent<'tool.calling'> =>
  eventOf('tool.calling', call, root);

export const calledEvent = (call: ToolCall, root: string): HookEvent<'tool.called'> =>
  withOutput(eventOf('tool.called', call, root), call);

export const failedEvent = (call: ToolCall, root: string): HookEvent<'tool.failed'> => ({
  ...withOutput(eventOf('tool.failed', call, root), call),
  error: errorText(call),
});

export const editedEvent = (file: string, call?: ToolCall): HookEvent<'file.edited'> => ({
  name: 'file.edited',
  file,
  ...(call && { tool: toolName(call), toolCallId: call.id }),
});

function eventOf<Name extends ToolEventName>(name: Name, call: ToolCall, root: string): HookEvent<Name> {
  const input = toolInput(call);
  const file = toolFile(call, root);
  return {
    name,
    tool: toolName(call),
    toolCallId: call.id,
    ...(input !== undefined && { input }),
    ...(file !== undefined && { file }),
  };
}

function withOutput<Name extends ToolEventName>(event: HookEvent<Name>, call: ToolCall): HookEvent<Name> {
  const output = toolOutput(call);
  return output === undefined ? event : { ...event, output };
}

const maxErrorLength = 4000;

/** What went wrong in words, wherever the agent puts them. */
function errorText(call: ToolCall): string {
  const output = toolOutput(call);
  const { text, error, message, stderr } = recordOf(output);
  const words = [output, text, error, message, stderr].find(part => typeof part === 'string' && part.trim() !== '');
  const exitCode = recordOf(call.meta['terminal_exit'])['exit_code'];
  const otherwise = typeof exitCode === 'number' ? `it ended with exit code ${exitCode}` : 'the tool failed';
  return String(words ?? (output === undefined ? otherwise : JSON.stringify(output))).slice(0, maxErrorLength);
}
