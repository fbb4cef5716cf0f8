import { longestTimerMs } from '../model/duration.ts';
import type { Spending } from '../model/event.ts';
import { type Limits, limitKey, limitUnits, type Spent, type SpentScope } from '../model/limits.ts';
import { amountWords, overWords } from '../model/spent-words.ts';
import { formatKey, keyOf, type StepKey } from '../model/step-key.ts';
import { dayOf } from '../model/words.ts';
import {
  type Amounts,
  addUsed,
  amountsOf,
  emptyPart,
  isCostKnown,
  type Part,
  sumOfAmounts,
  taskOfKey,
  usedBetween,
} from '../session/state/consumed.ts';
import { activeMs } from '../session/state/spent.ts';
import { type KnownUsage, withReport } from '../session/state/usage.ts';
import type { Fire } from './fire.ts';
import type { RunningTurn } from './running-turn.ts';
import type { Position, Session } from './session.ts';
import { SessionEnd } from './session-end.ts';

export type Budgets = ReturnType<typeof createBudgets>;

/** At this part of a limit people hear of it. */
const warnAt = 0.8;

/** A turn in which the agent tells what it uses. */
interface LiveTurn {
  key: StepKey;
  conversation: string;
  turn: RunningTurn;
}

/**
 * Holds a session to what it may spend. Every turn is asked for before it begins and looked at while it goes on: one that
 * spends too much is cancelled. What a task may spend fails the task; what the session or the day may, stops the session.
 */
