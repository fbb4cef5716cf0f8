import type { AroundHook, EventResult, HookDefinition, HookEvent, HookResult } from '../model/index.ts';
import { type Mask, maskDeep } from '../model/mask.ts';
import type { AgentRecord, Delivery, Pending, SessionRecord, TaskRecord } from '../model/record.ts';
import { firingOf, formatKey, parseKey, partOf, type StepKey } from '../model/step-key.ts';
import { foldKnown, type SessionState } from '../session/state/state.ts';
import type { PendingText, WorkDone } from '../session/state/work.ts';
import type { Held } from '../session/store.ts';
import type { TaskStore } from '../session/tasks.ts';
import { pendingOf } from './pending-texts.ts';
import type { Recorded } from './recorded.ts';

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

/** As much as hooks may say at once. */
const maxToldBytes = 64 * 1024;

export type Durable = ReturnType<typeof createDurable>;

/**
 * The session's work, each piece done once: what the journal knows to be finished is not done again, everything else is
 * on disk as begun before it begins and as finished before anything depends on it.
 * Contract: rejects with a SessionEnd when the journal cannot be written, and then never writes again.
 */
export function createDurable({ journal, state, work, mask, recorded, hasNoFixLeft }: DurableOptions) {
  const { done, hooks, attempts, told } = work;
  const heard = new Set<string>();
  let pending: PendingText[] = work.pending;
  const asks = new Map<string, Promise<unknown>>();
  let broken: SessionEnd | undefined;
  let isEnding = false;
  const beforeMs = state.workedMs - performance.now();
  /** Counts on from what was worked before, whatever someone does to the wall clock meanwhile. */
  const setClock = (): void => {
    state.workedMs = beforeMs + performance.now();
  };
  /** `live`: what the session itself goes by, where the record is masked. */
  const append = async (record: SessionRecord, when?: 'soon' | 'kept', live = record): Promise<number> => {
    setClock();
    foldKnown(state, { seq: 0, at: new Date().toISOString(), ...live });
    if (broken) throw broken;
    try {
      return (await journal.append(record, when)).seq;
    } catch (error) {
      broken ??= new SessionEnd('failed', `the journal cannot be written: ${(error as Error).message}`, {
        because: 'journal',
      });
      throw broken;
    }
  };
  /** On disk before the next record that is waited for; a failure shows there. */
  const appendSoon = (record: SessionRecord): void => void append(record, 'soon').catch(() => {});
  /** As `appendSoon`, but it outlives us from now on: what it tells has cost too much to be done again. */
  const appendKept = (record: SessionRecord): void => void append(record, 'kept').catch(() => {});
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
    const isHeard = isRefused && heard.has(formatKey(firingOf(run)));
    const unheard = isHeard ? undefined : pendingOf(event, result);
    const seq = await appendForHook({
      kind: 'hook.finished',
      ...named,
      result: recorded.result(result),
      ...(unheard && { pending: unheard }),
      ...(isRefused && hasNoFixLeft(run, hook) && { noFixLeft: true as const }),
    });
    if (unheard && seq !== undefined) pending.push({ seq, key, ...unheard });
    return result;
  };
  return {
    /** Work that acts on the world. `attempt` is more than 1 where a crash cut it off. */
    async step<T>(stepKey: StepKey, work: (attempt: number) => Promise<T>): Promise<T> {
      const key = formatKey(stepKey);
      if (done.has(key)) return done.get(key) as T;
      const begun = begin(key);
      await append({ kind: 'step.started', key, ...begun });
      const value = await work(begun.attempt);
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
    /** Refusals of this firing reach the agent at once, so none of them is pending. */
    expectNoPending: (key: StepKey): void => void heard.add(formatKey(key)),
    /** For what the agent has to hear besides the results of hooks. */
    async tellWithNextPrompt(stepKey: StepKey, text: string): Promise<void> {
      const key = formatKey(stepKey);
      const added: Pending = { goesWith: 'next-prompt', text };
      const seq = await append({ kind: 'step.done', key, pending: added });
      pending.push({ seq, key, ...added });
    },
    /** From now on hooks run even if the journal cannot be written: those of the session's end always do. */
    beginEnding(): void {
      isEnding = true;
    },
    /** Why nothing can be kept any more. */
    failure: (): SessionEnd | undefined => broken,
    /** Writes an event down for people; false if that was done before a crash. */
    noteEvent(stepKey: StepKey, event: HookEvent): boolean {
      const key = formatKey(stepKey);
      if (told.has(key)) return false;
      // A question that was answered is not told again, so after a crash nothing else would know of it.
      const write = event.name === 'approval.requested' ? appendKept : appendSoon;
      write({ kind: 'event', key, event: recorded.event(event) });
      return true;
    },
    recorded,
    /** Writes down what the agent was sent, said or did; copies of it come from `recorded`. */
    note: (record: AgentRecord): void => appendSoon(record),
    /** Writes down what the hooks of an event have said to the agent, once in the life of the session. */
    noteFeedback(stepKey: StepKey, text: string, { results }: Pick<EventResult, 'results'>): void {
      const key = formatKey(partOf(stepKey, 'told'));
      if (text === '' || told.has(key)) return;
      told.add(key);
      const hooks = results.filter(hasSpoken).map(({ hook }) => hook);
      appendSoon({ kind: 'agent.told', key, hooks, ...recorded.text('agent.told', text, maxToldBytes) });
    },
    /** All that waits for these prompts, as one text; then it no longer waits. */
    async take(stepKey: StepKey, from: readonly Delivery[]): Promise<string> {
      const key = formatKey(stepKey);
      if (done.has(key)) return done.get(key) as string;
      const due = pending.filter(({ goesWith }) => from.includes(goesWith));
      if (due.length === 0) return '';
      const text = due.map(waiting => waiting.text).join('\n');
      pending = pending.filter(waiting => !due.includes(waiting));
      const hooks = due.flatMap(waiting => parseKey(waiting.key).hook ?? []);
      appendSoon({ kind: 'pending.taken', key, upTo: due.at(-1)!.seq, from, text, hooks: [...new Set(hooks)] });
      return text;
    },
    hasPending: (from: readonly Delivery[]): boolean => pending.some(({ goesWith }) => from.includes(goesWith)),
    tasks: (): TaskStore => state.tasks,
    /** What is true of the session now, by clocks that no one sets. */
    state(): SessionState {
      setClock();
      return state;
    },
    async changeTask(record: TaskRecord): Promise<void> {
      await append(maskDeep(record, mask) as TaskRecord, undefined, record);
    },
    async write(record: SessionRecord): Promise<void> {
      await append(record);
    },
  };
}

/** It refused, or had something to say. */
const hasSpoken = (result: HookResult): boolean =>
  result.status === 'finished' && (result.decision.kind !== 'proceed' || Boolean(result.feedback));

interface EndDetails {
  /** `taken`: by another process. */
  because?: 'agent-unavailable' | 'journal' | 'taken';
  /** The work to do anew when the session is resumed. */
  at?: StepKey;
}

/**
 * Thrown once, wherever a session finds its end, and caught where the session's last hooks are fired. Everything between
 * is written as if it always went on.
 */
export class SessionEnd extends Error {
  readonly status: 'failed' | 'interrupted';
  readonly because: EndDetails['because'];
  at: StepKey | undefined;
  constructor(status: 'failed' | 'interrupted', reason: string, { because, at }: EndDetails = {}) {
    super(reason);
    this.name = 'SessionEnd';
    this.status = status;
    this.because = because;
    this.at = at;
  }
}
