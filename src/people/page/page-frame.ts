import { createHash } from 'node:crypto';
import { html, type Markup } from './html.ts';

/** What a page says, without what is around it. */
export interface Page {
  title: string;
  /** In a word or two, and how good that is. */
  state: string;
  tone: string;
  body: Markup;
}

export interface Frame extends Page {
  style: string;
  footer: Markup;
  /** Where the name of the product leads. */
  home?: string | undefined;
  head?: Markup | undefined;
  /** Below the bar at the top, outside what the page is about. */
  notices?: Markup;
}

/** What all pages for people have in common. Their only style stands in them, so that nothing is fetched. */
export const renderFrame = ({ title, state, tone, style, body, footer, home, head, notices }: Frame): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${{ markup: style }}</style>${head}</head>
<body><header>${brand(home)}<span class="state ${tone}">${state}</span>${notices}</header>
<main>${body}</main>
<footer>${footer}</footer></body></html>
`.markup;

/** A page that only says why there is nothing else on it. */
export const notice = (state: string, title: string, text: Markup): Page => ({
  ...{ state, tone: 'still', title },
  body: html`<div class="card"><h1>${title}</h1><p class="question">${text}</p></div>`,
});

/**
 * What keeps a page from being framed, sniffed, kept, or made to load anything but its own style and what `allowed`
 * names. With the referrer policy `no-referrer` browsers send `Origin: null` with our own form, which would then be refused.
 */
export const pageHeaders = (ownStyle: string, ...allowed: readonly string[]): Readonly<Record<string, string>> => ({
  // What is left of a body that was not read must not be taken for the next request.
  connection: 'close',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(ownStyle).digest('base64')}'`,
    ...allowed,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
});

const brand = (home: string | undefined): Markup =>
  home === undefined ? html`<span class="brand">Hookloop</span>` : html`<a class="brand" href="${home}">Hookloop</a>`;

