import { html, type Markup } from './html.ts';

export interface Frame {
  title: string;
  /** In a word or two, and how good that is. */
  state: string;
  tone: string;
  style: string;
  body: Markup;
  footer: Markup;
  /** Where the name of the product leads. */
  home?: string;
  head?: Markup | undefined;
  /** Below the bar at the top, outside of what the page is about. */
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

const brand = (home: string | undefined): Markup =>
  home === undefined ? html`<span class="brand">Hookloop</span>` : html`<a class="brand" href="${home}">Hookloop</a>`;
