/** What may be spent. */
export interface Limits {
  /** USD. */
  cost?: number;
  tokens?: number;
  /** Of the agent's turns and of hooks that are waited for. */
  timeMs?: number;
  turns?: number;
}

/** Those of the session itself stand at the top. */
export interface Budgets extends Limits {
  perTask?: Limits;
  /** Of all sessions of this user in the project, on one calendar day. */
  perDay?: Limits;
}

/** USD per million tokens, for agents that report tokens and no cost. */
export interface Prices {
  input: number;
  output: number;
}

/** When a session makes no progress, and what happens when that was said once and it makes none again. */
export interface StallRule {
  /** The same call with the same result, so many times in a row. */
  repeats: number;
  /** Two calls with the same results, so many times in turn. */
  alternations: number;
  /** Iterations in a row on one task that change nothing and end with the same words. */
  iterations: number;
  /** The task is given up, the session stops, or a person is asked. */
  answer: 'next' | 'stop' | 'ask';
}

/** What hookloop.yaml and options say of a session as it is now: it is read again whenever the session is resumed. */
export interface LoopRules {
  limits: Budgets;
  prices?: Prices;
  stall: StallRule | 'off';
  /** What a task leads to whose gates the agent cannot satisfy. */
  onFailure: 'end' | 'next';
}

export const defaultStall: StallRule = { repeats: 3, alternations: 4, iterations: 3, answer: 'next' };

export const defaultRules: LoopRules = { limits: {}, stall: defaultStall, onFailure: 'end' };

export type LimitUnit = 'cost' | 'tokens' | 'time' | 'turns';

export type SpentScope = 'session' | 'task' | 'day';

/** What is spent of a budget. */
export interface Spent {
  scope: SpentScope;
  unit: LimitUnit;
  /** USD, tokens, ms or turns. */
  spent: number;
  limit: number;
  /** Whose, where it is a task's. */
  task?: string;
}

export const limitUnits: readonly LimitUnit[] = ['cost', 'tokens', 'time', 'turns'];

/** What a limit is kept under. */
export const limitKey = { cost: 'cost', tokens: 'tokens', time: 'timeMs', turns: 'turns' } as const;

type Amount = { kind: 'amount'; value: number } | { kind: 'flaw'; message: string; hint: string };

interface UnitForm {
  /** Text behind the number, and by how much it multiplies. */
  suffixes: Readonly<Record<string, number>>;
  max: number;
  whole?: true;
  example: string;
  maxText: string;
}

const [second, hour, day] = [1000, 3_600_000, 86_400_000];

const forms: Readonly<Record<LimitUnit, UnitForm>> = {
  cost: { suffixes: { '': 1, USD: 1, $: 1 }, max: 1e6, example: '5 USD', maxText: '1,000,000 USD' },
  tokens: {
    ...{ suffixes: { '': 1, k: 1e3, K: 1e3, M: 1e6, B: 1e9 }, max: 1e12, whole: true },
    ...{ example: '500k or 2M', maxText: '1,000B' },
  },
  time: {
    ...{ suffixes: { '': second, ms: 1, s: second, m: 60 * second, h: hour, d: day }, max: 366 * day },
    ...{ example: '30m or 3h', maxText: '366d' },
  },
  turns: { suffixes: { '': 1 }, max: 1e6, whole: true, example: '40', maxText: '1,000,000' },
};

/** Reads a limit as files and options have it: `5 USD`, `2M`, `3h`, `40`. Time is in ms then. */
export function readLimit(unit: LimitUnit, written: string | number): Amount {
  const { suffixes, max, whole, example, maxText } = forms[unit];
  const shown = String(written).trim().slice(0, 40);
  const flaw = (message: string, hint = `write ${example}`): Amount => ({ kind: 'flaw', message, hint });
  const parts = /^\$?\s*([-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?)\s*([A-Za-z$€£]*)$/.exec(String(written).trim());
  if (!parts) return flaw(`${shown === '' ? 'an empty text' : shown} is no ${nouns[unit]}`);
  const [, number = '', suffix = ''] = parts;
  if (!Object.hasOwn(suffixes, suffix)) {
    const hint = unit === 'cost' ? 'agents report their cost in USD: write 5 USD' : undefined;
    return flaw(`${unit === 'cost' ? 'the currency' : 'the unit'} ${suffix} is unknown`, hint);
  }
  const value = Number(number) * suffixes[suffix]!;
  if (!(value > 0)) return flaw(`${shown} is not above 0`, `write ${example}, or leave it out for no limit`);
  if (value > max) return flaw(`${shown} is more than ${maxText}`, `write ${example}, or leave it out for no limit`);
  if (whole && !Number.isInteger(value)) return flaw(`${shown} is no whole number`);
  return { kind: 'amount', value };
}

const nouns: Readonly<Record<LimitUnit, string>> = {
  cost: 'cost',
  tokens: 'number of tokens',
  time: 'time',
  turns: 'number of turns',
};
