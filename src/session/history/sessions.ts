import { lstatSync, readdirSync } from 'node:fs';
import { holderOf } from '../../platform/lock.ts';
import type { Entry } from '../journal/line.ts';
import type { Damage } from '../journal/scan.ts';
import { whyLost } from '../lost.ts';
import { childPaths, type SessionPaths } from '../paths.ts';
import { fold, newState, toView } from '../state/state.ts';
import type { SessionBrief, SessionView } from '../state/view.ts';
import { streamJournal } from './stream.ts';

export { holderOf };

export interface SessionReading {
  view: SessionView;
  /** What of the journal is read no further; the view tells of what comes before. */
  damage?: Damage;
}

export interface ReadOptions {
  /** How the session is called; for children with their parents in front. */
  name?: string;
  nowMs?: number;
  /** A longer journal is left unread, which the view says: for those who have something else to do. */
  maxBytes?: number;
}

/** Reads a session and its children as they are now. Writes nothing, and what cannot be read is part of the view. */
export function readSession(paths: SessionPaths, options: ReadOptions = {}): SessionReading {
  return readAt(paths, { name: paths.name, nowMs: Date.now(), maxBytes: Number.POSITIVE_INFINITY, ...options }, 0);
}

/** Without what makes a view long. */
export function toBrief(view: SessionView): SessionBrief {
  const { stages, hooks, tasks, approvals, ...brief } = view;
  return brief;
}

const maxDepth = 5;

function readAt(paths: SessionPaths, options: Required<ReadOptions>, depth: number): SessionReading {
  const { name, nowMs, maxBytes } = options;
  // Before the journal: a holder that lets go in between has written its last word.
  const wasHeld = holderOf(paths.folder) !== undefined;
  const state = newState({ runs: depth === 0 });
  let first: object | undefined;
  const add = (entry: Entry<object>): void => {
    first ??= entry;
    fold(state, entry);
  };
  const bytes = lstatSync(paths.journal, { throwIfNoEntry: false })?.size;
  if (bytes !== undefined && bytes > maxBytes) {
    const reason = `its journal is too large to be read here (${Math.round(bytes / 1024 / 1024)} MiB): hookloop show ${name}`;
    return { view: { ...toView(state, name, wasHeld, nowMs), reason, children: [] } };
  }
  const streamed = bytes === undefined ? { kind: 'read' } : streamJournal(paths.journal, add);
  const isHeld = wasHeld || (!state.closed && holderOf(paths.folder) !== undefined);
  const children =
    depth === maxDepth
      ? []
      : listChildren(paths).map(child =>
          toBrief(readAt(child, { ...options, name: `${name}/${child.name}` }, depth + 1).view),
        );
  const view: SessionView = { ...toView(state, name, isHeld, nowMs), children };
  if (!('reason' in streamed || 'damage' in streamed)) {
    const lost = whyLost(paths, first);
    return { view: lost === undefined ? view : { ...view, status: 'lost', reason: lost } };
  }
  if ('reason' in streamed)
    return {
      view: {
        ...view,
        status: 'damaged',
        reason: `journal.jsonl cannot be read: ${streamed.reason}`,
        unreadable: true,
      },
    };
  const { damage } = streamed;
  const reason = `journal.jsonl:${damage.line}: ${damage.reason}`;
  return { view: { ...view, status: 'damaged', reason }, damage };
}

/** Folders of child pipelines. Links and foreign files are left aside. */
export function listChildren(paths: SessionPaths): SessionPaths[] {
  try {
    if (!lstatSync(paths.children).isDirectory()) return [];
    return readdirSync(paths.children)
      .flatMap(name => childNamed(paths, name) ?? [])
      .filter(child => lstatSync(child.folder, { throwIfNoEntry: false })?.isDirectory())
      .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  } catch {
    return [];
  }
}

/** undefined where no child can have this name. */
export function childNamed(parent: SessionPaths, name: string): SessionPaths | undefined {
  const [, point, iteration] = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63})-(0|[1-9]\d{0,8})$/.exec(name) ?? [];
  return point === undefined ? undefined : childPaths(parent, point, Number(iteration));
}
