import type { ContextFile } from '../../session/questions/questions.ts';
import { html, type Markup } from './html.ts';
import { renderMarkdown } from './markdown.ts';

/** The files a question shows, the first one open. */
export function contextSection(files: readonly ContextFile[]): Markup | undefined {
  if (files.length === 0) return undefined;
  return html`<section class="context" aria-labelledby="context"><h2 id="context">Context</h2>${files.map(fileBlock)}</section>`;
}

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
