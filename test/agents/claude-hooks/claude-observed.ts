import { isDeepStrictEqual } from 'node:util';
import { jsonOf } from '../../../src/model/json.ts';
import type { Pack } from './hook-file.ts';
import {
  endedLine,
  type Firing,
  goesOnWith,
  heardLine,
  inPlace,
  type Observed,
  type Outcome,
  type Payload,
  textsIn,
  textsOf,
} from './observed.ts';

interface Message {
  role: string;
  content: unknown;
}

/** What Claude Code did, read from what its hooks were told, what its model was asked and what it printed. */
export function observeClaude(
  pack: Pack,
  firings: readonly Firing[],
  heard: readonly string[],
  stdout: string,
): Observed {
  const texts = textsOf(pack);
  const requests = heard.map(request => JSON.parse(request) as Message[]);
  return {
    outcomes: [
      ...inPlace(
        firings.map((firing, at) => ({ firing, outcome: outcomeOf(firing, firings.slice(at + 1), requests) })),
      ),
      ...(isEnded(firings, requests.length) ? [endedLine(requests.length)] : []),
    ],
    heard: requests.flatMap((request, at) => {
      const lines = heardIn(newIn(request), pack, at);
      // To a subagent the end of its turn is one like any other; a call that may not be made is refused like any other.
      const isSubagent = firings.some(({ event, step }) => event === 'SubagentStop' && step === at);
      const isAsked = firings.some(({ event, step }) => event === 'PermissionRequest' && step === at);
      return lines.map(line => {
        if (isSubagent) return line.replace(' Stop:', ' SubagentStop:');
        return isAsked ? line.replace(' PreToolUse:', ' PermissionRequest:') : line;
      });
    }),
    shown: shownIn(stdout, texts),
  };
}

/** A call that was made is told afterwards; a turn that may not end is followed by another question to the model. */
function outcomeOf(
  { event, step, payload }: Firing,
  later: readonly Firing[],
  requests: readonly Message[][],
): Outcome {
  const isLast = requests.length <= step;
  const isAfterwards = ({ event: name, payload: told }: Firing): boolean =>
    name.startsWith('PostToolUse') && told['tool_use_id'] === payload['tool_use_id'];
  switch (event) {
    case 'PreToolUse':
      if (later.some(({ event: name, step: at }) => name === 'PermissionRequest' && at === step)) return 'goes on';
      return madeWith(payload, later.find(isAfterwards));
    case 'PermissionRequest':
      return madeWith(
        payload,
        later.find(({ event: name, step: at }) => name === 'PostToolUse' && at === step),
      );
    case 'UserPromptSubmit':
      return isLast ? 'refused' : 'goes on';
    case 'Stop':
      return later.some(({ event: name }) => name === 'Stop') && !isLast ? 'refused' : 'goes on';
    case 'SubagentStop':
    case 'TaskCompleted':
      return later.some(firing => firing.event === event && isSameWork(firing.payload, payload))
        ? 'refused'
        : 'goes on';
    case 'PreCompact':
      return later.some(({ event: name }) => name === 'PostCompact') ? 'goes on' : 'refused';
    default:
      return 'goes on';
  }
}

/** What the call was made with is told after it. */
function madeWith({ tool_input: asked }: Payload, made: Firing | undefined): Outcome {
  if (!made) return 'refused';
  const input = made.payload['tool_input'];
  return isDeepStrictEqual(input, asked) ? 'goes on' : goesOnWith(input);
}

/** The model wanted to go on, and was not asked again. */
function isEnded(firings: readonly Firing[], steps: number): boolean {
  const last = firings.filter(({ step }) => step === steps).map(({ event }) => event);
  return last.includes('PreToolUse') && !last.includes('Stop');
}

/** What may not end is told again when it ends. */
const isSameWork = (one: Firing['payload'], other: Firing['payload']): boolean =>
  one['stop_hook_active'] !== false && one['agent_id'] === other['agent_id'] && one['task_id'] === other['task_id'];

/** What the model had not been told before: what comes after its own last words. */
const newIn = (request: readonly Message[]): readonly Message[] =>
  request.slice(request.findLastIndex(({ role }) => role === 'assistant') + 1);

const heading =
  /(?:^|\n|>)\s*([A-Z]\w+)(?::[^\s]+)? hook (?:error|blocking error|additional context|success|feedback|stopped)/g;

/** Which of the texts arrived, each with the event that Claude Code names before it. */
function heardIn(messages: readonly Message[], pack: Pack, step: number): string[] {
  const byEvent = new Map<string, string[]>();
  for (const part of messages.flatMap(partsOf)) {
    const headings = [...part.text.matchAll(heading)].map(({ index, 1: event }) => ({ index, event: event! }));
    for (const text of textsIn(part.text, textsOf(pack)))
      for (let at = part.text.indexOf(text); at !== -1; at = part.text.indexOf(text, at + 1)) {
        const event = headings.findLast(({ index }) => index <= at)?.event ?? part.otherwise;
        if (event !== undefined) byEvent.set(event, [...(byEvent.get(event) ?? []), text]);
      }
  }
  return [...byEvent].map(([event, said]) => heardLine(pack, step, event, said));
}

interface Part {
  text: string;
  /** Whose text it is where none is named. */
  otherwise?: string;
}

function partsOf({ role, content }: Message): Part[] {
  if (typeof content === 'string') return [{ text: content }];
  if (!Array.isArray(content) || role === 'assistant') return [];
  return content.flatMap((block): Part[] => {
    const { type, text, content: inner, is_error } = block as Record<string, unknown>;
    if (type === 'text') return [{ text: String(text) }];
    if (type !== 'tool_result') return [];
    const words = typeof inner === 'string' ? inner : JSON.stringify(inner);
    // The reason of a refused call takes the place of its result, without a word about hooks.
    return [{ text: words, ...(is_error === true ? { otherwise: 'PreToolUse' } : { otherwise: 'PostToolUse' }) }];
  });
}

function shownIn(stdout: string, texts: readonly string[]): string[] {
  const told = stdout.split('\n').flatMap(line => {
    const { type, subtype, content, compact_error } = (jsonOf(line) ?? {}) as Record<string, unknown>;
    if (type !== 'system') return [];
    return subtype === 'informational' ? [String(content)] : compact_error === undefined ? [] : [String(compact_error)];
  });
  return told.flatMap(content => texts.filter(text => content.includes(text)));
}
