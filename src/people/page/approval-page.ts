import { type AnswerMeaning, type AnswerWords, foldWord, meaningOf, ownWords } from '../../model/index.ts';
import { answeredMeaning, type ContextFile, type Question, type Settlement } from '../../model/question.ts';
import { byWords } from '../../model/words.ts';
import { durationOf, html, type Markup, timeOf } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import { notice, type Page, renderFrame, style } from './page-frame.ts';

/** What the page of a question says. */
export type View =
  | {
      kind: 'waiting';
      question: Question;
      context: readonly ContextFile[];
      /** The action of the link that was followed. */
      preselected?: string;
      /** Where the form goes instead of the address that names an action: a person may press another button. */
      formTo?: string;
      /** Why an answer was not taken. */
      problem?: string;
      nowMs: number;
    }
  | {
      kind: 'settled';
      question: Question;
      context: readonly ContextFile[];
      settlement: Settlement;
      /** `recorded`: by this request. `same`: before, with the same answer. `other`: before, and this request is too late. */
      news?: 'recorded' | 'same' | 'other';
    }
  | { kind: 'unknown' }
  | { kind: 'refused'; message: string };

/** A whole page that needs no script. `home` is the dashboard, for whoever comes from there. */
export function renderPage(view: View, home?: string): string {
  const page = pageOf(view);
  const back = home === undefined ? undefined : html`<p class="path"><a href="${home}">All sessions</a></p>`;
  return renderFrame({
    ...{ ...page, style, footer, home },
    title: `${page.state}: ${page.title}`,
    body: html`${back}${page.body}`,
  });
}

const footer = html`<p>This page comes from the computer where the session runs. It loads nothing from anywhere else.</p>`;

function pageOf(view: View): Page {
  switch (view.kind) {
    case 'waiting': {
      const { question, context, nowMs } = view;
      const body = html`${questionCard(question, nowMs, context.length > 0)}${contextCard(context)}${answerForm(view)}`;
      return { state: 'Waiting for an answer', tone: 'waiting', title: headingOf(question), body };
    }
    case 'settled': {
      const { question, context } = view;
      const { state, tone, block } = outcomeOf(view);
      const body = html`${block}${questionCard(question)}${contextCard(context)}`;
      return { state, tone, title: headingOf(question), body };
    }
    case 'unknown':
      return notice(
        'Not found',
        'There is no question here',
        html`The link is incomplete or wrong, or the question was asked long ago. To see what is waiting for an answer, run <code>hookloop approvals</code>.`,
      );
    case 'refused':
      return notice('Not accepted', 'This request was not accepted', html`${view.message}`);
  }
}

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

/** How the question ended, in a word or two and in full. */
function outcomeOf({ settlement, question, news }: Extract<View, { kind: 'settled' }>): {
  state: string;
  tone: string;
  block: Markup;
} {
  const block = (tone: string, headline: string, ...lines: readonly Markup[]): Markup =>
    html`<div class="outcome ${tone}" role="status"><strong>${headline}</strong>${news === 'other' ? tooLate : undefined}${lines}</div>`;
  if (settlement.kind === 'expired') {
    const line = html`<p>No one answered before ${timeOf(settlement.at)}. The session follows its own rule for that.</p>`;
    return { state: 'Expired', tone: 'still', block: block('still', 'This question has expired', line) };
  }
  if (settlement.kind === 'withdrawn') {
    const line = html`<p>The session stopped asking at ${timeOf(settlement.at)}.</p>`;
    return { state: 'No longer asked', tone: 'still', block: block('still', 'This question is no longer asked', line) };
  }
  const { action, message, at, by } = settlement;
  const meaning = answeredMeaning(settlement, question);
  const state = meaning === 'approve' ? 'Approved' : 'Rejected';
  const word = meaningOf(action) === meaning ? state : `${state} with “${action}”`;
  const headline =
    news === 'recorded'
      ? `${word}. Thank you, your answer is recorded.`
      : `${word}${news === 'same' ? ', already recorded' : ''}`;
  const given = html`<p>${timeOf(at)}${by ? `, ${byWords(by)}` : ''}</p>`;
  const said = message === '' ? html`` : html`<p class="said">“${message}”</p>`;
  return { state, tone: meaning, block: block(meaning, headline, given, said) };
}

const tooLate = html`<p>Your answer came too late and does not count.</p>`;

/** The files a question shows, the first one open. */
const contextCard = (files: readonly ContextFile[]): Markup | undefined =>
  files.length === 0
    ? undefined
    : html`<div class="card"><section class="context" aria-labelledby="context"><h2 id="context">Context</h2>${files.map(fileBlock)}</section></div>`;

