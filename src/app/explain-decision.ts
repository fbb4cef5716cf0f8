import { decisionIdOf, type Firings } from '../model/decision-id.ts';
import type { Explanation } from '../model/explanation.ts';
import { toKnown } from '../model/known-record.ts';
import { maskDeep } from '../model/mask.ts';
import type { SessionEntry, StoredEntry } from '../model/record.ts';
import type { TimelineItem } from '../model/view.ts';
import { createExplaining } from '../session/explain.ts';
import { entryToShow } from '../session/mask-start.ts';
import type { SessionState } from '../session/state/state.ts';
import type { ReadEnd, SessionStore } from '../session/store.ts';
import type { Context } from './context.ts';
import type { NamedSession } from './sessions.ts';

export type Explained =
  | { kind: 'explained'; explanation: Explanation }
  /** Nothing was refused in the session so far. `ended`: how it did, if it did not end well; `signs`: what may have led to that. */
  | { kind: 'no-refusal'; ended?: { status: string; reason: string }; signs: readonly TimelineItem[] }
  /** `refusals`: the last ones there are. `lastId`: of the last entry. */
  | { kind: 'unknown'; refusals: readonly number[]; lastId: number }
  | { kind: 'empty' }
  | Extract<ReadEnd, { reason: string } | { damage: unknown }>;

/** Explains a decision of a session by its id, or by that of one of its hooks' runs; without one, the last refusal. */
export async function explainDecision(
  { store, name }: NamedSession,
  { mask }: Context,
  given: number | undefined,
): Promise<Explained> {
  const { state, end } = await store.state(name);
  const isGood = end.kind === 'read' || end.kind === 'damaged' || end.kind === 'too-large';
  if (!isGood) return end.kind === 'empty' ? { kind: 'empty' } : (end as Extract<ReadEnd, { reason: string }>);
  const { hooks, lastSeq } = state;
  const wanted = given ?? hooks.lastRefusal;
  if (wanted === undefined) return end.kind === 'damaged' ? end : maskDeep(withoutRefusal(state), mask);
  const unknown = (): Explained => {
    const refused = (hooks.all ?? []).filter(({ decision }) => decision && decision.kind !== 'proceed');
    return {
      kind: 'unknown',
      refusals: [...new Set(refused.map(({ id }) => id))].slice(-shownRefusals),
      lastId: lastSeq,
    };
  };
  if (wanted < 1 || wanted > lastSeq) return unknown();
  const show = (entry: StoredEntry): StoredEntry => entryToShow(maskDeep(entry, mask), mask);
  const id = given === undefined ? wanted : ((await decisionAt(store, name, wanted)) ?? wanted);
  const explaining = createExplaining(name, id);
  await readUntil(
    onEntry => store.read(name, onEntry, id),
    entry => explaining.take(show(entry)),
  );
  const explanation = explaining.explanation();
  return explanation ? { kind: 'explained', explanation } : unknown();
}

const shownRefusals = 10;

/** Budgets and a lack of progress end tasks and sessions as well. */
function withoutRefusal({ closed, timeline }: SessionState): Extract<Explained, { kind: 'no-refusal' }> {
  const { status, reason } = closed ?? {};
  const isSign = ({ type }: TimelineItem): boolean => type === 'session.stalling' || type === 'budget.reached';
  return {
    kind: 'no-refusal',
    ...(status && status !== 'completed' && reason !== undefined && { ended: { status, reason } }),
    signs: timeline.items.filter(isSign).slice(-shownRefusals),
  };
}

/** Of a hook's run the event stands before it, most often close by. */
const lookBack = [0, 2000, Number.POSITIVE_INFINITY];

/** The decision that the entry with this number is part of. */
async function decisionAt(store: SessionStore, name: string, seq: number): Promise<number | undefined> {
  for (const back of lookBack) {
    const firings: Firings = new Map();
    /** Of these the event may stand further back. */
    const withoutEvent = new Set<number>();
    let found: number | undefined;
    await readUntil(
      onEntry => store.read(name, onEntry, Math.max(1, seq - back)),
      stored => {
        const entry = toKnown(stored);
        const id = entry && (decisionIdOf(firings, entry) ?? firingAt(firings, entry));
        if (entry?.kind !== 'event' && id === stored.seq) withoutEvent.add(id);
        if (stored.seq === seq) found = id;
        return stored.seq < seq;
      },
    );
    if (found !== undefined && (back >= seq || !withoutEvent.has(found))) return found;
  }
  return undefined;
}

/** What the agent was told of a decision, or did after it, has its key. */
const firingAt = (firings: Firings, entry: SessionEntry): number | undefined =>
  'key' in entry && entry.key !== undefined ? firings.get(entry.key.replace(/\/told$/, '')) : undefined;

/** No one wants to see more of the journal. */
class Enough extends Error {}

async function readUntil(
  read: (onEntry: (entry: StoredEntry) => void) => Promise<unknown>,
  take: (entry: StoredEntry) => boolean,
): Promise<void> {
  try {
    await read(entry => {
      if (!take(entry)) throw new Enough();
    });
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
}
