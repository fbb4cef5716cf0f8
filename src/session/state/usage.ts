import { addTokens, type Tokens, type Usage, type UsageTotal } from '../../model/agent.ts';
import type { SessionEntry } from '../../model/record.ts';

/** What each conversation has used, by its id. */
export type UsageByConversation = Map<string, Usage>;

/** Each report holds for the whole conversation so far. */
export function foldUsage(usage: UsageByConversation, entry: SessionEntry): void {
  if (entry.kind !== 'agent.usage') return;
  const { tokens, contextUsed, contextSize, cost } = entry;
  usage.set(entry.conversation, {
    ...usage.get(entry.conversation),
    ...(tokens && { tokens }),
    ...(contextUsed !== undefined && { contextUsed }),
    ...(contextSize !== undefined && { contextSize }),
    ...(cost && { cost }),
  });
}

/** Undefined where no conversation has told anything. */
export function totalUsage(usage: UsageByConversation): UsageTotal | undefined {
  if (usage.size === 0) return undefined;
  let tokens: Tokens = { input: 0, output: 0 };
  const costs = new Map<string, number>();
  for (const { tokens: own, cost } of usage.values()) {
    if (own) tokens = addTokens(tokens, own);
    if (cost) costs.set(cost.currency, (costs.get(cost.currency) ?? 0) + cost.amount);
  }
  return { tokens, costs: [...costs].map(([currency, amount]) => ({ amount, currency })) };
}
