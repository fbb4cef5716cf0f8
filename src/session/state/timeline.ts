import { decisionIdOf, type Firings } from '../../model/decision-id.ts';
import type { HookEvent } from '../../model/index.ts';
import type { SessionEntry } from '../../model/record.ts';
import { budgetEventWords } from '../../model/spent-words.ts';
import type { TimelineItem } from '../../model/view.ts';
import { pauseWords } from '../../model/words.ts';

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
      return entry.from === undefined ? undefined : { at, type: entry.kind, text: changeOfAgent(entry) };
    case 'event': {
      const { name, stage, iteration, content, taskId, question, error, evidence } = entry.event;
      const where = stage === undefined ? '' : `${stage}${iteration === undefined ? '' : ` ${iteration}`}`;
      const words = eventTexts[name]?.({
        where,
        task: content ?? taskId ?? 'a task',
        question: question ?? '',
        error: error ?? '',
        evidence: evidence ?? '',
        budget: budgetEventWords(entry.event),
        pause: entry.event,
        nowMs: Date.parse(at),
      });
      return words === undefined ? undefined : { at, type: name, text: words, id: entry.seq };
    }
    default:
      return undefined;
  }
}

interface Facts {
  where: string;
  task: string;
  question: string;
  error: string;
  evidence: string;
  budget: string;
  pause: HookEvent;
  nowMs: number;
}

const changeOfAgent = ({ agent, from = '', reason }: Extract<SessionEntry, { kind: 'agent.chosen' }>): string =>
  reason === undefined ? `${agent} works again, after ${from}` : `${agent} takes over from ${from}: ${reason}`;

const eventTexts: Readonly<Record<string, ((facts: Facts) => string) | undefined>> = {
  'iteration.starting': ({ where }) => `${where} started`,
  'iteration.completed': ({ where }) => `${where} completed`,
  'iteration.failed': ({ where, error }) => `${where} failed${error === '' ? '' : `: ${error}`}`,
  'task.starting': ({ task }) => `task started: ${task}`,
  'task.completed': ({ task }) => `task done: ${task}`,
  'session.stalling': ({ evidence }) => `no progress: ${evidence}`,
  'budget.reached': ({ budget }) => budget,
  'session.paused': ({ pause: { until = '', kind = '', agent = '', reason = '' }, nowMs }) =>
    `paused ${pauseWords({ until, kind, agent, reason }, nowMs)}`,
  'session.resumed': () => 'went on after the pause',
  'approval.requested': ({ question }) => `a person was asked: ${question}`,
};
