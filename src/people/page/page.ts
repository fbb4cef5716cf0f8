import type { Question } from '../../session/questions/questions.ts';
import { answeredMeaning } from '../../session/questions/settlement.ts';
import { contextSection } from './context.ts';
import { answerForm } from './form.ts';
import { renderFrame } from './frame.ts';
import { html, type Markup } from './html.ts';
import { outcomeBlock, wordOf } from './outcome.ts';
import { style } from './style.ts';
import { durationOf, timeOf } from './times.ts';
import type { View } from './view.ts';

/** A whole page that needs no script. `home` is the dashboard, for who comes from there. */
export function renderPage(view: View, home?: string): string {
  const { state, tone, title, body } = partsOf(view);
  const back = home === undefined ? undefined : html`<p class="path"><a href="${home}">All sessions</a></p>`;
  return renderFrame({
    ...{ title: `${state}: ${title}`, state, tone, style, footer, body: html`${back}${body}` },
    ...(home !== undefined && { home }),
  });
}

const footer = html`<p>This page stands on the computer where the session runs. It loads nothing from elsewhere.</p>`;

interface Parts {
  state: string;
  tone: 'waiting' | 'approve' | 'reject' | 'still';
  title: string;
  body: Markup;
}

function partsOf(view: View): Parts {
  switch (view.kind) {
    case 'waiting': {
      const { question, context, nowMs } = view;
      const body = html`${questionCard(question, nowMs, context.length > 0)}${contextCard(context)}${answerForm(view)}`;
      return { state: 'Waiting for an answer', tone: 'waiting', title: headingOf(question), body };
    }
    case 'settled': {
      const { question, context, settlement, news } = view;
      const body = html`${outcomeBlock(settlement, question, news)}${questionCard(question)}${contextCard(context)}`;
      const tone = settlement.kind === 'answered' ? answeredMeaning(settlement, question) : 'still';
      return { state: wordOf(settlement, question), tone, title: headingOf(question), body };
    }
    case 'unknown':
      return notice(
        'Not found',
        'There is no question here',
        'The link is not complete, it is wrong, or the question was asked long ago. To see what waits for an answer, run',
        html` <code>hookloop approvals</code>.`,
      );
    case 'refused':
      return notice('Not accepted', 'This request was not accepted', view.message);
  }
}

const notice = (state: string, title: string, text: string, more?: Markup): Parts => ({
  state,
  tone: 'still',
  title,
  body: html`<div class="card"><h1>${title}</h1><p class="question">${text}${more}</p></div>`,
});

/** A long question is no heading: it stands below one. */
const headingOf = ({ title, question }: Question): string =>
  title ?? (isShort(question) ? question : 'A session asks for your answer');

const isShort = (question: string): boolean => question.length <= 140 && !question.includes('\n');

function questionCard(question: Question, nowMs?: number, isFarFromAnswer = false): Markup {
  const { title, session, stage, iteration, hook, since, expires } = question;
  const left = nowMs !== undefined && expires !== null ? ` (in ${durationOf(Date.parse(expires) - nowMs)})` : '';
  const rows: readonly (readonly [string, string | Markup | undefined])[] = [
    ['Session', session],
    ['Stage', stage],
    ['Iteration', iteration === undefined ? undefined : String(iteration)],
    ['Asked by', hook],
    ['Asked', timeOf(since)],
    ['Expires', nowMs === undefined ? undefined : expires === null ? 'never' : html`${timeOf(expires)}${left}`],
  ];
  const shown = rows.flatMap(([name, value]) => (value === undefined ? [] : html`<dt>${name}</dt><dd>${value}</dd>`));
  const jump = isFarFromAnswer ? html`<p class="jump"><a href="#answer">Go to the answer</a></p>` : undefined;
  const asked =
    title === undefined && isShort(question.question) ? undefined : html`<p class="question">${question.question}</p>`;
  return html`<div class="card"><h1>${headingOf(question)}</h1>${asked}<dl>${shown}</dl>${jump}</div>`;
}

function contextCard(context: Parameters<typeof contextSection>[0]): Markup | undefined {
  const section = contextSection(context);
  return section && html`<div class="card">${section}</div>`;
}
