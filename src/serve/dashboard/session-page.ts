import type { SessionFacts } from '../../app/overview.ts';
import { commandIn, type Project, sessionUrl } from '../../app/projects.ts';
import { nextSteps } from '../../model/next-steps.ts';
import type { Task } from '../../model/record.ts';
import {
  type ApprovalView,
  type HookView,
  isRefusal,
  isSameFiring,
  type SessionBrief,
  type SessionView,
  type StageView,
} from '../../model/view.ts';
import {
  byWords,
  timeOf as clockOf,
  counted,
  hookCounts,
  hookMarks,
  pauseWords,
  resultWords,
  shortDuration,
  stageReason,
  whenWords,
} from '../../model/words.ts';
import { html, type Markup, timeOf } from '../../people/page/html.ts';
import {
  about,
  command,
  type DashboardPage,
  facts,
  iterationBar,
  pill,
  reasonLine,
  section,
  tag,
  toneOf,
} from './page.ts';

/** Everything that `hookloop show` tells about a session. */
export function sessionPage({ project, view, pid, parent, open, nowMs }: SessionFacts): DashboardPage {
  const { session, status, stages, tasks, approvals, children } = view;
  return {
    title: `${session}: ${status}`,
    state: status,
    tone: toneOf(status),
    nowMs,
    body: html`<p class="path"><a href="/">All sessions</a>${parent && html` / <a href="${sessionUrl(project, parent)}">${parent}</a>`}</p>
<div class="card"><h1>${session} ${pill(status)}</h1>${aboutSession({ project, view, pid, nowMs })}</div>
${block(
  'approvals',
  'Questions',
  approvals.map(approval => approvalRow(approval, open)),
)}
${block('stages', 'Stages', stages.map(stageRow))}
${block('tasks', 'Tasks', tasks.map(taskRow))}
${block(
  'children',
  'Children',
  children.map(child => childRow(project, child, nowMs)),
)}
${block('hooks', 'Hooks', hookRows(view, project))}
${block(
  'next',
  'Next',
  nextSteps(view).map(step => nextRow(project, step)),
)}`,
  };
}

const block = (id: string, title: string, rows: readonly Markup[]): Markup | undefined =>
  section(id, title, rows.length === 0 ? [] : [html`<div class="card"><ul class="rows plain">${rows}</ul></div>`]);

function aboutSession({ project, view, pid, nowMs }: Pick<SessionFacts, 'project' | 'view' | 'pid' | 'nowMs'>): Markup {
  const { reason, paused, pipeline, agent, otherAgents = [], startedAt, endedAt, runs, durationMs, iterations } = view;
  return html`${reason === undefined ? undefined : html`<p class="question">${reason}</p>`}${facts([
    ['Project', project.path],
    ['Pipeline', pipeline],
    ['Agent', [agent, ...otherAgents].join(', ')],
    ['Paused', paused && pauseWords(paused, nowMs)],
    ['Started', startedAt === undefined ? undefined : timeOf(startedAt)],
    ['Ended', endedAt === undefined ? undefined : timeOf(endedAt)],
    [pid === undefined ? 'Took' : 'Elapsed', startedAt === undefined ? undefined : shortDuration(durationMs)],
    ['Process', pid === undefined ? undefined : String(pid)],
    ['Processes', runs > 1 ? String(runs) : undefined],
    ['Iterations', String(iterations)],
    ['Hooks', hookCounts(view)],
  ])}`;
}

function stageRow(stage: StageView): Markup {
  const { status, iterations, failedIterations, durationMs, reason = '' } = stage;
  const failed = failedIterations > 0 ? `${failedIterations} failed` : '';
  const took = iterations > 0 || durationMs > 0 ? shortDuration(durationMs) : '';
  return html`<li><p class="line"><strong>${stage.stage}</strong> ${pill(status)} ${about(failed, took, stageReason(reason))}</p>${iterationBar(stage)}</li>`;
}

const taskRow = ({ id, content, status, note }: Task): Markup =>
  html`<li><p class="line"><strong>${id}</strong> ${tag(status, taskTones[status])} <span>${content}</span></p>${reasonLine(note)}</li>`;

