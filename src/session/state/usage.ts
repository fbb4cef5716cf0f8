import { addTokens, type Tokens, type Usage, type UsageTotal } from '../../model/agent.ts';
import type { SessionEntry } from '../../model/record.ts';

/** What each conversation has used, by its id. */
export type UsageByConversation = Map<string, KnownUsage>;

/** What it has used in all, and what the agent last said: an agent that is started anew may count from nothing again. */
export interface KnownUsage extends Usage {
  told?: Pick<Usage, 'tokens' | 'cost'>;
  /** Another process has the conversation now. */
  isHandedOn?: boolean;
}

/** Each report holds for the whole conversation so far. */
export function foldUsage(usage: UsageByConversation, entry: SessionEntry): void {
  if (entry.kind === 'session.resumed') for (const [id, known] of usage) usage.set(id, { ...known, isHandedOn: true });
  if (entry.kind !== 'agent.usage') return;
  usage.set(entry.conversation, withReport(usage.get(entry.conversation), entry));
}

/** What a conversation has used after one more report. What was used is never less than it was. */
export function withReport(before: KnownUsage | undefined, report: Usage): KnownUsage {
  const { tokens, contextUsed, contextSize, cost } = report;
  const isHandedOn = before?.isHandedOn ?? false;
  const told = before?.told ?? {};
  return {
    ...before,
    ...(tokens && { tokens: grownTokens(before?.tokens, told.tokens, tokens, isHandedOn) }),
    ...(contextUsed !== undefined && { contextUsed }),
    ...(contextSize !== undefined && { contextSize }),
    ...(cost && {
      cost: {
        // In another currency it is another count.
        amount:
          before?.cost?.currency === cost.currency
            ? before.cost.amount + growth(told.cost?.amount, cost.amount, isHandedOn)
            : cost.amount,
        currency: cost.currency,
      },
    }),
    told: { ...told, ...(tokens && { tokens }), ...(cost && { cost }) },
    isHandedOn: isHandedOn && !tokens && !cost,
  };
}

function grownTokens(before: Tokens | undefined, told: Tokens | undefined, now: Tokens, isHandedOn: boolean): Tokens {
  return addTokens(before, {
    input: growth(told?.input, now.input, isHandedOn),
    output: growth(told?.output, now.output, isHandedOn),
    ...(now.cached !== undefined && { cached: growth(told?.cached, now.cached, isHandedOn) }),
  });
}

/** Less than before is either a new count, where someone else counts now, or nothing that we could go by. */
function growth(before = 0, now: number, isHandedOn: boolean): number {
  if (now >= before) return now - before;
  return isHandedOn ? now : 0;
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
