import { html, type Markup } from '../../people/page/html.ts';
import type { Page } from './page.ts';
import { command } from './words.ts';

const notice = (state: string, title: string, text: Markup): Page => ({
  state,
  tone: 'still',
  title,
  body: html`<div class="card"><h1>${title}</h1><p class="question">${text}</p></div>`,
});

export const expired: Page = notice(
  'Closed',
  'This page needs a new link',
  html`It shows what your sessions do, so it opens only with a link that this computer gives you. Links work for ten minutes, and what they open for a day. ${command('hookloop serve --link')} prints one.`,
);

/** With something behind the question mark it is not shown again. */
export const bounce: Page = {
  ...notice('One moment', 'One moment', html`<a href="?again">Go on</a>`),
  goesTo: '?again',
};

export const stranger: Page = notice(
  'Not accepted',
  'This request was not accepted',
  html`It comes from another web page, from another user of this computer, or from somebody of whom this computer does not tell who it is.`,
);

export const notFound: Page = notice(
  'Not found',
  'There is nothing here',
  html`The session is gone, or the address is not complete. <a href="/">All sessions</a>`,
);

export const unanswerable = (id: string): Page =>
  notice(
    'Not found',
    'There is no page for this question',
    html`It was asked long ago, or nobody serves its page now. ${command(`hookloop approve ${id}`)} answers it, ${command('hookloop approvals')} shows what waits.`,
  );
