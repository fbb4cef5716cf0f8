import type { EventFields, EventName } from '../../model/index.ts';
import { budgetEventWords } from '../../model/spent-words.ts';
import { type TaskCount, taskCountWords } from '../../model/task-count.ts';
import { fileOf, shellTextOf, unheardEnd } from '../../model/tool-call.ts';
import { byWords, counted, durationWords, pauseWords } from '../../model/words.ts';
import type { SessionProgress } from './progress.ts';
import { firstLinesAndMore, named, shortened, taskId } from './text.ts';

/** What kind of news a line is; decides its sign and colour. `said`: its text is a line of what the agent says. */
export type Mark = 'begun' | 'done' | 'failed' | 'refused' | 'asked' | 'note' | 'said';

/** One thing that happened, in words that are safe to print. */
export interface Told {
  mark: Mark;
  text: string;
  /** More exactly, where there is room for it. */
  aside?: string;
  /** Where it belongs, if that is not where the session is. */
  position?: string;
  /** Lines that stand under it. */
  details?: readonly string[];
  /** Takes one line, however narrow the terminal is. */
  isShort?: true;
  /** Goes on with what the agent has said before. */
  continues?: boolean;
  /** Stays on the terminal when the live view has moved on. */
  lasting?: true;
}

export type EventNotice = {
  type: EventName;
  approval?: string;
  session: string;
} & Partial<TaskCount> &
  Omit<EventFields, 'session'>;

/** What an event is to people; undefined for those that only hooks care for. */
export function eventWords(notice: EventNotice, progress: SessionProgress): Told | undefined {
  return words[notice.type]?.(notice, progress);
}

/** What hooks of the event are asked about. */
export function subjectOf(event: EventName, { calling, task, iteration }: SessionProgress): string {
  if (event === 'tool.calling' || event === 'permission.requesting')
    return calling ? toolWords(calling.tool, calling.input) : 'the tool call';
  if (event.startsWith('task.') && task) return taskName(task.id) || 'the task';
  if (event.startsWith('iteration.') && iteration !== undefined) return `iteration ${iteration}`;
  return subjects[event.split('.')[0]!] ?? event;
}

export function toolWords(tool: string, input: unknown): string {
  return shortened(`${tool} ${shellTextOf(input) ?? fileOf(input) ?? ''}`, 100);
}

/** What a person is asked. */
export const approvalWords = ({ approval, title, question }: Asked, line = (text: string) => shortened(text)): string =>
  [title, question]
    .map(text => line(text ?? ''))
    .filter(text => text !== '')
    .join(': ') || (approval === undefined ? 'an approval' : 'Approve?');

type Asked = { [Key in 'approval' | 'title' | 'question']?: string | undefined };

export interface Answer {
  action: string;
  message: string;
  by?: string;
  title?: string | undefined;
  question?: string | undefined;
}

/** What a person's answer to an agent or a script is to people. */
export function answerWords({ action, message, by, ...asked }: Answer): Told {
  const isYes = action === 'approve';
  const who = by ? ` ${byWords(shortened(by))}` : '';
  const said = message.trim() === '' ? '' : ` (${shortened(message)})`;
  return {
    mark: isYes ? 'done' : 'refused',
    text: `${isYes ? 'approved' : 'rejected'}${who}: ${approvalWords(asked)}${said}`,
    lasting: true,
  };
}

const subjects: Readonly<Record<string, string>> = {
  session: 'the session',
  stage: 'the stage',
  turn: "the end of the agent's turn",
  prompt: 'the prompt',
  step: 'the step',
  branch: 'the branch',
  commit: 'the commit',
};

type Words = (notice: EventNotice, progress: SessionProgress) => Told;

