import { counted } from '../../model/words.ts';

/** HTML that is safe to stand in a page. */
export interface Markup {
  markup: string;
}

type Part = string | number | Markup | undefined | readonly Part[];

/** Every text is escaped, unless it is markup already; undefined leaves nothing. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Markup => ({
  markup: texts.reduce((whole, text, index) => `${whole}${toHtml(parts[index - 1])}${text}`),
});

export const escapeHtml = (text: string): string =>
  text.replaceAll(misread, '\ufffd').replaceAll(/[&<>"']/g, char => entities[char]!);

/** `15 Nov 2026, 22:17 UTC`: whoever reads it may be elsewhere. */
export function timeOf(iso: string): Markup {
  return html`<time datetime="${iso}">${format.format(new Date(iso))}</time>`;
}

/** `4 minutes`; in larger units only from two of them on. */
export function durationOf(ms: number): string {
  const [unit, unitMs] = units.find(([name, each]) => ms >= each * (name === 'minute' ? 1 : 2)) ?? ['second', 1000];
  const count = Math.max(0, Math.floor(ms / unitMs));
  return counted(count, unit);
}

/** Characters that turn the direction of a text let one file look like another. */
const misread = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function toHtml(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(toHtml).join('');
}

const format = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});

const minuteMs = 60 * 1000;
const units: readonly (readonly [string, number])[] = [
  ['day', 24 * 60 * minuteMs],
  ['hour', 60 * minuteMs],
  ['minute', minuteMs],
];
