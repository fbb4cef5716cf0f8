import type { Decision, HookEvent, Refusal } from '../../model/index.ts';
import type { ShownWrites } from './shown-writes.ts';
import type { ToolCall } from './tool-call.ts';

/** A call that the agent has told of, and all that hooks have heard of it. */
export interface Tracked {
  key: string;
  call: ToolCall;
  /** By what is asked: a call whose input changes is another question. */
  heard: Map<string, Heard>;
  shown: string;
  toldPaths: Set<string>;
  isWatched: boolean;
}

export interface Heard {
  event: HookEvent<'tool.calling'>;
  /** What hooks say, whether or not the agent has asked. */
  said?: Promise<Decision | undefined>;
  /** What the agent was answered. */
  answer?: Decision;
  /** What the answer lets it write. */
  mayWrite?: ShownWrites;
  /** The agent has said that it makes, or has made, the call as it is told here. */
  isMade: boolean;
  /** It was said that the call is made although it is refused. */
  isStopped?: true;
}

export const isAnswered = ({ heard }: Tracked): boolean => [...heard.values()].some(({ answer }) => answer);

export const isAllowed = ({ heard }: Tracked): boolean =>
  [...heard.values()].some(({ answer }) => answer?.kind === 'proceed');

/** What the agent has made without an answer, and hooks refuse. */
export async function firstRefused({ heard }: Tracked): Promise<{ told: Heard; refusal: Refusal } | undefined> {
  for (const told of heard.values()) {
    if (!told.isMade || told.answer) continue;
    const refusal = await told.said;
    if (refusal && refusal.kind !== 'proceed') return { told, refusal };
  }
  return undefined;
}
