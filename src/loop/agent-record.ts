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
export function createTurnRecord(
  durable: Durable,
  transcript: Transcript,
  turn: StepKey,
  { onUsage, conversation, isCounted }: UsageTold,
) {
  const { notes } = durable;
  const { recorded } = notes;
  const key = formatKey(turn);
  const changes = new Map<string, FileChange>();
  let usage: Usage | undefined;
  let notedMs = performance.now();
  const note = (id: string, used: Usage): void => {
    notedMs = performance.now();
    notes.used({ kind: 'agent.usage', key, conversation: id, ...used }, isCounted);
  };
  /** What is spent of a budget is on disk before anyone goes by it: a crash must not give it back. */
  const isDue = (next: Usage, before: Usage | undefined): boolean => {
    if (isCounted) return isLess(before ?? {}, next) || isLess(next, before ?? {});
    return before !== undefined && (isLess(next, before) || performance.now() - notedMs > notedEveryMs);
  };
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
      const next = { ...usage, ...told };
      const id = conversation();
      // What was used before a count went back is known from the record alone, and what is recorded outlives a crash.
      if (id !== undefined && usage && isLess(next, usage)) note(id, usage);
      if (id !== undefined && isDue(next, usage)) note(id, next);
      usage = next;
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

/** So often a long turn is written down as far as it has come. */
const notedEveryMs = 10_000;

/** Who hears that something was used, and in which conversation. */
interface UsageTold {
  onUsage(): void;
  conversation(): string | undefined;
  /** There is a budget that it counts for. */
  isCounted: boolean;
}

const isLess = (now: Usage, before: Usage): boolean =>
  (now.cost?.amount ?? 0) < (before.cost?.amount ?? 0) ||
  (now.tokens?.input ?? 0) < (before.tokens?.input ?? 0) ||
  (now.tokens?.output ?? 0) < (before.tokens?.output ?? 0);

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