/** A renderer that takes its time must not hold up a session. */
const maxRendered = 100_000;

function fileBlock(file: ContextFile, index: number): Markup {
  if (file.kind === 'not-shown')
    return html`<p class="missing"><code>${file.name}</code> is not shown: ${file.why}.</p>`;
  const left =
    file.leftOutBytes > 0 ? html`<p class="missing">${sizeOf(file.leftOutBytes)} more are not shown.</p>` : undefined;
  const open = { markup: index === 0 ? ' open' : '' };
  return html`<details${open}><summary>${file.name}</summary>${contentOf(file.name, file.text)}${left}</details>`;
}

function contentOf(name: string, text: string): Markup {
  if (text.trim() === '') return html`<p class="missing">The file is empty.</p>`;
  if (/\.(md|markdown)$/i.test(name) && text.length <= maxRendered)
    return html`<div class="prose">${renderMarkdown(text)}</div>`;
  const isDiff = /\.(diff|patch)$/i.test(name);
  return html`<pre tabindex="0" role="region" aria-label="${name}">${isDiff ? text.replace(/\n$/, '').split('\n').map(diffLine) : text}</pre>`;
}

/** The sign at its start says the same to whoever sees no colours. */
function diffLine(line: string): Markup {
  const kind = diffKinds.find(([start]) => start.test(line))?.[1];
  return kind ? html`<span class="${kind}">${line}\n</span>` : html`${line}\n`;
}

const diffKinds: readonly (readonly [RegExp, string])[] = [
  [/^(diff |index |--- |\+\+\+ |new file|deleted file|rename |similarity )/, 'head'],
  [/^@@/, 'hunk'],
  [/^\+/, 'added'],
  [/^-/, 'removed'],
];

const sizeOf = (bytes: number): string => (bytes < 1024 ? `${bytes} bytes` : `${Math.ceil(bytes / 1024)} KiB`);

/** The buttons; the one of the link that was followed stands first and stands out. It is pressed by a person or not at all. */
function answerForm({ question, preselected, formTo, problem }: Extract<View, { kind: 'waiting' }>): Markup {
  const asked = preselected?.trim() ?? '';
  const meaning = meaningOf(asked, question.actions);
  const choices = choicesOf(question.actions ?? {}, meaning && { word: asked, meaning });
  // Where the link names no answer, nothing may stand out that its author did not mean.
  const main = asked !== '' && meaning === undefined ? undefined : choices[0];
  const note =
    asked === ''
      ? undefined
      : html`<p class="note">${linkNote(asked, meaning)} Nothing is decided until you press a button.</p>`;
  const wrong =
    problem === undefined ? undefined : html`<p class="outcome reject" role="alert"><strong>${problem}</strong></p>`;
  return html`<form class="card" method="post"${formTo === undefined ? undefined : html` action="${formTo}"`} aria-labelledby="answer"><h2 id="answer" tabindex="-1">Your answer</h2>${wrong}${note}
<label for="message">Message <span>(optional, the session gets to see it)</span></label>
<textarea id="message" name="message" rows="3" maxlength="10000"></textarea>
<div class="buttons">${choices.map(choice => button(choice, choice === main))}</div>
<p class="hint">An answer counts once and cannot be taken back.</p></form>`;
}

const linkNote = (asked: string, meaning: AnswerMeaning | undefined): Markup =>
  meaning === undefined
    ? html`The link you followed names an action that is not an answer here.`
    : html`The link you followed suggests <strong>${asked}</strong>.`;

interface Choice {
  word: string;
  meaning: AnswerMeaning;
}

/** The hook's own words, else a yes and a no. A link's word takes the place of the first one that means the same. */
function choicesOf(own: AnswerWords, linked: Choice | undefined): Choice[] {
  const choices = (['approve', 'reject'] as const).flatMap(meaning => {
    const words = ownWords(own, meaning);
    return (words.length > 0 ? words : [meaning]).map((word): Choice => ({ word, meaning }));
  });
  if (!linked) return choices;
  const same =
    choices.find(({ word }) => foldWord(word) === foldWord(linked.word)) ??
    choices.find(({ meaning }) => meaning === linked.meaning);
  return [linked, ...choices.filter(choice => choice !== same)];
}

const button = ({ word, meaning }: Choice, isMain: boolean): Markup =>
  html`<button class="${meaning === 'approve' ? 'go' : 'no'}${isMain ? ' main' : ''}" name="action" value="${word}">${capital(word)}</button>`;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