const words: Partial<Readonly<Record<EventName, Words>>> = {
  'session.starting': ({ session }) => begun(`session ${named(session)} starts`),
  'session.completed': () => ({ mark: 'done', text: 'session completed' }),
  'session.failed': ({ error }) => failed('session failed', error),
  'session.ended': () => note('session ended'),
  'session.stalling': ({ evidence = '' }) => ({
    mark: 'refused',
    text: `no progress${because(evidence)}`,
    lasting: true,
  }),
  'budget.reached': notice => ({
    mark: notice.level === 'reached' ? 'refused' : 'note',
    text: budgetEventWords(notice),
    lasting: true,
  }),
  'session.paused': ({ agent = 'the agent', kind = 'usage', until = '', reason = '' }, { nowMs }) => ({
    mark: 'note',
    text: `paused ${shortened(pauseWords({ agent, kind, until, reason }, nowMs), 500)}`,
    lasting: true,
  }),
  'session.resumed': ({ duration }) => ({
    mark: 'begun',
    text: `session goes on${duration === undefined ? '' : ` after a pause of ${durationWords(duration)}`}`,
    lasting: true,
  }),
  'plan.completed': () => ({ mark: 'done', text: 'plan completed', lasting: true }),
  'stage.starting': () => ({ ...begun('stage starts'), lasting: true }),
  'stage.completed': ({ nextStage, duration }, { stageSinceMs, nowMs }) => ({
    mark: 'done',
    text: `stage completed in ${durationWords(duration ?? nowMs - stageSinceMs)}${nextStage ? `, next is ${named(nextStage)}` : ''}`,
    lasting: true,
  }),
  'iteration.starting': () => begun('iteration starts'),
  'iteration.completed': ({ changedFiles = [], lastDecision, decidedBy }, { iterationSinceMs, nowMs }) => ({
    mark: 'done',
    text: [
      `iteration completed in ${durationWords(nowMs - iterationSinceMs)}`,
      ...(changedFiles.length > 0 ? [`${counted(changedFiles.length, 'file')} changed`] : []),
      ...(lastDecision === 'stop' ? [decidedBy === 'judge' ? 'the judge says done' : 'the agent wants to stop'] : []),
    ].join(', '),
    lasting: true,
  }),
  'iteration.failed': ({ error }, { iterationSinceMs, nowMs }) => ({
    ...failed(`iteration failed after ${durationWords(nowMs - iterationSinceMs)}`, error),
    lasting: true,
  }),
  'step.dispatching': ({ title, content }) => begun(`step starts${because(title ?? content)}`),
  'task.starting': notice => ({ ...begun(`${task(notice)} starts${because(notice.content)}`), lasting: true }),
  'task.completing': notice =>
    begun(notice.content === undefined ? 'the gates are asked' : `${task(notice)} is checked`),
  'task.completed': notice => ({
    mark: 'done',
    text: `${task(notice)} done${because(notice.content)}`,
    ...(notice.tasksTotal !== undefined && {
      aside: taskCountWords({ tasksDone: 0, tasksFailed: 0, ...notice, tasksTotal: notice.tasksTotal }),
    }),
    lasting: true,
  }),
  'turn.ended': () => note('the agent has ended its turn'),
  'prompt.submitting': () => begun('the prompt is ready'),
  'tool.calling': ({ tool = '', input }) => begun(`tool ${toolWords(tool, input)}`),
  'tool.failed': ({ tool = '', input, error }) =>
    note(`tool ${toolWords(tool, input)}${error === unheardEnd ? '' : ' failed'}${because(error)}`),
  'file.edited': ({ file = '' }) => note(`${shortened(file, 100)} edited`),
  'approval.requested': notice => ({
    mark: 'asked',
    text: `asks a person: ${approvalWords(notice)}`,
    details: notice.approval === undefined ? [] : [`answer with: hookloop approve ${shortened(notice.approval)}`],
  }),
  'permission.requesting': ({ tool = '', input }) => begun(`permission for ${toolWords(tool, input)} is asked for`),
  'score.recorded': ({ score, target }) => ({
    mark: 'note',
    text: `score ${score ?? 'unknown'}${target === undefined ? '' : `, target ${target}`}`,
    lasting: true,
  }),
  'teammate.idling': ({ agent = 'a teammate' }) => note(`${named(agent)} has nothing to do`),
  'branch.creating': () => begun('a branch is created'),
  'commit.creating': () => begun('a commit is created'),
};

const begun = (text: string): Told => ({ mark: 'begun', text });
export const note = (text: string): Told => ({ mark: 'note', text });
/** What a hook printed stands under the line. */
function failed(text: string, error = ''): Told {
  const [first, ...details] = firstLinesAndMore(error, maxErrorLines);
  return { mark: 'failed', text: `${text}${because(first)}`, ...(details.length > 0 && { details }) };
}
const maxErrorLines = 8;
const task = ({ taskId: id = '' }: EventNotice): string => taskName(id) || 'task';
const taskName = (id: string): string => (taskId(id) === '' ? '' : `task ${id}`);
const because = (text: string | undefined): string => (text?.trim() ? `: ${shortened(text)}` : '');
