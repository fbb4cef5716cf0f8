import type { StopAfter } from '../../../model/control.ts';
import type { EventName } from '../../../model/index.ts';
import type { HookOutput, Notice } from '../../../model/notice.ts';
import type { SessionProgress } from '../../print/progress.ts';
import { named, shortened } from '../../print/text.ts';

export interface RunningHook {
  hook: string;
  name: string;
  event: EventName;
  /** Whether the session waits for it. */
  wait: boolean;
  attempt: number;
  sinceMs: number;
  /** What it printed last. */
  lines: readonly string[];
}

/** What the live area shows. */
export interface View {
  progress: SessionProgress;
  /** Names of stages in the order in which they run; the ones seen so far where no one has told. */
  stages: readonly string[];
  agent: Activity;
  hooks: RunningHook[];
  /** What keys have opened: the help, or all that is known of a hook's output. */
  open: 'help' | 'output' | undefined;
  /** Until when, and why, no agent may go on. */
  paused: { until: string; kind: string; agent: string; reason: string } | undefined;
  /** When the session stops, as someone has asked. */
  stopping: StopAfter | undefined;
}

export const createView = (progress: SessionProgress, stages: readonly string[]): View => ({
  progress,
  stages,
  agent: { kind: 'idle' },
  hooks: [],
  open: undefined,
  paused: undefined,
  stopping: undefined,
});

/** Takes in a notice at the time it arrives; where the session is, `progress` has taken in already. */
export function followView(view: View, notice: Notice, nowMs: number): void {
  view.agent = followAgent(view.agent, notice, nowMs);
  switch (notice.type) {
    case 'session.paused': {
      const { until = '', kind = '', agent = '', reason = '' } = notice;
      view.paused = { until, kind, agent: named(agent), reason: shortened(reason, 500) };
      break;
    }
    case 'session.resumed':
    case 'session.ended':
      view.paused = undefined;
      break;
    case 'hook.started': {
      const { hook, event, wait, attempt } = notice;
      const known = view.hooks.find(
        running => running.hook === hook && running.event === event && running.attempt < attempt,
      );
      if (known) known.attempt = attempt;
      else
        view.hooks.push({
          hook,
          event,
          wait,
          attempt,
          name: named(notice.status ?? notice.name),
          sinceMs: nowMs,
          lines: [],
        });
      break;
    }
    case 'hook.finished': {
      const at = view.hooks.findIndex(({ hook, event }) => hook === notice.hook && event === notice.event);
      if (at !== -1) view.hooks.splice(at, 1);
      break;
    }
  }
}

/** Takes in what a running hook has printed. */
export function followOutput(view: View, { hook, event, lines }: HookOutput): void {
  const running = view.hooks.findLast(one => one.hook === hook && one.event === event);
  if (running) running.lines = lines;
}

/** What the agent is doing. */
type Activity =
  /** It has not been prompted in this iteration: whatever goes on, it is not the agent. */
  | { kind: 'unprompted' }
  | { kind: 'idle' }
  /** Its prompt is ready. Whether it still starts or thinks already, no one tells. */
  | { kind: 'silent'; sinceMs: number }
  | { kind: 'thinking'; sinceMs: number }
  | { kind: 'speaking'; line: string; sinceMs: number }
  | { kind: 'working'; tools: readonly { id: string; title: string; sinceMs: number }[] };

function followAgent(agent: Activity, notice: Notice, nowMs: number): Activity {
  switch (notice.type) {
    case 'iteration.starting':
      return { kind: 'unprompted' };
    case 'session.resumed':
    case 'prompt.submitting':
      return { kind: 'silent', sinceMs: nowMs };
    case 'hook.finished':
      return agent.kind === 'silent' && notice.event === 'prompt.submitting' ? { ...agent, sinceMs: nowMs } : agent;
    case 'agent.message':
      return speaking(agent, notice.text, nowMs);
    case 'agent.tool':
      return working(agent, notice, nowMs);
    case 'session.paused':
    case 'turn.ending':
    case 'turn.ended':
    case 'iteration.completed':
    case 'iteration.failed':
    case 'session.ended':
      return { kind: 'idle' };
    default:
      return agent;
  }
}

/** Only the line that grows is shown: those before it have scrolled up. */
function speaking(agent: Activity, piece: string, nowMs: number): Activity {
  const { line, sinceMs } = agent.kind === 'speaking' ? agent : { line: '', sinceMs: nowMs };
  return { kind: 'speaking', line: `${line}${piece}`.split('\n').pop()!.slice(-maxLength), sinceMs };
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
