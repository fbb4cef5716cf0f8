import { type LimitUnit, limitUnits, type Spent, type SpentScope } from './limits.ts';
import { counted, shortDuration } from './words.ts';

/** `5.02 USD`, `1.2M tokens`, `3h`, `40 turns`. */
export function amountWords(unit: LimitUnit, amount: number): string {
  if (unit === 'cost') return `${usdWords(amount)} USD`;
  if (unit === 'tokens') return `${tokenWords(amount)} tokens`;
  return unit === 'time' ? shortDuration(amount) : counted(Math.round(amount), 'turn');
}

/** A limit is never shown as less than it was written, and what is spent never as more than it is. */
const usdWords = (amount: number): string => String(Number(amount.toFixed(amount < 1 ? 4 : 2)));

function tokenWords(amount: number): string {
  const [size, name] = amount >= 1e9 ? [1e9, 'B'] : amount >= 1e6 ? [1e6, 'M'] : amount >= 1e4 ? [1e3, 'k'] : [1, ''];
  return `${Number((amount / size).toFixed(size === 1 ? 0 : 2))}${name}`;
}

/** `the session has spent 5.02 USD, and may spend 5 USD`. */
export const overWords = ({ scope, unit, spent, limit }: Spent): string =>
  unit === 'turns'
    ? `${whose[scope]} had ${amountWords(unit, spent)}, and may have ${Math.round(limit)}`
    : `${whose[scope]} spent ${amountWords(unit, spent)}, and may spend ${amountWords(unit, limit)}`;

const whose: Readonly<Record<SpentScope, string>> = {
  session: 'the session',
  task: 'the task',
  day: "today's sessions of this project",
};

/** `5.02 of 5 USD`, as in a list of budgets. */
function budgetWords({ unit, spent, limit }: Spent): string {
  const amount = { cost: usdWords, tokens: tokenWords, time: shortDuration, turns: Math.round }[unit](spent);
  return `${amount} of ${unit === 'turns' ? counted(Math.round(limit), 'turn') : amountWords(unit, limit)}`;
}

/** What is spent of a session's budgets and of the day's: `0.42 of 5 USD`, `12 of 40 turns`, `3 of 20 USD today`. */
export const budgetsWords = (budgets: readonly Spent[]): string[] =>
  budgets.map(budget => `${budgetWords(budget)}${budget.scope === 'day' ? ' today' : ''}`);

/** What `budget.reached` tells. */
export const budgetEventWords = ({ level, ...event }: Parameters<typeof toSpent>[0] & { level?: string }): string =>
  `budget of the ${event.scope ?? 'session'} ${level === 'reached' ? 'reached' : 'nearly spent'}: ${budgetWords(toSpent(event))}`;

/** As events have it; what is no unit of ours counts as turns. */
const toSpent = ({
  scope,
  unit,
  spent = 0,
  limit = 0,
}: { [Key in 'scope' | 'unit']?: string | undefined } & { spent?: number; limit?: number }): Spent => ({
  scope: scope === 'task' || scope === 'day' ? scope : 'session',
  unit: limitUnits.find(known => known === unit) ?? 'turns',
  spent,
  limit,
});