/** All of the page's looks; nothing is fetched from anywhere. */
export const style = `
:root{color-scheme:light dark;--bg:#f6f5f2;--card:#fff;--text:#1d2127;--soft:#5a616b;--line:#dcdad4;--code:#f4f3ef;--link:#1a5fb4;
--go:#1b6e3c;--go-text:#fff;--stop:#a3262a;--wait:#7a4d00;--wait-bg:#fdf3dc;--go-bg:#e4f4e9;--stop-bg:#fbe9e8;--still:#4d545e;--still-bg:#ecebe7;
--added:#0d5c2b;--added-bg:#e3f5e8;--removed:#8f1f23;--removed-bg:#fbe8e7;--hunk:#5b3a8e}
@media (prefers-color-scheme:dark){:root{--bg:#14171b;--card:#1c2026;--text:#e8e6e1;--soft:#a6adb7;--line:#353b44;--code:#15181d;--link:#8ab8f5;
--go:#6fce93;--go-text:#0c1f13;--stop:#ff9d98;--wait:#f1c871;--wait-bg:#3a2f17;--go-bg:#183524;--stop-bg:#412122;--still:#c3c8cf;--still-bg:#2b3038;
--added:#8fe0ab;--added-bg:#16301f;--removed:#ffb0ac;--removed-bg:#3a2022;--hunk:#c9aef5}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
header,main,footer{max-width:46rem;margin:0 auto;padding:0 1rem}
header{display:flex;justify-content:space-between;align-items:center;gap:1rem;padding-top:1.25rem;padding-bottom:.75rem}
header .brand{font-weight:600;letter-spacing:.01em;color:var(--soft)}a.brand{text-decoration:none}a.brand:hover{text-decoration:underline}
.path{color:var(--soft);font-weight:400;font-size:.9375rem;overflow-wrap:anywhere}
.state{font-size:.875rem;font-weight:600;padding:.2rem .7rem;border-radius:99rem;border:1px solid transparent}
.waiting{color:var(--wait);background:var(--wait-bg)}.approve{color:var(--go);background:var(--go-bg)}
.reject{color:var(--stop);background:var(--stop-bg)}.still{color:var(--still);background:var(--still-bg)}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.5rem;margin-bottom:1rem}
h1{font-size:1.5rem;line-height:1.3;margin:0;overflow-wrap:anywhere;text-wrap:balance}
h2{font-size:1.0625rem;margin:0 0 .75rem}
.question{white-space:pre-wrap;overflow-wrap:anywhere;margin:.75rem 0 0}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1.25rem;margin:1.25rem 0 0;font-size:.9375rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.outcome{border-left:.25rem solid currentColor;border-radius:.4rem;padding:.75rem 1rem;margin:0 0 1rem}
.outcome p{margin:.25rem 0 0;color:var(--text);overflow-wrap:anywhere}.outcome p.said{white-space:pre-wrap}.outcome strong{font-size:1.0625rem}
label{display:block;font-weight:600;margin-bottom:.35rem}label span,.hint{font-weight:400;color:var(--soft)}
textarea{width:100%;min-height:5.5rem;padding:.6rem .75rem;font:inherit;color:inherit;background:var(--bg);border:1px solid var(--soft);border-radius:.5rem;resize:vertical}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1rem}
button{flex:1 1 9rem;min-height:3rem;padding:.6rem 1.25rem;font:inherit;font-weight:600;border-radius:.5rem;border:2px solid;background:transparent;cursor:pointer;overflow-wrap:anywhere}
button.go{color:var(--go);border-color:var(--go)}button.no{color:var(--stop);border-color:var(--stop)}
button.go.main{background:var(--go);color:var(--go-text)}button.no.main{background:var(--stop);color:var(--card)}
button:hover{text-decoration:underline}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.hint{margin:.75rem 0 0;font-size:.9375rem}
.note{margin:0 0 1rem}.jump{margin:1rem 0 0;font-size:.9375rem}
details{border:1px solid var(--line);border-radius:.5rem;margin-bottom:.75rem;overflow:hidden}
summary{padding:.6rem .9rem;font:600 .9375rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;cursor:pointer;overflow-wrap:anywhere}
summary:focus-visible{outline-offset:-3px}
details[open] summary{border-bottom:1px solid var(--line)}
pre{margin:0;padding:.9rem;overflow:auto;max-height:32rem;background:var(--code);font:.8438rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;tab-size:4}
pre:focus-visible,.table:focus-visible{outline-offset:-3px}
pre span{display:block;margin:0 -.9rem;padding:0 .9rem;width:max-content;min-width:calc(100% + 1.8rem)}
.added{color:var(--added);background:var(--added-bg)}.removed{color:var(--removed);background:var(--removed-bg)}
.hunk{color:var(--hunk)}.head{color:var(--soft);font-weight:600}
.prose{padding:.9rem;overflow-wrap:anywhere}.prose pre{border-radius:.4rem}
.prose :is(h3,h4,h5,h6){font-size:1rem;line-height:1.35;margin:1.25rem 0 .5rem}.prose h3{font-size:1.125rem}
.prose>:first-child{margin-top:0}.prose>:last-child{margin-bottom:0}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--code);border-radius:.25rem;padding:.1em .3em;overflow-wrap:anywhere}
pre code{padding:0;background:none}a{color:var(--link)}
.table{overflow-x:auto}table{border-collapse:collapse}th,td{border:1px solid var(--line);padding:.3rem .6rem;text-align:left}
blockquote{margin:1rem 0;padding:0 0 0 1rem;border-left:.25rem solid var(--line);color:var(--soft)}
.missing{color:var(--soft);font-size:.9375rem;margin:.5rem 0;padding:0 .9rem}.context>.missing{padding:0}
footer{color:var(--soft);font-size:.875rem;padding-bottom:2rem}
@media (max-width:30rem){.card{padding:1.1rem;border-radius:.6rem}h1{font-size:1.3rem}button{flex-basis:100%}}
`;
