import { lstatSync } from 'node:fs';
import type { HookDefinition } from '../model/index.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import type { SessionRecord, SessionStatus } from '../model/record.ts';
import { isInside } from '../model/step-key.ts';
import { readJournal } from '../session/journal/read.ts';
import { childPaths, type SessionPaths } from '../session/paths.ts';
import type { Redone } from '../session/state/work.ts';

/** Where the children of one hook point stand. */
export interface ChildPoint {
  parent: SessionPaths;
  point: string;
  iteration: number;
}

/** A child that was started before. */
export interface KnownChild {
  paths: SessionPaths;
  plan: PipelinePlan;
  /** Absent while it is at work, or since a crash. */
  status?: SessionStatus;
  reason?: string;
}

/** The hook's event as its file spells it, made fit for a folder. */
export function pointOf({ spelling }: HookDefinition): string {
  const safe = spelling.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return safe.slice(0, 64) || 'hook';
}

/**
 * The children that belong to one run of a hook, in the order in which they were started: further ones are retries. Those
 * of earlier runs of the parent do not count in work that was done anew since.
 */
export function childrenOf(at: ChildPoint, key: string, redone: readonly Redone[]): KnownChild[] {
  const found: KnownChild[] = [];
  for (let nth = 1; ; nth += 1) {
    const paths = childPaths(at.parent, at.point, at.iteration, nth);
    if (!lstatSync(paths.folder, { throwIfNoEntry: false })) return found;
    const child = readChild(paths, key, redone);
    if (child) found.push(child);
  }
}

function readChild(paths: SessionPaths, key: string, redone: readonly Redone[]): KnownChild | undefined {
  const reading = readJournal<SessionRecord>(paths.journal);
  if (reading.kind === 'unreadable') return undefined;
  const [started] = reading.entries;
  const last = reading.entries.at(-1);
  if (started?.kind !== 'session.started') return undefined;
  const of = started.settings.child;
  if (of?.key !== key || redone.some(work => work.run > of.run && (key === work.key || isInside(key, work.key))))
    return undefined;
  const { plan } = started;
  if (reading.kind === 'damaged' || last?.kind !== 'session.closed') return { paths, plan };
  return { paths, plan, status: last.status, ...(last.reason !== undefined && { reason: last.reason }) };
}
