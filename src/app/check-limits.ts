import { reportsOf } from '../agents/index.ts';
import type { Budgets, Limits, LoopRules } from '../model/limits.ts';
import { amountWords } from '../model/spent-words.ts';

/** Why a limit cannot be kept: one of these agents never tells what it is about. Of agents that no one knows it shows after their first turn. */
export function unreportedLimit(agents: readonly string[], { limits, prices }: LoopRules): string | undefined {
  const [cost, tokens] = (['cost', 'tokens'] as const).map(unit => limitOn(unit, limits));
  for (const agent of new Set(agents)) {
    const reports = reportsOf(agent.trim());
    if (!reports) continue;
    if (tokens !== undefined && !reports.includes('tokens'))
      return `${agent} does not report its tokens, so the limit of ${amountWords('tokens', tokens)} cannot be kept; limit time or turns instead`;
    if (cost === undefined || reports.includes('cost')) continue;
    const way = reports.includes('tokens')
      ? 'write prices: { input: USD, output: USD } (per million tokens) in hookloop.yaml, or limit tokens'
      : 'limit time or turns instead';
    if (!(prices && reports.includes('tokens')))
      return `${agent} does not report its cost, so the limit of ${amountWords('cost', cost)} cannot be kept; ${way}`;
  }
  return undefined;
}

const limitOn = (unit: 'cost' | 'tokens', { perTask, perDay, ...own }: Budgets): number | undefined =>
  [own, perTask, perDay].map((limits: Limits | undefined) => limits?.[unit]).find(limit => limit !== undefined);
