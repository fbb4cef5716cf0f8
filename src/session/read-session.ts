import type { SessionBrief, SessionView } from '../model/view.ts';
import { toView } from './state/state.ts';
import type { SessionStore } from './store.ts';

export interface ReadOptions {
  nowMs?: number;
  /** A longer journal is left unread, which the view says: for those who have something else to do. */
  maxBytes?: number;
}

/** Reads a session and its children as they are now. Takes nothing, and what cannot be read is part of the view. */
export const readSession = (store: SessionStore, name: string, options: ReadOptions = {}): Promise<SessionView> =>
  readAt(store, name, { nowMs: Date.now(), maxBytes: Number.POSITIVE_INFINITY, ...options }, 0);

/** Without what makes a view long. */
export function toBrief(view: SessionView): SessionBrief {
  const { stages, hooks, tasks, approvals, timeline, checkpoints, ...brief } = view;
  return brief;
}

const maxDepth = 5;

async function readAt(
  store: SessionStore,
  name: string,
  options: Required<ReadOptions>,
  depth: number,
): Promise<SessionView> {
  const { nowMs, maxBytes } = options;
  // Before the journal: a holder that lets go in between has written its last word.
  const wasHeld = (await store.holder(name)) !== undefined;
  const { state, end } = await store.state(name, maxBytes);
  if (end.kind === 'too-large') {
    const reason = `its journal is too large to be read here (${Math.round(end.bytes / 1024 / 1024)} MiB): hookloop show ${name}`;
    return { ...toView(state, name, wasHeld, nowMs), reason };
  }
  const isHeld = wasHeld || (!state.closed && (await store.holder(name)) !== undefined);
  const children: SessionBrief[] = [];
  if (depth < maxDepth)
    for (const child of await store.children(name))
      children.push(toBrief(await readAt(store, child.name, options, depth + 1)));
  const view: SessionView = { ...toView(state, name, isHeld, nowMs), children };
  switch (end.kind) {
    case 'lost':
      return { ...view, status: 'lost', reason: end.reason };
    case 'unreadable':
      return { ...view, status: 'damaged', reason: `journal.jsonl cannot be read: ${end.reason}`, unreadable: true };
    case 'damaged':
      return { ...view, status: 'damaged', reason: `journal.jsonl:${end.damage.line}: ${end.damage.reason}` };
    default:
      return view;
  }
}
