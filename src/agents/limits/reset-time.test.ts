import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { justNowMs } from './calendar.ts';
import { epochTime, inSeconds, longestMs, resetTime, retryAfter, soonMs } from './reset-time.ts';

/** A Wednesday; in Berlin it is an hour later. */
const now = new Date('2026-11-18T16:46:00Z');
const read = (text: string, zone = 'UTC') => resetTime(text, { now, zone })?.toISOString();

describe('a time of day', () => {
  test.each([
    ["You've hit your limit · resets 7:47pm (Europe/Berlin)", '2026-11-18T18:47:00.000Z'],
    ["You've hit your limit · resets 3pm", '2026-11-19T15:00:00.000Z'],
    ['Your limit will reset at 9am (America/Chicago).', '2026-11-19T15:00:00.000Z'],
    ['or try again at 6:51 PM.', '2026-11-18T18:51:00.000Z'],
    ['resets 12am', '2026-11-19T00:00:00.000Z'],
    ['resets 12pm', '2026-11-19T12:00:00.000Z'],
    ['resets at 17:30', '2026-11-18T17:30:00.000Z'],
    ['resets 3pm (Mars/Olympus)', '2026-11-19T15:00:00.000Z'],
  ])('%s', (text, until) => expect(read(text)).toBe(until));

  test('is of the zone of whoever wrote it where none is named', () =>
    expect(read('resets 7pm', 'Europe/Berlin')).toBe('2026-11-18T18:00:00.000Z'));

  test('of a minute ago is not taken for tomorrow: the limit is about to end', () =>
    expect(read('resets 4:45pm')).toBe(new Date(now.getTime() + soonMs).toISOString()));

  test.each(['resets 13pm', 'resets 0am', 'resets 25:00', 'resets 7:77pm', 'resets 3'])('%s is none', text =>
    expect(read(text)).toBeUndefined(),
  );

  test('is right on the days when clocks are changed', () => {
    const spring = new Date('2027-03-28T00:30:00Z');
    const read = (text: string, at: Date) => resetTime(text, { now: at, zone: 'Europe/Berlin' })?.toISOString();
    expect(read('resets 3:30am', spring)).toBe('2027-03-28T01:30:00.000Z');
    expect(read('resets 2:30am', spring)).toBe('2027-03-28T01:30:00.000Z');
    expect(read('resets 2:30am', new Date('2027-10-30T23:30:00Z'))).toBe('2027-10-31T00:30:00.000Z');
  });
});

describe('a time from now on', () => {
  test.each([
    ['try again in 2h 5m', 2 * 3600 + 300],
    ['or try again in 5 days 22 hours 11 minutes.', 5 * 86_400 + 22 * 3600 + 660],
    ['Please retry in 38.205372711s.', 38.205],
    ['Please retry in 4h12m8.5s.', 4 * 3600 + 728.5],
    ['Your quota will reset after 5h9m31s.', 5 * 3600 + 571],
    ['Please try again in 20s. Visit https://example.com', 20],
    ['Please try again in 1m12.5s', 72.5],
    ['It will reset in 3 days 4 hours.', 3 * 86_400 + 4 * 3600],
    ['It will reset in less than a minute.', 60],
    ['Try again in 1 hour, 2 minutes and 3 seconds', 3723],
    ['Please try again in 143ms', 1],
    ['\nSuggested retry after 612s.', 612],
  ])('%s', (text, seconds) => expect(read(text)).toBe(new Date(now.getTime() + seconds * 1000).toISOString()));
});

describe('a date', () => {
  test.each([
    ["You've hit your limit · resets Nov 22, 5:48am (Europe/Berlin)", '2026-11-22T04:48:00.000Z'],
    ['or try again at Nov 25th, 2026 8:19 PM.', '2026-11-25T20:19:00.000Z'],
    ['try again at Dec 2, 2026, 7:38 AM', '2026-12-02T07:38:00.000Z'],
    ['It will reset at 2026-11-19 16:11:46 +0800 CST.', '2026-11-19T08:11:46.000Z'],
    ['spend limit reached (daily; resets 2026-11-19 00:00 UTC)', '2026-11-19T00:00:00.000Z'],
    ['resets 2026-11-19T10:00:00Z', '2026-11-19T10:00:00.000Z'],
    ['Claude AI usage limit reached|1795032000', '2026-11-18T20:00:00.000Z'],
    ['Claude AI usage limit reached|1795032000000', '2026-11-18T20:00:00.000Z'],
  ])('%s', (text, until) => expect(read(text)).toBe(until));

  test('without a year is of the next one around its end', () =>
    expect(resetTime('resets Jan 2, 3am', { now: new Date('2026-12-30T00:00:00Z'), zone: 'UTC' })?.toISOString()).toBe(
      '2027-01-02T03:00:00.000Z',
    ));

  test('that is past is soon', () => {
    const soon = new Date(now.getTime() + soonMs).toISOString();
    expect(read('Claude AI usage limit reached|1712345678')).toBe(soon);
    expect(read('try again at Aug 20, 2026, 7:38 AM')).toBe(soon);
  });

  test('that is months away is waited for no longer than a month or so, and one of another decade is none', () => {
    expect(read('resets 2027-06-01 00:00 UTC')).toBe(new Date(now.getTime() + longestMs).toISOString());
    expect(read('resets 2126-06-01 00:00 UTC')).toBeUndefined();
    expect(read('resets Foo 22, 5:48am')).toBeUndefined();
  });
});

