import { html, type Markup } from '../../people/page/html.ts';
import type { SessionView, StageView } from '../../session/state/view.ts';

/** Colours that go with a state; the word itself always stands there too. */
export function toneOf(status: SessionView['status'] | StageView['status']): string {
  if (status === 'running') return 'running';
  if (status === 'completed') return 'approve';
  if (status === 'failed' || status === 'damaged' || status === 'lost') return 'reject';
  return status === 'interrupted' || status === 'crashed' ? 'waiting' : 'still';
}

export const pill = (status: SessionView['status'] | StageView['status']): Markup =>
  html`<span class="state ${toneOf(status)}">${status}</span>`;

/** Names and values; what is undefined is left out. */
export function facts(rows: readonly (readonly [string, string | Markup | undefined])[]): Markup {
  const shown = rows.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  );
  return html`<dl class="facts">${shown}</dl>`;
}

/** A bar for the eyes and the same in words: what has ended, and paler what is on its way. 0 of 0 is nothing to show. */
export function iterationBar({ iterations, endedIterations, maxIterations, stage, status }: StageView): Markup {
  const count = `${iterations}${maxIterations > 0 ? ` of ${maxIterations}` : ''}`;
  const isInOne = status === 'running' && iterations > endedIterations;
  const words = isInOne ? `Iteration ${count}` : `${count} iterations`;
  const [begun, ended] = [iterations, endedIterations].map(number => Math.min(number, maxIterations));
  const bar =
    maxIterations > 0
      ? html`<svg class="track" role="progressbar" aria-label="Iterations of ${stage} that have ended" aria-valuenow="${ended}" aria-valuemin="0" aria-valuemax="${maxIterations}" viewBox="0 0 ${maxIterations} 1" preserveAspectRatio="none"><rect class="begun" width="${begun}" height="1"/><rect class="ended" width="${ended}" height="1"/></svg>`
      : undefined;
  return html`<p class="bar"><span>${words}</span>${bar}</p>`;
}

export const command = (text: string): Markup => html`<code class="command">${text}</code>`;
