import type { Overview, Recent, Running, Waiting } from '../../app/overview.ts';
import { commandIn, type Project, sessionUrl } from '../../app/projects.ts';
import { goOnStep } from '../../model/next-steps.ts';
import { taskCountWords } from '../../model/task-count.ts';
import type { SessionBrief } from '../../model/view.ts';
import { counted, pauseWords, shortDuration, whenWords } from '../../model/words.ts';
import { durationOf, html, type Markup, timeOf } from '../../people/page/html.ts';
import { about, command, type DashboardPage, facts, iterationBar, pill, reasonLine, section, tag } from './page.ts';

export function overviewPage({ waiting, running, recent, nowMs }: Overview): DashboardPage {
  const { title, state, tone } = summaryOf(waiting.length, running.length);
  const asking = new Set(waiting.flatMap(({ at }) => (at ? [sessionUrl(at.project, at.session)] : [])));
  return {
    title,
    state,
    tone,
    nowMs,
    body: html`<h1>${title}</h1>
${section(
  'waiting',
  'Waiting for you',
  waiting.map(each => waitingCard(each, nowMs)),
)}
${section(
  'running',
  'Running',
  running.map(each => runningCard(each, asking, nowMs)),
)}
${section(
  'recent',
  'Recent',
  recent.map(each => projectCard(each, nowMs)),
)}
${running.length + recent.length === 0 ? nothingYet : undefined}`,
  };
}

function summaryOf(waiting: number, running: number): Pick<DashboardPage, 'title' | 'state' | 'tone'> {
  const runs = `${counted(running, 'session')} ${running === 1 ? 'is' : 'are'} running`;
  if (waiting > 0) {
    const title = `${counted(waiting, 'question')} ${waiting === 1 ? 'waits' : 'wait'} for you`;
    return { title, state: 'Waiting', tone: 'waiting' };
  }
  if (running > 0) return { title: runs, state: 'Running', tone: 'running' };
  return { title: 'Nothing is running', state: 'Quiet', tone: 'still' };
}

const nothingYet = html`<div class="card"><p class="question">No session has run yet, or none since this version was installed. <code>hookloop run</code> starts one, and it appears here.</p></div>`;

function waitingCard({ question: asked, at }: Waiting, nowMs: number): Markup {
  const { id, title, question, session, stage, iteration, since, expires } = asked;
  const where = [stage, iteration].filter(part => part !== undefined).join(' ');
  const deadline =
    expires === null ? 'never' : html`${timeOf(expires)} (in ${durationOf(Date.parse(expires) - nowMs)})`;
  return html`<article class="card asks" data-key="${id}"><h3><a href="/approval/${id}">${title ?? shortened(question)}</a></h3>
${title === undefined && shortened(question) === question ? undefined : html`<p class="question">${shortened(question, 600)}</p>`}
${facts([
  ['Session', at ? sessionLink(at.project, at.session) : session],
  ['Project', at?.project.path],
  ['At', where],
  ['Asked', `${durationOf(nowMs - Date.parse(since))} ago`],
  ['Expires', deadline],
])}
<p class="actions"><a class="button" href="/approval/${id}">Look and answer</a> ${command(`hookloop approve ${id}`)}</p></article>`;
}

const shortened = (text: string, most = 140): string => (text.length <= most ? text : `${text.slice(0, most)}…`);

function runningCard({ project, view, pid }: Running, asking: ReadonlySet<string>, nowMs: number): Markup {
  const { session, pipeline, agent, stages, tasks, children, durationMs } = view;
  const at = stages.findIndex(({ status }) => status === 'running');
  const stage = stages[at];
  const task = tasks.findLast(({ status }) => status === 'started');
  const child = children.filter(({ status }) => status === 'running').map(one => sessionLink(project, one.session));
  const url = sessionUrl(project, session);
  return html`<article class="card" data-key="${url}"><h3><a href="${url}">${session}</a> ${pill('running')}${asking.has(url) ? html` ${tag('waits for you', 'waiting')}` : undefined}</h3>
${stage && iterationBar(stage)}
${facts([
  ['Project', project.path],
  ['Stage', stage && `${stage.stage}${stages.length > 1 ? ` (${at + 1} of ${stages.length})` : ''}`],
  ['Task', task && `${task.id} ${task.content}`],
  ['Tasks', view.tasksTotal > 0 ? taskCountWords(view, false) : undefined],
  ['Child', child.length > 0 ? html`${child.map(link => html`${link} `)}` : undefined],
  ['Paused', view.paused && pauseWords(view.paused, nowMs)],
  ['Elapsed', shortDuration(durationMs)],
  ['Process', String(pid)],
  ['Pipeline', pipeline],
  ['Agent', [agent, ...(view.otherAgents ?? [])].join(', ')],
])}</article>`;
}

function projectCard({ project, sessions, more }: Recent, nowMs: number): Markup {
  const rest =
    more > 0
      ? html`<p class="hint">${counted(more, 'more session')}: ${command(commandIn(project, 'hookloop runs'))}</p>`
      : undefined;
  return html`<article class="card" data-key="${project.id}"><h3>${project.name} <span class="path">${project.path}</span></h3>
<ul class="rows">${sessions.map(brief => recentRow(project, brief, nowMs))}</ul>${rest}</article>`;
}

function recentRow(project: Project, brief: SessionBrief, nowMs: number): Markup {
  const { session, status, reason, startedAt, iterations, durationMs } = brief;
  const started = startedAt === undefined ? '' : `started ${whenWords(startedAt, nowMs)}`;
  const next = goOnStep(brief)?.command ?? `hookloop show ${session}`;
  return html`<li data-key="${session}"><p class="line">${sessionLink(project, session)} ${pill(status)} ${about(counted(iterations, 'iteration'), shortDuration(durationMs), started)}</p>
${reasonLine(reason && shortened(reason, 300))}${command(commandIn(project, next))}</li>`;
}

const sessionLink = (project: Project, session: string): Markup =>
  html`<a href="${sessionUrl(project, session)}">${session}</a>`;
