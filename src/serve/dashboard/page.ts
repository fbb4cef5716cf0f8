import type { SessionView, StageView } from '../../model/view.ts';
import { timeOf } from '../../model/words.ts';
import { html, type Markup } from '../../people/page/html.ts';
import { type Page, renderFrame, style as sharedStyle } from '../../people/page/page-frame.ts';
import { scriptPath } from './refresh-script.ts';

export interface DashboardPage extends Page {
  /** When it was true; absent for pages that do not change. */
  nowMs?: number;
  /** Where it leads at once. */
  goesTo?: string;
}

/** `still`: it stays as it is until someone loads it again. */
export function renderPage(
  { title, state, tone, body, nowMs, goesTo }: DashboardPage,
  { still }: { still: boolean },
): string {
  const isLive = nowMs !== undefined && !still;
  return renderFrame({
    ...{ title: `${title} – Hookloop`, state, tone, style, body, home: '/' },
    head:
      goesTo === undefined
        ? isLive
          ? liveHead
          : undefined
        : html`<meta http-equiv="refresh" content="0;url=${goesTo}">`,
    notices: html`<p id="news" class="unseen" role="status"></p><p id="lost" role="alert" hidden></p>`,
    footer: html`${nowMs === undefined ? undefined : updateLine(nowMs, isLive)}<p>This page shows what is on the computer where hookloop serve runs, and changes nothing.</p>`,
  });
}

/** A script can leave alone what has not changed; loading the page again cannot, so it comes less often. */
const liveHead = html`<script src="${scriptPath}" defer></script><noscript><meta http-equiv="refresh" content="15"></noscript>`;

function updateLine(nowMs: number, isLive: boolean): Markup {
  const time = html`<time datetime="${new Date(nowMs).toISOString()}">${timeOf(new Date(nowMs).toISOString())}</time>`;
  return isLive
    ? html`<p>As of ${time}; it keeps itself up to date. <a href="?still">Stop that</a></p>`
    : html`<p>As of ${time}. <a href="?">Keep it up to date</a></p>`;
}

/** Colours that go with a state; the word itself always stands there too. */
export function toneOf(status: SessionView['status'] | StageView['status']): string {
  if (status === 'running') return 'running';
  if (status === 'completed') return 'approve';
  if (status === 'failed' || status === 'damaged' || status === 'lost') return 'reject';
  return ['stopped', 'interrupted', 'crashed'].includes(status) ? 'waiting' : 'still';
}

export const tag = (word: string, tone: string): Markup => html`<span class="state ${tone}">${word}</span>`;

export const pill = (status: SessionView['status'] | StageView['status']): Markup => tag(status, toneOf(status));

/** Names and values; what is undefined is left out. */
export function facts(rows: readonly (readonly [string, string | Markup | undefined])[]): Markup {
  const shown = rows.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  );
  return html`<dl class="facts">${shown}</dl>`;
}

/** A part of a page under its own heading; nothing where it holds nothing. */
export const section = (id: string, title: string, parts: readonly Markup[]): Markup | undefined =>
  parts.length === 0
    ? undefined
    : html`<section data-key="${id}" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${parts}</section>`;

/** Facts in one line; empty ones are left out. */
export const about = (...words: readonly string[]): Markup =>
  html`<span class="about">${words.filter(word => word !== '').join(' · ')}</span>`;

export const reasonLine = (text: string | undefined): Markup | undefined =>
  text ? html`<p class="reason">${text}</p>` : undefined;

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

/** What the dashboard has beyond the approval page. */
export const style = `${sharedStyle}
:root{--run:#1a5fb4;--run-bg:#e5eefa;--bar:#d9d7d0}
@media (prefers-color-scheme:dark){:root{--run:#9cc4f8;--run-bg:#1b2c42;--bar:#3a414b}}
header{flex-wrap:wrap}
main>h1{margin:.25rem 0 1.25rem}
section>h2{margin:1.75rem 0 .75rem;font-size:1.0625rem}
h3{font-size:1.0625rem;line-height:1.4;margin:0;overflow-wrap:anywhere}h1 .state,h3 .state,.line .state{vertical-align:middle;font-size:.8125rem;padding:.1rem .55rem;white-space:nowrap}
.running{color:var(--run);background:var(--run-bg)}
.asks{border-left:.3rem solid var(--wait)}
.facts{display:flex;flex-wrap:wrap;gap:.6rem 1.75rem;margin-top:.9rem}.facts div{min-width:0}
.facts dt{font-size:.8125rem}.facts dd{font-variant-numeric:tabular-nums}
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:.35rem .9rem;margin:.75rem 0 0;font-size:.9375rem;font-variant-numeric:tabular-nums}
.track{flex:1 1 12rem;height:.6rem;border-radius:99rem;background:var(--bar)}.ended{fill:var(--run)}.begun{fill:var(--run);opacity:.4}
.actions{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem 1rem;margin:1.1rem 0 0}
.button{display:inline-block;padding:.6rem 1.25rem;border-radius:.5rem;background:var(--go);color:var(--go-text);font-weight:600;text-decoration:none}.button:hover{text-decoration:underline}
.command{display:inline-block;padding:.2em .5em;line-height:1.6;user-select:all}
.about,.reason{color:var(--soft);font-weight:400;font-size:.9375rem;overflow-wrap:anywhere}.about{font-variant-numeric:tabular-nums}p.about{margin:0}h3 .path{display:inline-block}
.rows{list-style:none;margin:.75rem 0 0;padding:0}.rows>li{padding:.75rem 0;border-top:1px solid var(--line)}.rows>li:last-child{padding-bottom:0}.plain{margin:0}.plain>li:first-child{border:0;padding-top:0}
.line{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem .75rem;margin:0 0 .3rem;overflow-wrap:anywhere}.line a,.line strong{font-weight:600}
.reason{margin:0 0 .4rem}.rows .bar{margin:.1rem 0 .3rem}
.rows .rows{margin:.25rem 0 0}.rows .rows>li{border:0;padding:.2rem 0 .2rem 1rem}.rows .rows p{margin:0}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
#lost{flex-basis:100%;margin:0;padding:.6rem .9rem;border-radius:.4rem;color:var(--stop);background:var(--stop-bg)}#lost[hidden]{display:none}
@media (max-width:30rem){.button{flex:1 1 100%;text-align:center}.facts{gap:.5rem 1.25rem}}
`;
