import { clockTime, dateTime, type ReadAt } from './calendar.ts';

/** When a text says that an agent may go on; undefined: it does not say so, or says nonsense. */
export function resetTime(text: string, at: ReadAt): Date | undefined {
  const epoch = /\blimit reached\|(\d{10,13})(?!\d)/i.exec(text)?.[1];
  if (epoch !== undefined) return epochTime(Number(epoch), at.now);
  for (const { index, 0: lead } of text.slice(0, maxText).matchAll(leads)) {
    const begin = index + lead.length;
    const rest = text.slice(begin, begin + maxTime);
    const found = laterBy(rest, at.now) ?? dateTime(rest, at) ?? clockTime(rest, at);
    const until = found && bounded(found, at.now);
    if (until) return until;
  }
  return undefined;
}

/** So many seconds from now; undefined where that is no sane number. */
export function inSeconds(seconds: unknown, now: Date): Date | undefined {
  const amount = typeof seconds === 'string' && seconds.trim() !== '' ? Number(seconds) : seconds;
  if (typeof amount !== 'number' || !(amount >= 0)) return undefined;
  return bounded(new Date(now.getTime() + Math.max(amount * 1000, leastMs)), now);
}

/** A moment in seconds or milliseconds since 1970; undefined where that is no sane number. */
export function epochTime(epoch: unknown, now: Date): Date | undefined {
  const amount = typeof epoch === 'string' && /^\d{1,13}$/.test(epoch) ? Number(epoch) : epoch;
  if (typeof amount !== 'number' || !(amount > 0)) return undefined;
  return bounded(new Date(amount < firstMs ? amount * 1000 : amount), now);
}

/** An HTTP `Retry-After`: seconds or a date. */
export function retryAfter(value: unknown, now: Date): Date | undefined {
  if (typeof value !== 'string') return inSeconds(value, now);
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return inSeconds(value, now);
  return httpDate.test(value) ? bounded(new Date(value), now) : undefined;
}

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** `38s`, `4h12m8.5s`, `5 days 22 hours 11 minutes` from the start of a text on. */
export function laterBy(text: string, now: Date): Date | undefined {
  const written = /^\s*(?:in|after)?\s*(?:about\s+)?/i.exec(text)![0].length;
  let rest = text.slice(written);
  if (/^(?:less than )?an? minute\b/i.test(rest)) return inSeconds(60, now);
  if (/^(?:less than )?an hour\b/i.test(rest)) return inSeconds(3600, now);
  let seconds: number | undefined;
  for (let part = partOf(rest); part; part = partOf(rest)) {
    seconds = (seconds ?? 0) + part.seconds;
    rest = rest.slice(part.length);
  }
  return seconds === undefined ? undefined : inSeconds(seconds, now);
}

const part =
  /^[\s,]*(?:and\s+)?(\d+(?:\.\d+)?)\s*(days?|d|hours?|hrs?|h|minutes?|mins?|milliseconds?|ms|m|seconds?|secs?|s)(?![a-z])/i;

const unitSeconds: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };

function partOf(text: string): { seconds: number; length: number } | undefined {
  const [whole, amount, unit = ''] = part.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const each = /^m(s|illi)/i.test(unit) ? 0.001 : unitSeconds[unit[0]!.toLowerCase()]!;
  return { seconds: Number(amount) * each, length: whole.length };
}

const maxText = 10_000;
/** A time is not longer than this. */
const maxTime = 80;

/** What stands before a time. */
const leads = /\b(?:resets?|try again|retry|retrying|available again|wait|resuming)\b:?(?=\s)/gi;

const dayMs = 86_400_000;
/** What no one can have meant. */
const garbageMs = 400 * dayMs;
/** The longest window that a provider has is a month. */
export const longestMs = 35 * dayMs;
/** Where a reset is over by the clock and the agent is limited all the same. */
export const soonMs = 60_000;
const leastMs = 1000;
/** Below this a number since 1970 counts seconds. */
const firstMs = 1e11;

/** Waits are neither endless nor none: a moment that is past is soon, and one that is too far away is not waited for longer than a month. */
function bounded(moment: Date, now: Date): Date | undefined {
  const aheadMs = moment.getTime() - now.getTime();
  if (Number.isNaN(aheadMs) || aheadMs > garbageMs) return undefined;
  if (aheadMs <= 0) return new Date(now.getTime() + soonMs);
  return aheadMs > longestMs ? new Date(now.getTime() + longestMs) : moment;
}