const taskTones: Readonly<Record<Task['status'], string>> = {
  open: 'still',
  started: 'running',
  done: 'approve',
  failed: 'reject',
  dropped: 'still',
};

function approvalRow(
  { id, title, question, status, since, answer, message, by, at }: ApprovalView,
  open: ReadonlySet<string>,
): Markup {
  const isOpen = status === 'waiting' && open.has(id);
  const ended = status === 'answered' && answer ? `answered ${answer}` : status;
  const given = at === undefined ? undefined : html`<p class="about">${timeOf(at)}${by ? `, ${byWords(by)}` : ''}</p>`;
  const [asked = 'Approve?', more] = [title ?? '', question].filter(text => text !== '');
  return html`<li><p class="line">${tag(ended, isOpen ? 'waiting' : 'still')} ${isOpen ? html`<a href="/approval/${id}">${asked}</a>` : html`<span>${asked}</span>`} ${about(clockOf(since), id)}</p>${reasonLine(more)}${given}${reasonLine(message && `“${message}”`)}</li>`;
}

function childRow(project: Project, child: SessionBrief, nowMs: number): Markup {
  const { session, status, reason, pipeline, iterations, durationMs, startedAt, children } = child;
  const counts = [counted(iterations, 'iteration'), `hooks ${hookCounts(child)}`];
  const words = about(pipeline, ...counts, shortDuration(durationMs), whenWords(startedAt, nowMs));
  const below =
    children.length === 0
      ? undefined
      : html`<ul class="rows">${children.map(each => childRow(project, each, nowMs))}</ul>`;
  return html`<li><p class="line"><a href="${sessionUrl(project, session)}">${session.slice(session.lastIndexOf('/') + 1)}</a> ${pill(status)} ${words}</p>${reasonLine(reason)}${below}</li>`;
}

const nextRow = (project: Project, { command: text, meaning, isLocal }: ReturnType<typeof nextSteps>[number]): Markup =>
  html`<li>${reasonLine(meaning)}${command(isLocal ? commandIn(project, text) : text)}</li>`;

const shownRuns = 100;

/** The last runs of hooks, those of one event together, the newest first; `log` has them all. */
function hookRows({ hooks, session }: SessionView, project: Project): Markup[] {
  const firings: HookView[][] = [];
  for (const hook of hooks.slice(-shownRuns)) {
    const last = firings.at(-1);
    if (last && isSameFiring(hook, last[0])) last.push(hook);
    else firings.push([hook]);
  }
  const earlier = hooks.length - shownRuns;
  const rest = html`<li>${reasonLine(`${earlier} earlier runs`)}${command(commandIn(project, `hookloop log ${session} --hooks`))}</li>`;
  return [...firings.reverse().map(firingRow), ...(earlier > 0 ? [rest] : [])];
}

function firingRow(hooks: readonly HookView[]): Markup {
  const { at, event, stage, iteration } = hooks[0]!;
  const where = stage === undefined ? '' : ` in ${stage}${iteration === undefined ? '' : ` ${iteration}`}`;
  return html`<li><p class="about">${clockOf(at)} · ${event}${where}</p><ul class="rows">${hooks.map(hookRow)}</ul></li>`;
}

function hookRow(hook: HookView): Markup {
  const took = hook.durationMs === undefined ? '' : shortDuration(hook.durationMs);
  const reason = hook.verdict && 'reason' in hook.verdict ? hook.verdict.reason : '';
  return html`<li><p class="line"><strong>${hook.name}</strong> ${tag(resultWords(hook), hookTone(hook))} ${about(took, hookMarks(hook))}</p>${reasonLine(reason)}</li>`;
}

function hookTone(hook: HookView): string {
  if (isRefusal(hook)) return 'reject';
  if (hook.verdict?.kind === 'failed' || hook.status === 'unfinished') return 'waiting';
  if (hook.status === 'running') return 'running';
  return hook.verdict?.kind === 'passed' ? 'approve' : 'still';
}
