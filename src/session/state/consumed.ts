import type { Tokens } from '../../model/agent.ts';
import type { Prices } from '../../model/limits.ts';
import type { SessionEntry } from '../../model/record.ts';
import { iterationOf } from '../../model/step-key.ts';
import { dayOf } from '../../model/words.ts';
import { isTurn } from './pauses.ts';
import type { KnownUsage, UsageByConversation } from './usage.ts';

/** What a session has consumed, so that it can be told for a task and for a day. */
export interface Consumed {
  parts: Map<string, Part>;
  /** Conversations whose agent says what they cost. */
  costly: Set<string>;
  /** The task of each iteration, by the iteration's key; an iteration without one stands for itself. */
  tasks: Map<string, string>;
  /** The task at hand. */
  task: string;
  /** How often the agent made no progress on a task since it was last given up. */
  stalls: Map<string, number>;
  /** How often in all. */
  stalled: number;
  /** Iterations in which the agent changed files, by their keys. */
  changed: Set<string>;
}

/** What was consumed for one task, on one day, in one conversation. */
export interface Part {
  task: string;
  day: string;
  conversation: string;
  input: number;
  output: number;
  usd: number;
  turns: number;
  timeMs: number;
}

export interface Amounts {
  cost: number;
  tokens: number;
  timeMs: number;
  turns: number;
}

export const noAmounts: Amounts = { cost: 0, tokens: 0, timeMs: 0, turns: 0 };

export const mergeAmounts = (one: Amounts, other: Amounts, how: (a: number, b: number) => number): Amounts => ({
  cost: how(one.cost, other.cost),
  tokens: how(one.tokens, other.tokens),
  timeMs: how(one.timeMs, other.timeMs),
  turns: how(one.turns, other.turns),
});

export const sumOfAmounts = (one: Amounts, other: Amounts): Amounts => mergeAmounts(one, other, (a, b) => a + b);

export const newConsumed = (): Consumed => ({
  parts: new Map(),
  costly: new Set(),
  tasks: new Map(),
  task: '',
  stalls: new Map(),
  stalled: 0,
  changed: new Set(),
});

/** `before`: the usage before this entry. `passedMs`: the time that agent and hooks have worked since the last one. */
export function foldConsumed(
  consumed: Consumed,
  entry: SessionEntry,
  { before, after, passedMs }: { before: KnownUsage | undefined; after: UsageByConversation; passedMs: number },
): void {
  if (passedMs > 0) partOf(consumed, consumed.task, dayAt(entry.at)).timeMs += passedMs;
  if (entry.kind === 'event') hear(consumed, entry);
  else if (entry.kind === 'step.done' && isTurn(entry.key))
    partOf(consumed, taskOfKey(consumed, entry.key), dayAt(entry.at)).turns += 1;
  else if (entry.kind === 'agent.usage') {
    const { conversation, key } = entry;
    const used = after.get(conversation)!;
    const part = partOf(consumed, taskOfKey(consumed, key), dayAt(entry.at), conversation);
    addUsed(part, usedBetween(before, used));
    if (isCostKnown(used)) consumed.costly.add(conversation);
  } else if (entry.kind === 'task.failed') consumed.stalls.delete(entry.id);
  else if (entry.kind === 'file.changes') consumed.changed.add(iterationOf(entry.key) ?? '');
}

/** The task that an iteration is about, as budgets know it. */
export const taskOfKey = ({ tasks }: Consumed, key: string): string => {
  const iteration = iterationOf(key);
  return iteration === undefined ? '' : (tasks.get(iteration) ?? iteration);
};

/** What was consumed, of one task or on one day where that is asked for. `more`: what no record tells of yet. */
export function amountsOf(
  { parts, costly }: Consumed,
  prices: Prices | undefined,
  { task, day }: { task?: string; day?: string } = {},
  more: readonly (Part & { isCostly?: boolean })[] = [],
): Amounts {
  const sum = { ...noAmounts };
  const isCostly = (part: Part): boolean =>
    costly.has(part.conversation) || more.some(each => each.isCostly && each.conversation === part.conversation);
  for (const part of [...parts.values(), ...more]) {
    if ((task !== undefined && part.task !== task) || (day !== undefined && part.day !== day)) continue;
    sum.cost += isCostly(part) ? part.usd : priceOf(part, prices);
    sum.tokens += part.input + part.output;
    sum.timeMs += part.timeMs;
    sum.turns += part.turns;
  }
  return sum;
}

export const emptyPart = (task: string, day: string, conversation = ''): Part => ({
  ...{ task, day, conversation, input: 0, output: 0, usd: 0, turns: 0, timeMs: 0 },
});

export function addUsed(part: Part, { tokens, usd }: { tokens: Tokens; usd: number }): void {
  part.input += tokens.input;
  part.output += tokens.output;
  part.usd += usd;
}

/** What a conversation has used from one report to another. */
export const usedBetween = (before: KnownUsage | undefined, after: KnownUsage): { tokens: Tokens; usd: number } => ({
  tokens: {
    input: (after.tokens?.input ?? 0) - (before?.tokens?.input ?? 0),
    output: (after.tokens?.output ?? 0) - (before?.tokens?.output ?? 0),
  },
  usd: usdOf(after) - usdOf(before),
});

export const isCostKnown = ({ cost }: KnownUsage): boolean => cost?.currency === 'USD';

const usdOf = (usage: KnownUsage | undefined): number => (usage && isCostKnown(usage) ? usage.cost!.amount : 0);

const priceOf = ({ input, output }: Part, prices: Prices | undefined): number =>
  prices ? (input * prices.input + output * prices.output) / 1e6 : 0;

function partOf({ parts }: Consumed, task: string, day: string, conversation = ''): Part {
  const id = `${day} ${conversation}\n${task}`;
  const known = parts.get(id);
  if (known) return known;
  const part = emptyPart(task, day, conversation);
  parts.set(id, part);
  return part;
}

/** The day that was last asked for, and its bounds: a journal has very many entries, and few days. */
let lastDay = { day: '', from: '', to: '' };

/** Times as journals have them are ordered like their texts. */
function dayAt(at: string): string {
  if (at >= lastDay.from && at < lastDay.to && at.length === isoLength) return lastDay.day;
  const date = new Date(at);
  const startOf = (more: number): string =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate() + more).toISOString();
  const day = dayOf(at);
  if (at.length === isoLength && at.endsWith('Z')) lastDay = { day, from: startOf(0), to: startOf(1) };
  return day;
}

const isoLength = '2026-08-24T14:03:12.000Z'.length;

function hear(consumed: Consumed, { key, event }: Extract<SessionEntry, { kind: 'event' }>): void {
  const { name, taskId } = event;
  const iteration = key === undefined ? undefined : iterationOf(key);
  if (name === 'iteration.starting' && iteration !== undefined) {
    consumed.tasks.set(iteration, taskId ?? iteration);
    consumed.task = taskId ?? iteration;
  } else if (name === 'session.stalling' && iteration !== undefined) {
    const task = taskOfKey(consumed, iteration);
    consumed.stalls.set(task, (consumed.stalls.get(task) ?? 0) + 1);
    consumed.stalled += 1;
  } else if (name === 'iteration.completed' || name === 'iteration.failed') {
    consumed.task = '';
    // Without a task it stands for itself, and may be done anew.
    if (name === 'iteration.failed' && iteration !== undefined) consumed.stalls.delete(iteration);
  }
}
