import { addTokens, type Usage } from '../model/agent.ts';
import type { HookEvent } from '../model/index.ts';
import type { FileChange } from '../model/record.ts';
import { formatKey, type StepKey } from '../model/step-key.ts';
import type { StatusUsage } from '../session/iteration-files.ts';
import type { Durable } from './durable.ts';
import type { Notes } from './notes-for-people.ts';
import { messageBytes } from './recorded.ts';
import type { Transcript } from './transcript.ts';

export type TurnRecord = ReturnType<typeof createTurnRecord>;

/** Writes down what one turn of the agent is about, for people: in the journal, and in the lines that Claude-style hooks read. */
export function createTurnRecord(durable: Durable, transcript: Transcript, turn: StepKey, onUsage: () => void) {
  const { notes } = durable;
  const { recorded } = notes;
  const key = formatKey(turn);
  const changes = new Map<string, FileChange>();
  let usage: Usage | undefined;
  return {
    prompted(text: string): void {
      transcript.prompted(text);
      notes.agent({ kind: 'agent.prompt', key, ...recorded.text('agent.prompt', text, messageBytes) });
    },
    said(text: string): void {
      if (text.trim() === '') return;
      transcript.said(text);
      notes.agent({ kind: 'agent.message', key, ...recorded.text('agent.message', text, messageBytes) });
    },
    /** A tool is called, was called, or a file was edited; other events say nothing. */
    happened(at: StepKey, event: HookEvent): void {
      transcript.happened(event);
      const { name, file, facts } = event;
      if (name === 'file.edited' && file !== undefined && !changes.has(file)) changes.set(file, { path: file });
      if (name !== 'tool.called' && name !== 'tool.failed') return;
      for (const change of facts?.changes ?? []) changes.set(change.path, sumOf(changes.get(change.path), change));
      noteCall(notes, at, event, name === 'tool.called' ? 'completed' : 'failed');
    },
    /** A tool call that does not happen. */
    refused: (at: StepKey, call: Partial<HookEvent>): void => noteCall(notes, at, call, 'refused'),
    /** What the agent tells of its conversation meanwhile. */
    using(told: Usage): void {
      usage = { ...usage, ...told };
      onUsage();
    },
    /** What the conversation has told of itself in this turn. */
    usage: (): Usage | undefined => usage,
    /** What was used by this turn alone comes last. */
    ended(conversation: string, { tokens, costUsd }: StatusUsage): void {
      if (changes.size > 0) notes.agent({ kind: 'file.changes', key, files: recorded.masked([...changes.values()]) });
      if (!usage && !tokens && costUsd === undefined) return;
      const before = durable.state().usage.get(conversation);
      const total = tokens ? addTokens(before?.tokens, tokens) : before?.tokens;
      notes.agent({
        ...{ kind: 'agent.usage', key, conversation, ...usage },
        ...(total && { tokens: total }),
        ...(costUsd !== undefined && { cost: { amount: (before?.cost?.amount ?? 0) + costUsd, currency: 'USD' } }),
      });
      onUsage();
    },
  };
}

function noteCall(
  { agent, recorded }: Notes,
  key: StepKey,
  { tool = 'unknown', toolCallId, input, output, error }: Partial<HookEvent>,
  status: 'completed' | 'failed' | 'refused',
): void {
  const result = output ?? (status === 'failed' ? error : undefined);
  agent({
    kind: 'agent.tool',
    key: formatKey(key),
    ...recorded.masked({ ...(toolCallId !== undefined && { id: toolCallId }), tool }),
    ...(input !== undefined && { input: recorded.value('agent.tool-input', input) }),
    ...(result !== undefined && status !== 'refused' && { output: recorded.value('agent.tool-output', result) }),
    status,
  });
}

function sumOf(before: FileChange | undefined, { path, added = 0, removed = 0 }: FileChange): FileChange {
  return { path, added: (before?.added ?? 0) + added, removed: (before?.removed ?? 0) + removed };
}