test.each([
  'try again later',
  'Try again in a moment.',
  'the limit is 3pm',
  'reset',
  'resets soon',
  'retry in -5s',
  '',
])('"%s" names no time', text => expect(read(text)).toBeUndefined());

test.each([Number.NaN, -1, 1e300, Number.POSITIVE_INFINITY, '-5', 'x', null, {}, [], true, '1e300'])(
  '%s is no number of seconds, no moment and no Retry-After',
  value => {
    expect(inSeconds(value, now)).toBeUndefined();
    expect(epochTime(value, now)).toBeUndefined();
    expect(retryAfter(value, now)).toBeUndefined();
  },
);

test('a Retry-After is seconds or a date', () => {
  expect(retryAfter('47', now)?.toISOString()).toBe('2026-11-18T16:46:47.000Z');
  expect(retryAfter('Wed, 18 Nov 2026 17:00:00 GMT', now)?.toISOString()).toBe('2026-11-18T17:00:00.000Z');
  expect(retryAfter('Wed, 99 Nov', now)).toBeUndefined();
});

describe('whatever is read', () => {
  const moments = fc.date({ min: new Date('2020-01-01'), max: new Date('2090-01-01'), noInvalidDate: true });
  const zones = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Pacific/Apia',
    'Australia/Lord_Howe',
  );

  test('a time is after now and not endlessly far away', () => {
    const word = fc.constantFrom(
      'resets',
      'try again in',
      'retry after',
      'limit reached|',
      'at',
      '3pm',
      '(',
      ')',
      'Nov',
      ':',
      'h',
      'm',
      's',
      ',',
      '-',
    );
    const texts = fc
      .array(fc.oneof(word, fc.nat().map(String), fc.double().map(String), fc.string()))
      .map(all => all.join(' '));
    fc.assert(
      fc.property(texts, moments, zones, (text, now, zone) => {
        const until = resetTime(text, { now, zone });
        if (!until) return;
        expect(until.getTime()).toBeGreaterThan(now.getTime());
        expect(until.getTime()).toBeLessThanOrEqual(now.getTime() + longestMs);
      }),
      { numRuns: 2000 },
    );
  });

  test('a time of day as a clock in a zone shows it is that moment again', () => {
    fc.assert(
      fc.property(moments, fc.integer({ min: 1, max: 23 * 60 }), zones, (start, minutes, zone) => {
        const wanted = new Date(Math.ceil(start.getTime() / 60_000 + minutes) * 60_000);
        const clock = new Intl.DateTimeFormat('en-US', { timeZone: zone, hour: 'numeric', minute: '2-digit' });
        const text = `resets ${clock.format(wanted).replace(/\s/g, '').toLowerCase()} (${zone})`;
        const until = resetTime(text, { now: start, zone: 'UTC' })!;
        // Where clocks are put back that time comes twice, and the first counts.
        const offMs = until.getTime() - wanted.getTime();
        expect([0, -3_600_000, -1_800_000]).toContain(offMs);
      }),
      { numRuns: 500 },
    );
  });

  test('a time of day is within a day', () => {
    const text = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }));
    fc.assert(
      fc.property(text, moments, zones, ([hour, minute], now, zone) => {
        const until = resetTime(`resets at ${hour}:${String(minute).padStart(2, '0')}`, { now, zone })!;
        expect(until.getTime() - now.getTime()).toBeLessThanOrEqual(25 * 3_600_000 + justNowMs);
      }),
      { numRuns: 500 },
    );
  });

  test('so many days, hours, minutes and seconds are just that', () => {
    const amount = fc.integer({ min: 0, max: 59 });
    fc.assert(
      fc.property(amount, amount, amount, moments, (hours, minutes, seconds, now) => {
        const all = hours * 3600 + minutes * 60 + seconds;
        for (const text of [
          `${hours}h ${minutes}m ${seconds}s`,
          `${hours} hours ${minutes} minutes ${seconds} seconds`,
          `${hours}h${minutes}m${seconds}s`,
        ])
          expect(resetTime(`try again in ${text}.`, { now })).toEqual(
            new Date(now.getTime() + Math.max(all, 1) * 1000),
          );
      }),
    );
  });
});
