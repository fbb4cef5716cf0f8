import type { AroundHook, HookDefinition } from '../model/index.ts';
import { type Mask, maskDeep } from '../model/mask.ts';
import type { SessionRecord, TaskRecord } from '../model/record.ts';
import { formatKey, parseKey, type StepKey } from '../model/step-key.ts';
import type { SessionState } from '../session/state/state.ts';
import type { WorkDone } from '../session/state/work.ts';
import type { Held } from '../session/store.ts';
import type { TaskStore } from '../session/tasks.ts';
import { createLiveJournal } from './live-journal.ts';
import { createNotes } from './notes-for-people.ts';
import { createPendingTexts } from './pending-texts.ts';
import type { Recorded } from './recorded.ts';
import { SessionEnd } from './session-end.ts';

interface DurableOptions {
  journal: Held['journal'];
  /** After the last entry there is; it follows what is written from now on. */
  state: SessionState;
  /** What was done before. */
  work: WorkDone;
  /** What goes to disk is masked. */
  mask: Mask;
  recorded: Recorded;
  /** Whether this run of a gate is the last that the agent could have fixed something for. */
  hasNoFixLeft(run: StepKey, hook: HookDefinition): boolean;
}

export type Durable = ReturnType<typeof createDurable>;

/**
 * The session's work, each piece done once: what the journal knows to be finished is not done again, everything else is
 * on disk as begun before it begins and as finished before anything depends on it.
 * Contract: rejects with a SessionEnd when the journal cannot be written, and then never writes again.
 */
export function createDurable({ journal, state: before, work, mask, recorded, hasNoFixLeft }: DurableOptions) {
  const { done, hooks, attempts } = work;
  const live = createLiveJournal(journal, before);
  const { append, appendSoon, appendKept, failure, state } = live;
  const { unheardOf, add, ...pending } = createPendingTexts(live, work);
  const asks = new Map<string, Promise<unknown>>();
  /** Steps that this process has begun and that a limit has ended. */
  const cutShort = new Set<string>();
  let isEnding = false;
  const appendForHook = async (record: SessionRecord): Promise<number | undefined> => {
    try {
      return await append(record);
    } catch (error) {
      if (isEnding) return undefined;
      throw error;
    }
  };
  const begin = (key: string): { attempt: number; cause?: 'crash' } => {
    const attempt = (attempts.get(key) ?? 0) + 1;
    return { attempt, ...(attempt > 1 && { cause: 'crash' as const }) };
  };
  /** Work that is a sequence of steps itself. */
  const whole = async <T>(stepKey: StepKey, work: (attempt: number) => Promise<T>): Promise<T> => {
    const key = formatKey(stepKey);
    if (done.has(key)) return done.get(key) as T;
    const begun = begin(key);
    appendSoon({ kind: 'step.started', key, ...begun });
    const value = await work(begun.attempt).catch((error: unknown) => {
      if (error instanceof SessionEnd) error.at ??= stepKey;
      throw error;
    });
    appendSoon({ kind: 'step.done', key, value: maskDeep(value, mask) });
    return value;
  };
  const around: AroundHook = async ({ key, hook, event }, work) => {
    const known = hooks.get(key);
    if (known) return known;
    const run = parseKey(key);
    const named = { key, hook: hook.id, name: mask(hook.name), event: event.name };
    const begun = begin(key);
    const background = hook.wait ? undefined : recorded.background(event);
    await appendForHook({ kind: 'hook.started', ...named, ...begun, ...(background && { background }) });
    const kept = formatKey({ ...run, kept: true });
    const keep = async (value: unknown): Promise<void> =>
      void (await appendForHook({ kind: 'step.done', key: kept, value: maskDeep(value, mask) }));
    const result = await work({ known: () => done.get(kept), keep }, begun.attempt);
    // Cut short by us: it has not finished, and is due again when the session goes on.
    const isCutShort = result.status === 'finished' && result.outcome.kind === 'cancelled';
    // But one that no one waited for had its time at the end of the session.
    if (isCutShort && hook.wait) return result;
    const isRefused = result.status === 'finished' && result.decision.kind !== 'proceed';
    const unheard = unheardOf(run, event, result, hook);
    const seq = await appendForHook({
      kind: 'hook.finished',
      ...named,
      result: recorded.result(result),
      ...(unheard && { pending: unheard }),
      ...(isRefused && hasNoFixLeft(run, hook) && { noFixLeft: true as const }),
    });
    if (unheard && seq !== undefined) add({ seq, key, ...unheard });
    return result;
  };
  return {
    /**
     * Work that acts on the world. `attempt` is more than 1 where a crash cut it off, or where it came to a value that is
     * not final: then it is not done, and the next call begins it again.
     */
    async step<T>(
      stepKey: StepKey,
      work: (attempt: number) => Promise<T>,
      isFinal: (value: T) => boolean = () => true,
    ): Promise<T> {
      const key = formatKey(stepKey);
      if (done.has(key)) return done.get(key) as T;
      const begun = { ...begin(key), ...(cutShort.has(key) && { cause: 'limit' as const }) };
      await append({ kind: 'step.started', key, ...begun });
      const value = await work(begun.attempt);
      if (!isFinal(value)) {
        attempts.set(key, begun.attempt);
        cutShort.add(key);
        return value;
      }
      // Whatever acts on the world next waits for a record of its own, and this one is before it.
      appendKept({ kind: 'step.done', key, value: maskDeep(value, mask) });
      return value;
    },
    whole,
    /** As `whole`, for what may be asked for more than once in one process. */
    once<T>(key: StepKey, work: (attempt: number) => Promise<T>): Promise<T> {
      const id = formatKey(key);
      const asked = asks.get(id) ?? whole(key, work);
      asks.set(id, asked);
      return asked as Promise<T>;
    },
    /** Something found out, which must be the same after a crash. */
    async value<T>(stepKey: StepKey, find: () => T | Promise<T>): Promise<T> {
      const key = formatKey(stepKey);
      if (done.has(key)) return done.get(key) as T;
      const value = await find();
      appendSoon({ kind: 'step.done', key, value: maskDeep(value, mask) });
      return value;
    },
    isDone: (key: StepKey): boolean => done.has(formatKey(key)),
    /** The last value that was kept under the key. */
    known: (key: StepKey): unknown => done.get(formatKey(key)),
    /** Keeps a value that may change. */
    remember: (key: StepKey, value: unknown): void => appendSoon({ kind: 'step.done', key: formatKey(key), value }),
    around,
    /** From now on hooks run even if the journal cannot be written: those of the session's end always do. */
    beginEnding(): void {
      isEnding = true;
    },
    pending,
    notes: createNotes(live, work, recorded),
    /** Why nothing can be kept any more. */
    failure,
    /** What is true of the session now, by clocks that no one sets. */
    state,
    tasks: (): TaskStore => state().tasks,
    async changeTask(record: TaskRecord): Promise<void> {
      await append(maskDeep(record, mask) as TaskRecord, record);
    },
    async write(record: SessionRecord): Promise<void> {
      await append(record);
    },
  };
}
