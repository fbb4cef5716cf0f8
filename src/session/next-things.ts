import type { About } from '../model/explanation.ts';
import type { EventName, HookEvent } from '../model/index.ts';
import type { SessionEntry } from '../model/record.ts';
import { fileOf, shellTextOf } from '../model/tool-call.ts';
import { limitWords } from '../model/words.ts';

/** What was decided, and what about. */
interface Decided {
  event: EventName;
  about: About;
}

interface Thing {
  type: string;
  text: string;
  /** It says how the matter ended. */
  isLast?: boolean;
}

/** What an entry says of what the agent did after a decision, and of how that ended; undefined: nothing. */
export function nextThing(entry: SessionEntry, decided: Decided): Thing | undefined {
  switch (entry.kind) {
    case 'agent.message':
      return { type: entry.kind, text: entry.text };
    case 'agent.tool':
      return {
        type: entry.kind,
        text: `${toolText(entry)}${entry.status === 'completed' ? '' : ` (${entry.status})`}`,
      };
    case 'agent.limited':
      return { type: entry.kind, text: `${limitWords({ ...entry, kind: entry.limit })}, until ${entry.until}` };
    case 'agent.chosen':
      return entry.from === undefined ? undefined : { type: entry.kind, text: `${entry.agent} took over` };
    case 'event':
      return eventThing(entry.event, decided);
    case 'event.decided': {
      if (entry.decision.kind === 'proceed') return undefined;
      const text = entry.event === decided.event ? 'it was refused again' : `${entry.event} was refused`;
      return { type: entry.kind, text, isLast: entry.event === decided.event };
    }
    case 'session.closed':
      return {
        type: 'run.ended',
        text: `the session ended: ${entry.status}${entry.reason ? `, ${entry.reason}` : ''}`,
        isLast: true,
      };
    default:
      return undefined;
  }
}

const toolText = ({ tool, input }: { tool: string; input?: unknown }): string =>
  `${tool} ${shellTextOf(input) ?? fileOf(input) ?? ''}`.trim();

function eventThing(event: HookEvent, { event: asked, about }: Decided): Thing | undefined {
  const text = endings[event.name];
  if (text !== undefined) {
    const isOther = event.taskId !== undefined && about.task !== undefined && event.taskId !== about.task;
    return { type: event.name, text: `${text}${event.error ? `: ${event.error}` : ''}`, isLast: !isOther };
  }
  // Of tool calls the record tells that the agent leaves when they have ended.
  if (event.name !== asked || event.tool !== undefined) return undefined;
  return { type: event.name, text: 'the hooks were asked again' };
}

/** Whatever was decided before them is over. */
const endings: Partial<Readonly<Record<EventName, string>>> = {
  'task.completed': 'the task is done',
  'iteration.completed': 'the iteration is completed',
  'iteration.failed': 'the iteration failed',
  'stage.completed': 'the stage is completed',
  'session.completed': 'the session is completed',
  'session.failed': 'the session failed',
};
