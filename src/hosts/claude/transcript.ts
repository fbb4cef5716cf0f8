import { join } from 'node:path';
import { fieldsOf, given } from '../../model/json.ts';
import { folderIn } from '../host.ts';
import type { TranscriptFormat, WrittenCall } from '../transcript.ts';

/** Claude Code's transcripts; those of its subagents stand in folders beside them. */
export const claudeTranscript: TranscriptFormat = {
  agent: 'claude',
  folder: ({ home, env }) =>
    join(folderIn({ root: '', home, env }, 'CLAUDE_CONFIG_DIR') ?? join(home, '.claude'), 'projects'),
  marks: ['"tool_use"'],
  open: () => line => {
    if (line['type'] !== 'assistant') return [];
    const { content } = fieldsOf(line['message']);
    return Array.isArray(content) ? content.flatMap(part => callOf(fieldsOf(part), line)) : [];
  },
};

function callOf(
  { type, id, name, input }: Readonly<Record<string, unknown>>,
  { timestamp, cwd, sessionId }: Readonly<Record<string, unknown>>,
): WrittenCall[] {
  if (type !== 'tool_use' || typeof name !== 'string') return [];
  const payload = given({
    ...{ session_id: sessionId, cwd, hook_event_name: 'PreToolUse', timestamp },
    ...{ tool_name: name, tool_input: input, tool_use_id: id },
  });
  return [{ native: 'PreToolUse', payload }];
}
