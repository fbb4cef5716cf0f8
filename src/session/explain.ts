import { decisionIdOf, type Firings, firingKeyOf } from '../model/decision-id.ts';
import type { About, ExplainedHook, Explanation, NextThing } from '../model/explanation.ts';
import { type Decision, type EventName, type HookEvent, type HookResult, strictest } from '../model/index.ts';
import { toKnown } from '../model/known-record.ts';
import type { Pending, SessionEntry, StoredEntry } from '../model/record.ts';
import { budgetEventWords } from '../model/spent-words.ts';
import { outcomeWords, printedBy } from '../model/words.ts';
import { nextThing } from './next-things.ts';

export interface Explaining {
  /** False: nothing that follows can add to the explanation. */
  take(entry: StoredEntry): boolean;
  /** Undefined where the entries were about no decision. */
  explanation(): Explanation | undefined;
}

const maxNext = 10;

/** Explains one decision from the entries of a journal, beginning with the one whose number is its id. Holds only what it tells. */
export function createExplaining(session: string, id: number): Explaining {
  let decided: Pick<Explanation, 'event' | 'at' | 'about'> | undefined;
  let firing = '';
  let told: string | undefined;
  let ruling: Extract<SessionEntry, { kind: 'event.decided' }> | undefined;
  let waiting: (Pending & { seq: number }) | undefined;
  let next: NextThing[] = [];
  let isOver = false;
  const hooks = new Map<string, ExplainedHook>();
  const decisions = new Map<string, Decision>();
  const unawaited = new Set<string>();
  const firings: Firings = new Map();

  const isUndecided = (): boolean =>
    !ruling && [...hooks.values()].some(({ hook, status }) => status === 'unfinished' && !unawaited.has(hook));

  /** What belongs to the decision itself. True: what the agent does next comes after it. */
  const takeOwn = (entry: SessionEntry): boolean => {
    switch (entry.kind) {
      case 'hook.started':
        if (entry.background) unawaited.add(entry.hook);
        hooks.set(entry.hook, { hook: entry.hook, name: entry.name, status: 'unfinished' });
        return !entry.background;
      case 'hook.finished': {
        const { hook, name, result } = entry;
        hooks.set(hook, explainedHook(hook, name, result));
        if (result.status === 'finished') decisions.set(hook, result.decision);
        if (entry.pending) waiting = { ...entry.pending, seq: entry.seq };
        return !unawaited.has(hook);
      }
      case 'event.decided':
        ruling = entry;
        return true;
      case 'agent.told':
        told = entry.text;
        waiting = undefined;
        return true;
      default:
        return false;
    }
  };

  const take = (entry: SessionEntry): void => {
    const own = decisionIdOf(firings, entry);
    if (!decided) {
      if (entry.seq !== id || own === undefined) return;
      decided = { ...beginningOf(entry), at: entry.at };
      firing = 'key' in entry && entry.key !== undefined ? firingKeyOf(entry.key) : '';
    }
    const isOwn = own === id || (entry.kind === 'agent.told' && entry.key === `${firing}/told`);
    if (isOwn && takeOwn(entry)) {
      next = [];
      isOver = false;
      return;
    }
    if (isOwn) return;
    if (
      waiting &&
      entry.kind === 'pending.taken' &&
      entry.upTo >= waiting.seq &&
      entry.from.includes(waiting.goesWith)
    ) {
      told = entry.text;
      waiting = undefined;
      return;
    }
    const thing = isOver || next.length >= maxNext ? undefined : nextThing(entry, decided);
    if (thing) next.push({ type: thing.type, at: entry.at, text: thing.text, ...(own !== undefined && { id: own }) });
    isOver ||= thing?.isLast === true || entry.kind === 'session.closed';
  };

  return {
    take(stored) {
      const entry = toKnown(stored);
      if (entry) take(entry);
      if (!decided) return stored.seq < id;
      // A session that stopped in between decides when it goes on.
      if (isUndecided()) return true;
      return !((isOver || next.length >= maxNext) && (!waiting || entry?.kind === 'session.closed'));
    },
    explanation() {
      if (!decided) return undefined;
      const skipped = (ruling?.skipped ?? []).map(each => ({ ...each, status: 'skipped' as const }));
      return {
        ...{ session, id, ...decided },
        decision: ruling?.decision ?? strictest([...decisions.values()]),
        hooks: [...hooks.values(), ...skipped.filter(({ hook }) => !hooks.has(hook))],
        ...(ruling?.moreSkipped !== undefined && { moreSkipped: ruling.moreSkipped }),
        told: told ?? null,
        next,
      };
    },
  };
}

function beginningOf(entry: SessionEntry): { event: EventName; about: About } {
  if (entry.kind === 'event') return { event: entry.event.name, about: aboutOf(entry.event) };
  return { event: (entry as Extract<SessionEntry, { kind: 'hook.started' }>).event, about: {} };
}

export const aboutOf = (event: HookEvent): About => ({ ...subjectIn(event), ...evidenceIn(event) });

function evidenceIn(event: HookEvent): Pick<About, 'evidence'> {
  if (event.name === 'budget.reached') return { evidence: budgetEventWords(event) };
  return event.evidence === undefined ? {} : { evidence: `no progress: ${event.evidence}` };
}

const subjectIn = ({ stage, iteration, taskId, content, tool, input, file }: HookEvent): About => ({
  ...(stage !== undefined && { stage }),
  ...(iteration !== undefined && { iteration }),
  ...(taskId !== undefined && { task: taskId }),
  ...(content !== undefined && { content }),
  ...(tool !== undefined && { tool }),
  ...(input !== undefined && { input }),
  ...(file !== undefined && { file }),
});

function explainedHook(hook: string, name: string, result: HookResult): ExplainedHook {
  if (result.status === 'skipped') return { hook, name, status: 'skipped', why: result.why };
  if (result.status === 'detached') return { hook, name, status: 'detached' };
  const { outcome, verdict, decision, durationMs, shadow, flaky, attempts, protect } = result;
  const output = printedBy(outcome);
  const { stdoutFile, stderrFile } = ('truncated' in outcome && outcome.truncated) || {};
  const files = [stdoutFile, stderrFile].filter(file => file !== undefined);
  return {
    ...{ hook, name, status: 'finished', ended: outcomeWords(outcome), verdict, decision: decision.kind, durationMs },
    ...(shadow && { shadow: shadow.kind }),
    ...(flaky !== undefined && { flaky, attempts }),
    ...(protect && { protect }),
    ...(output !== '' && { output }),
    ...(files.length > 0 && { files }),
  };
}
