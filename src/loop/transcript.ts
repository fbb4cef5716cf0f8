import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import type { HookEvent } from '../model/index.ts';
import { type Mask, maskDeep } from '../model/mask.ts';
import { claudeToolName } from '../model/tool-call.ts';
import { version } from '../platform/build.ts';

export type Transcript = ReturnType<typeof createTranscript>;

interface TranscriptOptions {
  file: string;
  session: string;
  cwd: string;
  mask: Mask;
}

/** More than anyone reads. */
const maxTranscriptBytes = 64 * 1024 * 1024;

/**
 * What was said and done in a session, in the lines that Claude Code keeps of its own: Claude-style hooks read them.
 * Contract: never throws; nothing of the session depends on it.
 */
export function createTranscript({ file, session, cwd, mask }: TranscriptOptions) {
  let parentUuid: string | null = null;
  let isFull = false;
  const write = (type: 'user' | 'assistant', content: unknown, more: Record<string, unknown> = {}): void => {
    if (isFull) return;
    const uuid = randomUUID();
    const message = { ...messageFields(type, uuid, content), role: type, content: maskDeep(content, mask) };
    const line = {
      ...{ parentUuid, isSidechain: false, type, message, uuid, timestamp: new Date().toISOString() },
      ...(maskDeep(more, mask) as Record<string, unknown>),
      ...{ userType: 'external', cwd, sessionId: session, version },
    };
    isFull = !appendPrivate(file, `${JSON.stringify(line)}\n`, maxTranscriptBytes);
    parentUuid = uuid;
  };
  return {
    prompted: (text: string): void => write('user', text),
    said(text: string): void {
      if (text.trim() !== '') write('assistant', [{ type: 'text', text }]);
    },
    /** A tool call, or what became of it; other events say nothing. */
    happened({ name, tool, input = {}, output, error, toolCallId: id = '' }: HookEvent): void {
      if (name === 'tool.calling')
        write('assistant', [{ type: 'tool_use', id, name: claudeToolName(tool ?? ''), input }]);
      if (name !== 'tool.called' && name !== 'tool.failed') return;
      const given = (name === 'tool.failed' ? (error ?? output) : output) ?? '';
      const content = typeof given === 'string' ? given : JSON.stringify(given);
      const result = { type: 'tool_result', tool_use_id: id, content, is_error: name === 'tool.failed' };
      write('user', [result], { toolUseResult: given });
    },
  };
}

/** What only answers of a model have. */
const messageFields = (type: 'user' | 'assistant', uuid: string, content: unknown): Record<string, unknown> =>
  type === 'user'
    ? {}
    : {
        ...{ id: `msg_${uuid}`, type: 'message', stop_sequence: null },
        stop_reason: JSON.stringify(content).startsWith('[{"type":"tool_use"') ? 'tool_use' : 'end_turn',
      };

export type AgentLog = ReturnType<typeof createAgentLog>;

/** What the agent's program prints beside its answers: in a file of the session's folder, and the last of it at hand. */
export function createAgentLog(file: string, mask: Mask) {
  let last: string[] = [];
  let isFull = false;
  return {
    file,
    add(line: string): void {
      const text = mask(line).slice(0, maxLine);
      if (text.trim() !== '') last = [...last, text].slice(-lastLines);
      if (!isFull) isFull = !appendPrivate(file, `${new Date().toISOString()} ${text}\n`, maxLogBytes);
    },
    /** The last lines since it was emptied, which it is then. */
    takeLast(): readonly string[] {
      const lines = last;
      last = [];
      return lines;
    },
  };
}

const lastLines = 10;
const maxLine = 2000;
/** More than anyone reads: some agents print without end. */
const maxLogBytes = 8 * 1024 * 1024;

/** Nothing that stands in its place is followed or waited for: an agent could lead us anywhere. */
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** False where nothing more can be kept, on which nothing depends. */
function appendPrivate(file: string, text: string, limitBytes: number): boolean {
  try {
    const fd = openSync(file, flags, 0o600);
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile() || stats.size > limitBytes) return false;
      writeSync(fd, text);
      return true;
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
}
