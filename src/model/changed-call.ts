import type { Decision } from './decision.ts';
import type { HookEvent } from './event.ts';
import { fileOf } from './tool-call.ts';

/** What hooks want a tool to be called with instead; undefined: they leave it as it is, or refuse the call. */
export const changedInput = (decision: Decision): unknown =>
  decision.kind === 'proceed' || decision.kind === 'block' ? decision.input : undefined;

/** The call may still be made: no one has refused it, or someone asks a person first. */
export const isOpen = (decision: Decision): decision is Extract<Decision, { kind: 'proceed' | 'block' }> =>
  decision.kind === 'proceed' || (decision.kind === 'block' && decision.ask === true);

/** A decision about a call with the input that it is to have; none where it is refused. */
export function carrying(decision: Decision, input: unknown): Decision {
  if (isOpen(decision)) return input === undefined ? decision : { ...decision, input };
  return decision;
}

/** A call with another input. What its agent has told of it besides stays: it may still be true. */
export function withInput(call: HookEvent, input: unknown): HookEvent {
  const file = call.file === undefined ? undefined : fileOf(input);
  return { ...call, input, ...(file !== undefined && { file }) };
}

/** What an agent is told that cannot be handed another input. */
export const changedCallText = (input: unknown): string =>
  `A hook has changed what it is called with. Call it again with exactly this input:\n${JSON.stringify(input)}`;

/** What an agent is told that cannot be handed another output. */
export const replacedOutputText = (tool: string | undefined, output: unknown): string =>
  `A hook has replaced the output of ${tool ?? 'a tool'}. Go by this instead:\n${typeof output === 'string' ? output : JSON.stringify(output)}`;

/** Whether two inputs are the same, whatever the order of their fields. */
export const isSameInput = (one: unknown, other: unknown): boolean => sortedJson(one) === sortedJson(other);

const sortedJson = (value: unknown): string | undefined =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
