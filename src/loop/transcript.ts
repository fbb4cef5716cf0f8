import { randomUUID } from 'node:crypto';
import { type Mask, maskDeep } from '../hooks/secrets/mask.ts';
import type { HookEvent } from '../model/index.ts';
import { appendPrivate } from './agent-log.ts';

/** What was said and done in a session, in the lines that Claude Code keeps of its own: Claude-style hooks read them. */
export interface Transcript {
  prompted(text: string): void;
  said(text: string): void;
  /** A tool call, or what became of it; other events say nothing. */
  happened(event: HookEvent): void;
}

export interface TranscriptOptions {
  file: string;
  session: string;
  cwd: string;
  mask: Mask;
}

/** More than anybody reads. */
const maxBytes = 64 * 1024 * 1024;

/** Contract: never throws; nothing of the session depends on it. */
export function createTranscript({ file, session, cwd, mask }: TranscriptOptions): Transcript {
  let parentUuid: string | null = null;
  let isFull = false;
  const write = (type: 'user' | 'assistant', content: unknown): void => {
    if (isFull) return;
    const uuid = randomUUID();
    const message = { role: type, content: maskDeep(content, mask) };
    const line = { type, uuid, parentUuid, sessionId: session, timestamp: new Date().toISOString(), cwd, message };
    isFull = !appendPrivate(file, `${JSON.stringify(line)}\n`, maxBytes);
    parentUuid = uuid;
  };
  return {
    prompted: text => write('user', text),
    said(text) {
      if (text.trim() !== '') write('assistant', [{ type: 'text', text }]);
    },
    happened({ name, tool, input = {}, output, error, toolCallId: id = '' }) {
      if (name === 'tool.calling') write('assistant', [{ type: 'tool_use', id, name: tool, input }]);
      if (name !== 'tool.called' && name !== 'tool.failed') return;
      const given = (name === 'tool.failed' ? (error ?? output) : output) ?? '';
      const content = typeof given === 'string' ? given : JSON.stringify(given);
      write('user', [{ type: 'tool_result', tool_use_id: id, content, is_error: name === 'tool.failed' }]);
    },
  };
}
