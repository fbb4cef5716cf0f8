import { meaningOf } from '../../model/index.ts';
import { byWords } from '../../model/words.ts';
import type { Question } from '../../session/questions/questions.ts';
import { answeredMeaning, type Settlement } from '../../session/questions/settlement.ts';
import { html, type Markup } from './html.ts';
import { timeOf } from './times.ts';
import type { View } from './view.ts';

type News = Extract<View, { kind: 'settled' }>['news'];

/** How the question ended, in a word or two. */
export function wordOf(settlement: Settlement, question: Question): string {
  if (settlement.kind === 'answered') return answeredWords[answeredMeaning(settlement, question)];
  return settlement.kind === 'expired' ? 'Expired' : 'No longer asked';
}

const answeredWords = { approve: 'Approved', reject: 'Rejected' } as const;

export function outcomeBlock(settlement: Settlement, question: Question, news: News): Markup {
  const { tone, headline, lines } = partsOf(settlement, question, news);
  return html`<div class="outcome ${tone}" role="status"><strong>${headline}</strong>${lines}</div>`;
}

function partsOf(
  settlement: Settlement,
  question: Question,
  news: News,
): { tone: string; headline: string; lines: readonly Markup[] } {
  const tooLate = news === 'other' ? [html`<p>Your answer came too late and does not count.</p>`] : [];
  if (settlement.kind === 'expired') {
    const line = html`<p>Nobody answered before ${timeOf(settlement.at)}. The session goes by its own rule for that.</p>`;
    return { tone: 'still', headline: 'This question has expired', lines: [...tooLate, line] };
  }
  if (settlement.kind === 'withdrawn') {
    const line = html`<p>The session stopped asking at ${timeOf(settlement.at)}.</p>`;
    return { tone: 'still', headline: 'This question is no longer asked', lines: [...tooLate, line] };
  }
  const { action, message, at, by } = settlement;
  const meaning = answeredMeaning(settlement, question);
  const isPlain = meaningOf(action) === meaning;
  const word = `${answeredWords[meaning]}${isPlain ? '' : ` with “${action}”`}`;
  const said = message === '' ? [] : [html`<p class="said">“${message}”</p>`];
  return {
    tone: meaning,
    headline:
      news === 'recorded'
        ? `${word}. Thank you, your answer is recorded.`
        : `${word}${news === 'same' ? ', already recorded' : ''}`,
    lines: [...tooLate, html`<p>${timeOf(at)}${by ? `, ${byWords(by)}` : ''}</p>`, ...said],
  };
}
