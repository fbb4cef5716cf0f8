import type { HookEvent } from '../../model/index.ts';
import { recordOf, type ToolCall, toolFacts, toolFiles, toolInput, toolName, toolOutput } from './tool-call.ts';

/** The call as hooks are asked about it. */
export function callingEvent(call: ToolCall, root: string): HookEvent<'tool.calling'> {
  const input = toolInput(call);
  const [file] = toolFiles(call, root);
  const tool = toolName(call);
  const facts = toolFacts(call, { tool, input, ...(file !== undefined && { file }) }, root);
  return {
    name: 'tool.calling',
    tool,
    toolCallId: call.id,
    ...(input !== undefined && { input }),
    ...(file !== undefined && { file }),
    ...(facts && { facts }),
  };
}

/** What became of the call, as hooks were asked about it: by names and inputs of its own they would not know it again. */
export function madeEvent(
  asked: HookEvent<'tool.calling'>,
  call: ToolCall,
): HookEvent<'tool.called'> | HookEvent<'tool.failed'> {
  const output = toolOutput(call);
  const told = { ...asked, ...(output !== undefined && { output }) };
  if (call.status === 'completed') return { ...told, name: 'tool.called' };
  return { ...told, name: 'tool.failed', error: errorText(call) };
}

export const editedEvent = (file: string, call?: Pick<HookEvent, 'tool' | 'toolCallId'>): HookEvent<'file.edited'> => ({
  name: 'file.edited',
  file,
  ...(call?.tool !== undefined && { tool: call.tool }),
  ...(call?.toolCallId !== undefined && { toolCallId: call.toolCallId }),
});

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
