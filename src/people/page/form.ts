import { type AnswerMeaning, type AnswerWords, foldWord, meaningOf, ownWords } from '../../model/index.ts';
import { html, type Markup } from './html.ts';
import type { View } from './view.ts';

/** The buttons; the one of the link that was followed stands first and stands out. It is pressed by a person or not at all. */
export function answerForm({ question, preselected, formTo, problem }: Extract<View, { kind: 'waiting' }>): Markup {
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
    ? html`The link you followed names an action that is no answer here.`
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
