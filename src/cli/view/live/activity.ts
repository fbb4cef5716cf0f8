import type { Notice } from '../../../model/notice.ts';
import { shortened } from '../../print/foreign.ts';
import { flat } from '../../print/table.ts';

/** What the agent is doing. */
export type Activity =
  /** It has not been prompted in this iteration: whatever goes on, it is not the agent. */
  | { kind: 'unprompted' }
  | { kind: 'idle' }
  /** Its prompt is ready. Whether it still starts or thinks already, nobody tells. */
  | { kind: 'silent'; sinceMs: number }
  | { kind: 'thinking'; sinceMs: number }
  | { kind: 'speaking'; paragraph: string; before: string }
  | { kind: 'working'; tools: readonly { id: string; title: string; sinceMs: number }[] };

export function followAgent(agent: Activity, notice: Notice, nowMs: number): Activity {
  switch (notice.type) {
    case 'iteration.starting':
      return { kind: 'unprompted' };
    case 'prompt.submitting':
      return { kind: 'silent', sinceMs: nowMs };
    case 'hook.finished':
      return agent.kind === 'silent' && notice.event === 'prompt.submitting' ? { ...agent, sinceMs: nowMs } : agent;
    case 'agent.message':
      return speaking(agent, notice.text);
    case 'agent.tool':
      return working(agent, notice, nowMs);
    case 'turn.ended':
    case 'iteration.completed':
    case 'iteration.failed':
    case 'session.ended':
      return { kind: 'idle' };
    default:
      return agent;
  }
}

/** What it says now, as one line. */
export const paragraphOf = ({ paragraph, before }: Extract<Activity, { kind: 'speaking' }>): string =>
  flat(paragraph) || flat(before);

/** Only the paragraph that grows is shown, and the one before it until there is something of the next. */
function speaking(agent: Activity, piece: string): Activity {
  const earlier = agent.kind === 'speaking' ? agent : { paragraph: '', before: '' };
  const paragraphs = `${earlier.paragraph}${piece}`.split('\n');
  const paragraph = paragraphs.pop()!.slice(-maxLength);
  const before = paragraphs.findLast(text => text.trim() !== '')?.slice(-maxLength) ?? earlier.before;
  return { kind: 'speaking', paragraph, before };
}

const maxLength = 2000;

function working(
  agent: Activity,
  { id, title, status }: Extract<Notice, { type: 'agent.tool' }>,
  nowMs: number,
): Activity {
  const tools = agent.kind === 'working' ? agent.tools : [];
  const sinceMs = tools.find(tool => tool.id === id)?.sinceMs ?? nowMs;
  const others = tools.filter(tool => tool.id !== id);
  if (status === 'pending' || status === 'running')
    return { kind: 'working', tools: [...others, { id, title: shortened(title), sinceMs }] };
  return others.length > 0 ? { kind: 'working', tools: others } : { kind: 'thinking', sinceMs: nowMs };
}