export function createBudgets(session: Session, fire: Fire) {
  const { durable, rules } = session;
  const { limits, prices } = rules;
  const scopes: readonly [SpentScope, Limits][] = [
    ['session', limits],
    ['task', limits.perTask ?? {}],
    ['day', limits.perDay ?? {}],
  ];
  const budgets = scopes.flatMap(([scope, own]) =>
    limitUnits.flatMap(unit => {
      const limit = own[limitKey[unit]];
      return limit === undefined ? [] : [{ scope, unit, limit }];
    }),
  );
  const told = new Map<string, Promise<unknown>>();
  let live: LiveTurn | undefined;
  let lastConversation: string | undefined;
  let isEnding = false;

  const today = (): string => dayOf(new Date().toISOString());

  const liveUsage = (): KnownUsage | undefined => {
    const id = live?.conversation ?? lastConversation;
    if (id === undefined) return undefined;
    const known = durable.state().usage.get(id);
    const report = live?.turn.record.usage();
    return report ? withReport(known, report) : known;
  };

  /** What no record tells of yet. */
  const unrecorded = (): (Part & { isCostly?: boolean })[] => {
    const { consumed, spent, workedMs, approvals, usage } = durable.state();
    const time = emptyPart(consumed.task, today());
    time.timeMs = activeMs(spent, workedMs, approvals.waiting.size > 0) - activeMs(spent);
    const report = live?.turn.record.usage();
    if (!live || !report) return [time];
    const before = usage.get(live.conversation);
    const after = withReport(before, report);
    const part = emptyPart(taskOfKey(consumed, formatKey(live.key)), today(), live.conversation);
    addUsed(part, usedBetween(before, after));
    return [time, { ...part, isCostly: isCostKnown(after) }];
  };

  const spentIn = (scope: SpentScope, task: string): Amounts => {
    const { consumed } = durable.state();
    if (scope === 'session') return amountsOf(consumed, prices, {}, unrecorded());
    if (scope === 'task') return amountsOf(consumed, prices, { task }, unrecorded());
    const own = amountsOf(consumed, prices, { day: today() }, unrecorded());
    const others = session.outside.dayLedger?.others(today());
    return others ? sumOfAmounts(own, others) : own;
  };

  /** Each budget with what is spent of it, for the work of this key. */
  const look = (key: StepKey): Spent[] => {
    const task = taskOfKey(durable.state().consumed, formatKey(key));
    return budgets.map(budget => ({
      ...budget,
      spent: spentIn(budget.scope, task)[limitKey[budget.unit]],
      ...(budget.scope === 'task' && { task }),
    }));
  };

  /** Hooks and people hear of each level of a budget once. */
  const tell = async (position: Position, budget: Spent, level: 'warning' | 'reached'): Promise<void> => {
    const { scope, unit, spent, limit, task } = budget;
    const whose =
      scope === 'day' ? [scope, today()] : [scope, ...(task === undefined ? [] : [task.replaceAll('/', '.')])];
    const keyAt = (at: string): StepKey => keyOf('budget', ...whose, unit, String(limit), at);
    const key = keyAt(level);
    const id = formatKey(key);
    if (told.has(id)) return;
    const warned = level === 'reached' ? told.get(formatKey(keyAt('warning'))) : undefined;
    const telling = durable.once(key, async () => {
      // One after the other, also where both come at nearly the same time; what ends the session there is told there.
      await warned?.catch(() => {});
      const rounded = unit === 'cost' ? Math.round(spent * 1e6) / 1e6 : Math.round(spent);
      await fire(position, 'budget.reached', { key, fields: { level, scope, unit, spent: rounded, limit } });
      return true;
    });
    told.set(id, telling);
    await telling;
  };

  const tellWarnings = async (position: Position, found: readonly Spent[]): Promise<void> => {
    for (const budget of found)
      if (budget.spent >= budget.limit * warnAt && !isOver(budget)) await tell(position, budget, 'warning');
  };

  /** The budget that forbids to go on; where it is the session's, its task need not fail as well. */
  const overIn = (found: readonly Spent[], isBetween: boolean): Spent | undefined =>
    order
      .flatMap(scope => found.filter(budget => budget.scope === scope))
      .find(
        // The last turn that there may be is one that may end.
        budget => isOver(budget) && (isBetween || budget.unit !== 'turns'),
      );

  const keepDay = (): void => {
    if (!limits.perDay) return;
    const { consumed } = durable.state();
    for (const day of new Set([...consumed.parts.values()].map(part => part.day)))
      session.outside.dayLedger?.keep(day, amountsOf(consumed, prices, { day }, unrecorded()));
  };

  const stopFor = (over: Spent): SessionEnd =>
    new SessionEnd('stopped', `budget: ${overWords(over)}`, { because: 'budget' });

  return {
    areSet: budgets.length > 0,
    /** Whether another turn may begin. Contract: throws a SessionEnd where the session may spend no more. */
    async before(position: Position, key: StepKey): Promise<{ reason: string } | undefined> {
      if (budgets.length === 0) return undefined;
      const found = look(key);
      await tellWarnings(position, found);
      const over = overIn(found, true);
      if (!over) return undefined;
      await tell(position, over, 'reached');
      if (over.scope === 'task' || isEnding) return { reason: `budget: ${overWords(over)}` };
      throw stopFor(over);
    },
    /** Looks at a turn while it goes on. */
    begin(turn: RunningTurn, key: StepKey, conversation: string, position: Position) {
      live = { key, conversation, turn };
      lastConversation = conversation;
      let timer: NodeJS.Timeout | undefined;
      let over: Spent | undefined;
      const check = (): void => {
        if (over || budgets.length === 0) return;
        const found = look(key);
        over = overIn(found, false);
        if (over) turn.turnEnd.abort();
        else void turn.during(async () => tellWarnings(position, found).then(() => ({ kind: 'proceed' as const })));
        keepDay();
      };
      const watchTime = (): void => {
        const times = look(key).filter(({ unit }) => unit === 'time');
        // A machine may have been too busy between one look and the next.
        if (times.some(isOver)) check();
        const left = times.flatMap(({ spent, limit }) => [limit * warnAt - spent, limit - spent]);
        const next = Math.min(...left.filter(ms => ms > 0));
        if (over || !Number.isFinite(next)) return;
        timer = setTimeout(
          () => {
            check();
            watchTime();
          },
          Math.min(Math.max(next + 1, shortestMs), longestTimerMs),
        );
      };
      check();
      watchTime();
      return {
        check,
        leave(): void {
          clearTimeout(timer);
          live = undefined;
        },
        /** Why it was cancelled; the session's own limits end the session instead. */
        async end(): Promise<string | undefined> {
          clearTimeout(timer);
          live = undefined;
          keepDay();
          if (budgets.length === 0) return undefined;
          const found = look(key);
          await tellWarnings(position, found);
          for (const budget of found)
            if (isOver(budget) && budget.unit !== 'turns') await tell(position, budget, 'reached');
          if (over && over.scope !== 'task' && !isEnding) throw stopFor(over);
          return over && `budget: ${overWords(over)}`;
        },
      };
    },
    /** A limit on what the agent does not tell is none. Contract: throws a SessionEnd. */
    checkReported(conversation: string | undefined, agent: string): void {
      const used = durable.state().usage.get(conversation ?? '');
      const knows = { tokens: used?.tokens !== undefined, cost: used !== undefined && isCostKnown(used) };
      const missing = budgets.find(
        ({ unit }) =>
          (unit === 'tokens' && !knows.tokens) || (unit === 'cost' && !knows.cost && !(prices && knows.tokens)),
      );
      if (!missing || isEnding) return;
      const also =
        missing.unit === 'cost' && knows.tokens ? '; write prices: { input: ..., output: ... } in hookloop.yaml' : '';
      throw new SessionEnd(
        'stopped',
        `budget: ${agent} does not report ${missing.unit === 'cost' ? 'a cost in USD' : 'its tokens'}, so the limit of ${amountWords(missing.unit, missing.limit)} cannot be kept; limit time or turns instead${also}`,
        { because: 'budget' },
      );
    },
    beginEnding(): void {
      isEnding = true;
    },
    /** What hooks are told. */
    spending(): Spending {
      const { cost, tokens, turns } = amountsOf(durable.state().consumed, prices, {}, unrecorded());
      const { contextUsed = 0, contextSize = 0 } = liveUsage() ?? {};
      const contextPercent = contextSize > 0 ? Math.min(100, Math.round((contextUsed / contextSize) * 100)) : 0;
      return { cost, tokens, turns, contextPercent };
    },
    /** What is spent of each of the session's budgets and of the day's. */
    all: (): Spent[] => look(keyOf()).filter(({ scope }) => scope !== 'task'),
  };
}

const order: readonly SpentScope[] = ['session', 'day', 'task'];

const isOver = ({ spent, limit }: Spent): boolean => spent >= limit;

/** Whoever waits for a person spends no time: then it is looked again and again. */
const shortestMs = 100;
