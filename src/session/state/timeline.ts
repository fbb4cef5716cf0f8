import { decisionIdOf, type Firings } from '../../model/decision-id.ts';
import type { EventName, HookEvent } from '../../model/index.ts';
import type { SessionEntry } from '../../model/record.ts';
import { budgetEventWords } from '../../model/spent-words.ts';
import type { TimelineItem } from '../../model/view.ts';
import { pauseWords, takeoverWords } from '../../model/words.ts';

/** What a session went through, in order; of a very long one the last of it. */
export interface Timeline {
  items: TimelineItem[];
  firings: Firings;
}

export const newTimeline = (): Timeline => ({ items: [], firings: new Map() });

const maxItems = 500;

export function foldTimeline(timeline: Timeline, entry: SessionEntry): void {
  const id = decisionIdOf(timeline.firings, entry);
  const item = itemOf(entry, id);
  if (!item || (item.type === 'refused' && timeline.items.some(each => each.type === 'refused' && each.id === id)))
    return;
  timeline.items.push(item);
  if (timeline.items.length > maxItems) timeline.items.shift();
}

function itemOf(entry: SessionEntry, id: number | undefined): TimelineItem | undefined {
  const { at } = entry;
  switch (entry.kind) {
    case 'session.started':
    case 'session.resumed':
      return { at, type: 'run.started', text: entry.kind === 'session.started' ? 'started' : 'resumed' };
    case 'session.closed':
      return { at, type: 'run.ended', text: entry.reason ? `${entry.status}: ${entry.reason}` : entry.status };
    case 'hook.finished':
      if (entry.result.status !== 'finished' || entry.result.decision.kind === 'proceed') return undefined;
      return { at, type: 'refused', text: `${entry.event} refused by ${entry.name}`, ...(id !== undefined && { id }) };
    case 'event.decided':
      if (entry.decision.kind === 'proceed') return undefined;
      return { at, type: 'refused', text: `${entry.event} refused`, ...(id !== undefined && { id }) };
    case 'task.failed':
      return entry.content === undefined ? undefined : { at, type: entry.kind, text: `task failed: ${entry.content}` };
    case 'agent.chosen':
      if (entry.from === undefined) return undefined;
      return { at, type: entry.kind, text: takeoverWords({ reason: undefined, ...entry, from: entry.from }) };
    case 'event': {
      const { name, stage, iteration } = entry.event;
      const where = stage === undefined ? '' : `${stage}${iteration === undefined ? '' : ` ${iteration}`}`;
      const words = eventTexts[name]?.(entry.event, where, Date.parse(at));
      return words === undefined ? undefined : { at, type: name, text: words, id: entry.seq };
    }
    default:
      return undefined;
  }
}

type EventText = (event: HookEvent, where: string, nowMs: number) => string;

const eventTexts: Partial<Readonly<Record<EventName, EventText>>> = {
  'iteration.starting': (_, where) => `${where} started`,
  'iteration.completed': (_, where) => `${where} completed`,
  'iteration.failed': ({ error }, where) => `${where} failed${error ? `: ${error}` : ''}`,
  'task.starting': event => `task started: ${taskIn(event)}`,
  'task.completed': event => `task done: ${taskIn(event)}`,
  'session.stalling': ({ evidence = '' }) => `no progress: ${evidence}`,
  'budget.reached': budgetEventWords,
  'session.paused': ({ until = '', kind = '', agent = '', reason = '' }, _, nowMs) =>
    `paused ${pauseWords({ until, kind, agent, reason }, nowMs)}`,
  'session.resumed': () => 'went on after the pause',
  'approval.requested': ({ question = '' }) => `a person was asked: ${question}`,
};

const taskIn = ({ content, taskId }: HookEvent): string => content ?? taskId ?? 'a task';
