import { timeOf } from '../../model/words.ts';
import { renderFrame, style as sharedStyle } from '../../people/page/frame.ts';
import { html, type Markup } from '../../people/page/html.ts';
import { scriptPath } from './script.ts';
import { ownStyle } from './style.ts';

/** What a page is about. */
export interface Page {
  title: string;
  state: string;
  tone: string;
  body: Markup;
  /** When it was true; absent for pages that do not change. */
  nowMs?: number;
  /** Where it leads at once. */
  goesTo?: string;
}

export const style = `${sharedStyle}${ownStyle}`;

/** `still`: it stays as it is until somebody loads it again. */
export function renderPage({ title, state, tone, body, nowMs, goesTo }: Page, { still }: { still: boolean }): string {
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
