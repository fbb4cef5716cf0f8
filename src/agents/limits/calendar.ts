/** When a text was read, and in which zone its times are where it names none; absent: that of this machine. */
export interface ReadAt {
  now: Date;
  zone?: string | undefined;
}

/**
 * A date with a time from the start of a text on: `2026-07-30 16:11:46 +0800`, `Nov 22, 5:48am (Europe/Berlin)`,
 * `Jul 5th, 2026 8:19 PM`. Without a year it is the one that is nearest to now.
 */
export function dateTime(text: string, at: ReadAt): Date | undefined {
  const written = text.replace(start, '');
  const iso = isoLike.exec(written);
  if (iso) {
    const [whole, year, month, day, hour = '0', minute = '0', second = '0', offset] = iso;
    const wall = { ...dayOf(Number(year), Number(month), Number(day)), ...clockOf(hour, minute) };
    if (!isReal(wall)) return undefined;
    const shiftMs = offset === undefined ? undefined : offsetMs(offset);
    const utcMs = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, Number(second));
    if (shiftMs !== undefined) return new Date(utcMs - shiftMs);
    return momentAt(wall, zoneIn(written.slice(whole.length), at));
  }
  const named = namedDate.exec(written);
  const month = months.indexOf(named?.[1]?.slice(0, 3).toLowerCase() ?? '') + 1;
  if (!named || month === 0) return undefined;
  const [whole, , day, year, hour = '', minute = '0', half] = named;
  const clock = clockOf(hour, minute, half);
  const zone = zoneIn(written.slice(whole.length), at);
  const thisYear = wallAt(at.now, zone).year;
  const years = year === undefined ? [thisYear - 1, thisYear, thisYear + 1] : [Number(year)];
  const moments = years.flatMap(each => {
    const wall = { ...dayOf(each, month, Number(day)), ...clock };
    return isReal(wall) ? [momentAt(wall, zone)] : [];
  });
  const distance = (moment: Date): number => Math.abs(moment.getTime() - at.now.getTime());
  return moments.sort((a, b) => distance(a) - distance(b))[0];
}

/**
 * A time of day from the start of a text on: `3pm`, `at 6:51 PM`, `at 15:00 (Europe/Berlin)`: the next such moment. One that was
 * minutes ago is no mistake of a day: agents tell minutes, and limits end within them.
 */
export function clockTime(text: string, at: ReadAt): Date | undefined {
  const written = text.replace(start, '');
  const [whole, hour = '', minute, half] = clock.exec(written) ?? [];
  if (whole === undefined || (minute === undefined && half === undefined)) return undefined;
  const zone = zoneIn(written.slice(whole.length), at);
  const today = wallAt(new Date(at.now.getTime() - justNowMs), zone);
  const wall = { ...today, ...clockOf(hour, minute ?? '0', half) };
  if (!isReal(wall)) return undefined;
  const moments = [0, 1, 2].map(more => momentAt({ ...wall, day: wall.day + more }, zone));
  return moments.find(moment => moment.getTime() > at.now.getTime() - justNowMs);
}

/** The next midnight in a zone. */
export function nextMidnight(zone: string, now: Date): Date {
  const today = wallAt(now, zone);
  return momentAt({ ...today, day: today.day + 1, hour: 0, minute: 0 }, zone);
}

/** How long ago a time of day may be that is meant for today. */
export const justNowMs = 10 * 60_000;

const start = /^\s*(?:at|on)?\s*/i;
const isoLike =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?\s*(Z\b|UTC\b|GMT\b|[+-]\d{2}:?\d{2}\b)?/;
const namedDate =
  /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4})\b(?! *[ap]m))?(?:,| at)* (\d{1,2})(?::(\d{2}))?(?::\d{2})? ?([ap]m)?\b/i;
const clock = /^(\d{1,2})(?::(\d{2}))?(?::\d{2})?(?: ?([ap])\.?m\b|(?![\d:]))/i;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** A time as a clock on the wall shows it. */
interface Wall {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

const dayOf = (year: number, month: number, day: number) => ({ year, month, day });

function clockOf(hour: string, minute: string, half?: string): { hour: number; minute: number } {
  const number = Number(hour);
  if (half === undefined) return { hour: number, minute: Number(minute) };
  const isRight = number >= 1 && number <= 12;
  return { hour: isRight ? (number % 12) + (/^p/i.test(half) ? 12 : 0) : Number.NaN, minute: Number(minute) };
}

const isReal = ({ year, month, day, hour, minute }: Wall): boolean =>
  year >= 1970 &&
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  day <= 31 &&
  hour >= 0 &&
  hour <= 23 &&
  minute >= 0 &&
  minute <= 59;

function offsetMs(offset: string): number {
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d{2}):?(\d{2})/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** The zone that stands behind a time; otherwise the one of whoever wrote it. */
function zoneIn(text: string, { zone }: ReadAt): string | undefined {
  const [, named] = /^\s*\(?\s*(UTC|GMT|[A-Z][A-Za-z_+-]+(?:\/[A-Za-z0-9_+-]+)+)\b/.exec(text) ?? [];
  return [named, zone].find(each => each !== undefined && isZone(each));
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

function wallAt(moment: Date, zone: string | undefined): Wall {
  const format = new Intl.DateTimeFormat('en-u-hc-h23', {
    ...{ timeZone: zone, year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  });
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type as string, Number(value)]));
  const of = (type: keyof Wall): number => parts.get(type) ?? Number.NaN;
  return { year: of('year'), month: of('month'), day: of('day'), hour: of('hour'), minute: of('minute') };
}

const utcOf = ({ year, month, day, hour, minute }: Wall): number => Date.UTC(year, month - 1, day, hour, minute);

/** Where clocks are put forward a time may not exist: then it is as much later. */
function momentAt(wall: Wall, zone: string | undefined): Date {
  const wanted = utcOf(wall);
  const shiftAt = (ms: number): number => utcOf(wallAt(new Date(ms), zone)) - Math.floor(ms / 60_000) * 60_000;
  const guesses = [shiftAt(wanted - 86_400_000), shiftAt(wanted + 86_400_000)].map(shift => wanted - shift);
  const right = guesses.filter(ms => utcOf(wallAt(new Date(ms), zone)) === wanted);
  return new Date(Math.min(...(right.length > 0 ? right : [Math.max(...guesses)])));
}
