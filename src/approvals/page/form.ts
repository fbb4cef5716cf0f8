import { directionOf } from '../store/answer.ts';
import { html, type Markup } from './html.ts';
import type { View } from './view.ts';

/** The buttons; the one of the link that was followed stands first and stands out. It is pressed by a person or not at all. */
export function answerForm({ preselected, problem }: Extract<View, { kind: 'waiting' }>): Markup {
  const asked = preselected?.trim() ?? '';
  const isWord = /^[A-Za-z0-9][A-Za-z0-9 _.-]{0,39}$/.test(asked);
  const direction = isWord ? directionOf(asked) : undefined;
  const approve = button('go', direction === 'approve' ? asked : 'approve', direction === 'approve' || !direction);
  const reject = button('no', direction === 'reject' ? asked : 'reject', direction === 'reject');
  const buttons =
    direction === 'other'
      ? [button('other', asked, true), approve, reject]
      : direction === 'reject'
        ? [reject, approve]
        : [approve, reject];
  const note = isWord
    ? html`<p class="note">The link you followed suggests <strong>${asked}</strong>. Nothing is decided until you press a button.</p>`
    : undefined;
  const wrong =
    problem === undefined ? undefined : html`<p class="outcome reject" role="alert"><strong>${problem}</strong></p>`;
  return html`<form class="card" method="post" aria-labelledby="answer"><h2 id="answer" tabindex="-1">Your answer</h2>${wrong}${note}
<label for="message">Message <span>(optional, the session gets to see it)</span></label>
<textarea id="message" name="message" rows="3" maxlength="10000"></textarea>
<div class="buttons">${buttons}</div>
<p class="hint">An answer counts once and cannot be taken back.</p></form>`;
}

const button = (tone: 'go' | 'no' | 'other', action: string, isMain: boolean): Markup =>
  html`<button class="${tone}${isMain ? ' main' : ''}" name="action" value="${action}">${capital(action)}</button>`;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
