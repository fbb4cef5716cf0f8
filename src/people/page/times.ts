import { counted } from '../../model/words.ts';
import { html, type Markup } from './html.ts';

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
