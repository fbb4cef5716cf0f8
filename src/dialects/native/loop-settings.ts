import { either, type FieldFlaw, oneOf, record, text, type ValueOf } from '../../config/shape.ts';
import { given } from '../../model/json.ts';
import {
  type Budgets,
  defaultStall,
  type Limits,
  type LimitUnit,
  limitKey,
  limitUnits,
  type Prices,
  readLimit,
  type StallRule,
} from '../../model/limits.ts';

type Written = Partial<Record<LimitUnit, string | number>>;

const amount = (doc: string) => either([{ type: 'number' } as const, text()], doc);

const amounts = {
  cost: amount('What it may cost, in USD: 5 USD'),
  tokens: amount('How many tokens it may use: 500k, 2M'),
  time: amount('How long agent and hooks may work: 30m, 3h'),
  turns: amount('How many turns the agent may have'),
};

function* amountFlaws(written: Written): Generator<FieldFlaw> {
  for (const unit of limitUnits) {
    const value = written[unit];
    const read = value === undefined ? undefined : readLimit(unit, value);
    if (read?.kind === 'flaw') yield { field: unit, message: read.message, hint: read.hint };
  }
}

const limitsOf = (doc: string) => record(amounts, { closed: true, doc, check: amountFlaws });

const times = (doc: string) => ({ type: 'number', integer: true, min: 2, max: 1000, doc }) as const;

/** USD per million tokens; some models cost nothing. */
const price = (doc: string) => ({ type: 'number', min: 0, max: 1_000_000, doc }) as const;

/** What hookloop.yaml says about what a session may spend, and when it makes no progress. */
export const loopFields = {
  limits: record(
    {
      ...amounts,
      per_task: limitsOf('What one task may spend; it fails then, and the next goes on'),
      per_day: limitsOf('What all sessions of this project may spend on one day'),
    },
    { closed: true, check: amountFlaws, doc: 'What a session may spend; it stops then and can be resumed' },
  ),
  prices: record(
    {
      input: price('USD per million tokens that are read'),
      output: price('USD per million tokens that are written'),
    },
    { required: ['input', 'output'], closed: true, doc: 'Makes a cost of tokens, for agents that report no cost' },
  ),
  stall: either(
    [
      record(
        {
          repeats: times('The same call with the same result, so many times in a row (default 3)'),
          alternations: times('Two calls with the same results, so many times in turn (default 4)'),
          iterations: times('Iterations on one task that change nothing and end with the same words (default 3)'),
          // biome-ignore lint/suspicious/noThenProperty: it is a key of the file format
          then: oneOf(['next', 'stop', 'ask'], 'What happens the second time (default next: the next task)'),
        },
        { closed: true },
      ),
      oneOf(['off']),
    ],
    'When a session makes no progress; off: never',
  ),
};

export const onFailureField = oneOf(
  ['end', 'next'],
  'A task whose gates the agent cannot satisfy ends the session, or fails alone and the next goes on',
);

export interface LoopSettings {
  limits?: Budgets;
  prices?: Prices;
  stall?: StallRule | 'off';
}

/** As `loopFields` have read it. */
export function readLoopSettings({ limits, prices, stall }: ValueOf<typeof shape>): LoopSettings {
  return given({
    limits: limits && {
      ...toLimits(limits),
      ...given({
        perTask: limits.per_task && toLimits(limits.per_task),
        perDay: limits.per_day && toLimits(limits.per_day),
      }),
    },
    prices,
    stall: typeof stall === 'object' ? toStall(stall) : stall,
  });
}

const shape = record(loopFields);

function toStall({
  then: answer,
  ...counts
}: Omit<Partial<StallRule>, 'answer'> & { then?: StallRule['answer'] }): StallRule {
  return { ...defaultStall, ...counts, ...(answer !== undefined && { answer }) };
}

function toLimits(written: Written): Limits {
  const limits: Limits = {};
  for (const unit of limitUnits) {
    const value = written[unit];
    const read = value === undefined ? undefined : readLimit(unit, value);
    if (read?.kind === 'amount') limits[limitKey[unit]] = read.value;
  }
  return limits;
}
