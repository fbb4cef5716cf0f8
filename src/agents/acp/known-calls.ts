import { callKey } from '../../model/call-key.ts';
import type { Decision, HookEvent, Refusal } from '../../model/index.ts';
import { fieldsOf } from '../../model/json.ts';
import { idOf } from './protocol.ts';
import { createToolCall, patch, type ToolCall } from './tool-call.ts';
import { callingEvent } from './tool-events.ts';

/** A call that the agent has told of, and all that hooks were asked about it. */
export interface KnownCall {
  key: string;
  call: ToolCall;
  /** By what is asked: a call whose input changes is another question. */
  questions: Map<string, Question>;
  /** What people were last shown of it. */
  shown: string;
  /** Files of which it was told already that they are edited. */
  toldPaths: Set<string>;
  /** A command, whose edits are looked for. */
  isWatched: boolean;
}

export interface Question {
  event: HookEvent<'tool.calling'>;
  /** What hooks say, whether or not the agent has asked. */
  said?: Promise<Decision | undefined>;
  /** What the agent was answered. */
  answer?: Decision;
  /** The contents that the answer lets it write, by file. */
  mayWrite?: ReadonlyMap<string, string>;
  /** The agent has said that it makes, or has made, the call as it is told here. */
  isMade: boolean;
  /** It was said that the call is made although it is refused. */
  isStopped?: true;
}

/** The question that a call is as it is told now; `asked` where hooks have heard it. */
export function questionOf({ call, questions }: Pick<KnownCall, 'call' | 'questions'>, root: string) {
  const event = callingEvent(call, root);
  const key = callKey(event, root);
  return { key, event, asked: questions.get(key) };
}

export const isAnswered = ({ questions }: KnownCall): boolean => [...questions.values()].some(({ answer }) => answer);

export const isAllowed = ({ questions }: KnownCall): boolean =>
  [...questions.values()].some(({ answer }) => answer?.kind === 'proceed');

/** What the agent has made without an answer, and hooks refuse. */
export async function firstRefused({
  questions,
}: KnownCall): Promise<{ question: Question; refusal: Refusal } | undefined> {
  for (const question of questions.values()) {
    if (!question.isMade || question.answer) continue;
    const refusal = await question.said;
    if (refusal && refusal.kind !== 'proceed') return { question, refusal };
  }
  return undefined;
}

const maxPast = 1000;

/** The calls of a conversation. An agent may use an id again; a late word about a call that has got its end is only that. */
export function createKnownCalls(root: string, mcpAsExecute = false) {
  const open = new Map<string, KnownCall>();
  const past = new Map<string, { call: ToolCall; questions: ReadonlySet<string>; turn: number }>();
  const uses = new Map<string, number>();
  let turn = 0;
  /** Hooks know calls by their ids, so each has one of its own in a turn. */
  const ownId = (id: string): string => {
    const count = (uses.get(id) ?? 0) + 1;
    uses.set(id, count);
    return count === 1 ? id : `${id}#${count}`;
  };
  const newCall = (id: string): ToolCall => createToolCall(ownId(id), mcpAsExecute);
  /** The call that a report begins under an id that may have been used: a new one, or one that goes on where the old one was. */
  const begun = (key: string, id: string, update: unknown): ToolCall | undefined => {
    const old = past.get(key);
    const isNew = fieldsOf(update)['sessionUpdate'] === 'tool_call';
    if (!old || (isNew && old.turn !== turn)) return newCall(id);
    const call = isNew ? createToolCall(id, mcpAsExecute) : { ...old.call };
    patch(call, update);
    const isOpen = isNew && (call.status === 'pending' || call.status === 'running');
    if (!isOpen && old.questions.has(callKey(callingEvent(call, root), root))) return undefined;
    return isNew ? newCall(id) : { ...old.call, id: ownId(id) };
  };
  const add = (key: string, call: ToolCall): KnownCall => {
    const known = { key, call, questions: new Map(), shown: '', toldPaths: new Set<string>(), isWatched: false };
    open.set(key, known);
    return known;
  };
  return {
    /** The call that a report is of; undefined: it says nothing new of one that has ended. `from` names the sub-agent that it is of. */
    told(update: unknown, from: string | undefined): KnownCall | undefined {
      const { id, key } = namesOf(update, from);
      const known = open.get(key);
      const call = known ? undefined : begun(key, id, update);
      return known ?? (call && add(key, call));
    },
    /** The call that the agent asks about. */
    asked(toolCall: unknown, from: string | undefined): KnownCall {
      const { id, key } = namesOf(toolCall, from);
      return open.get(key) ?? add(key, newCall(id));
    },
    open: (): readonly KnownCall[] => [...open.values()],
    isOpen: (known: KnownCall): boolean => open.get(known.key) === known,
    /** It has got its end. */
    end({ key, call, questions }: KnownCall): void {
      open.delete(key);
      const { rawOutput: _output, ...told } = call;
      past.delete(key);
      past.set(key, { call: { ...told, content: [], terminal: '' }, questions: new Set(questions.keys()), turn });
      if (past.size > maxPast) past.delete(past.keys().next().value!);
    },
    /** It was never made. */
    forget: ({ key }: KnownCall): void => void open.delete(key),
    endTurn(): void {
      uses.clear();
      turn += 1;
    },
  };
}

/** Sub-agents number their calls as they like. */
function namesOf(told: unknown, from: string | undefined): { id: string; key: string } {
  const id = idOf(fieldsOf(told)['toolCallId']);
  return { id, key: from === undefined ? id : `${from}\n${id}` };
}
