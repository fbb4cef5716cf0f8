import type { SpentSummary } from '../../model/notice.ts';
import type { FileChange, SessionEntry } from '../../model/record.ts';
import { iterationOf } from '../../model/step-key.ts';
import { isTurn } from './pauses.ts';

/** What a session has spent its time on, and what came of it. Times are those of the session's work. */
export interface Spent {
  agentMs: number;
  hooksMs: number;
  peopleMs: number;
  /** While no agent could work. */
  pausedMs: number;
  isPaused: boolean;
  /** Up to when its time is told apart. */
  upToMs: number;
  /** Turns of the agent and hooks that the session waits for, which have begun and not ended, by their keys. */
  turns: Set<string>;
  hooks: Set<string>;
  refusals: number;
  fixed: number;
  /** Refusals that the agent has to fix before its iteration can complete, by the iteration. */
  toFix: Map<string, number>;
  files: Map<string, FileChange>;
}

export const newSpent = (): Spent => ({
  agentMs: 0,
  hooksMs: 0,
  peopleMs: 0,
  pausedMs: 0,
  isPaused: false,
  upToMs: 0,
  turns: new Set(),
  hooks: new Set(),
  refusals: 0,
  fixed: 0,
  toFix: new Map(),
  files: new Map(),
});

/** `isAsked`: a person was asked, and had not answered before this entry. */
export function foldSpent(spent: Spent, entry: SessionEntry, workedMs: number, isAsked: boolean): void {
  tellApart(spent, workedMs, isAsked);
  switch (entry.kind) {
    case 'session.resumed':
      spent.turns.clear();
      spent.hooks.clear();
      break;
    case 'step.started':
      if (isTurn(entry.key)) spent.turns.add(entry.key);
      break;
    case 'step.done':
      spent.turns.delete(entry.key);
      break;
    case 'agent.limited':
      spent.turns.delete(entry.key);
      break;
    case 'pause.started':
    case 'pause.ended':
      spent.isPaused = entry.kind === 'pause.started';
      break;
    case 'session.closed':
      if (entry.status === 'failed') spent.isPaused = false;
      break;
    case 'hook.started':
      if (!entry.background) spent.hooks.add(entry.key);
      break;
    case 'hook.finished':
      spent.hooks.delete(entry.key);
      break;
    case 'event.decided':
      countRefusal(spent, entry);
      break;
    case 'event':
      if (entry.event.name === 'iteration.completed') countFixed(spent, entry.key);
      break;
    case 'file.changes':
      for (const change of entry.files) addChange(spent.files, change);
      break;
  }
}

export const toSpentSummary = ({ refusals, fixed, files, ...spent }: Spent): SpentSummary => ({
  time: {
    ...{ agentMs: Math.round(spent.agentMs), hooksMs: Math.round(spent.hooksMs), peopleMs: Math.round(spent.peopleMs) },
    ...(spent.pausedMs > 0 && { pausedMs: Math.round(spent.pausedMs) }),
  },
  refusals: { count: refusals, fixed },
  files: [...files.values()],
});

/** Whoever waits for a person waits for no one else, and an agent waits for the hooks of its tools. */
function tellApart(spent: Spent, workedMs: number, isAsked: boolean): void {
  const passedMs = Math.max(0, workedMs - spent.upToMs);
  const whose = atWork(spent, isAsked);
  if (whose) spent[whose] += passedMs;
  spent.upToMs = workedMs;
}

type Whose = 'peopleMs' | 'hooksMs' | 'pausedMs' | 'agentMs';

function atWork({ hooks, turns, isPaused }: Spent, isAsked: boolean): Whose | undefined {
  if (isAsked) return 'peopleMs';
  if (hooks.size > 0) return 'hooksMs';
  if (isPaused) return 'pausedMs';
  return turns.size > 0 ? 'agentMs' : undefined;
}

/** The time of agent and hooks up to now, also what no record tells of yet. */
export function activeMs(spent: Spent, workedMs: number = spent.upToMs, isAsked = false): number {
  const whose = atWork(spent, isAsked);
  const isActive = whose === 'hooksMs' || whose === 'agentMs';
  return spent.agentMs + spent.hooksMs + (isActive ? Math.max(0, workedMs - spent.upToMs) : 0);
}

function countRefusal(spent: Spent, { key, event, decision }: Extract<SessionEntry, { kind: 'event.decided' }>): void {
  if (decision.kind === 'proceed' || (decision.kind === 'block' && decision.ask)) return;
  spent.refusals += 1;
  const iteration = iterationOf(key);
  if (iteration !== undefined && (event === 'task.completing' || event === 'turn.ending'))
    spent.toFix.set(iteration, (spent.toFix.get(iteration) ?? 0) + 1);
}

function countFixed(spent: Spent, key: string | undefined): void {
  const iteration = key === undefined ? undefined : iterationOf(key);
  if (iteration === undefined) return;
  spent.fixed += spent.toFix.get(iteration) ?? 0;
  spent.toFix.delete(iteration);
}

const maxFiles = 1000;

function addChange(files: Map<string, FileChange>, { path, added, removed }: FileChange): void {
  const before = files.get(path);
  if (!before && files.size >= maxFiles) return;
  const sum = (one: number | undefined, other: number | undefined): number | undefined =>
    one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
  const [plus, minus] = [sum(before?.added, added), sum(before?.removed, removed)];
  files.set(path, { path, ...(plus !== undefined && { added: plus }), ...(minus !== undefined && { removed: minus }) });
}
