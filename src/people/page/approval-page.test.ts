import { describe, expect, test } from 'vitest';
import type { AnswerWords } from '../../model/index.ts';
import type { ContextFile, Question } from '../../model/question.ts';
import { renderPage } from './approval-page.ts';
import { durationOf } from './html.ts';

const nowMs = Date.parse('2026-11-15T22:17:00Z');
const question: Question = {
  ...{ id: '7k2m9xqp', session: 'demo', sessionFolder: '/x', question: 'May I?', port: 1, nonce: '', tokenHashes: [] },
  since: new Date(nowMs - 60_000).toISOString(),
  expires: new Date(nowMs + 7_200_000).toISOString(),
};
const waiting = (context: readonly ContextFile[] = [], more: object = {}): string =>
  renderPage({ kind: 'waiting', question: { ...question, ...more }, context, nowMs });
const file = (name: string, text: string): ContextFile => ({ kind: 'text', name, text, leftOutBytes: 0 });
const hostile = `<script>alert(1)</script><img src=x onerror=alert(1)>"'><b>`;
/** Tags that our own page never has, attributes that run something, and addresses that do. */
const dangerous =
  /<(script|img|iframe|object|embed|svg|link|base|b>)|\son[a-z]+=["']|href="(?!#answer|https?:|mailto:)|<[a-z]+ [^>]*javascript:/i;

describe('foreign text stays text', () => {
  test.each([
    ['the question', waiting([], { question: hostile })],
    ['everything about it', waiting([], { title: hostile, session: hostile, stage: hostile, hook: hostile })],
    ['the name of a file', waiting([file(hostile, 'x'), { kind: 'not-shown', name: hostile, why: hostile }])],
    ['a file', waiting([file('a.txt', hostile)])],
    ['a diff', waiting([file('a.diff', `+${hostile}\n-${hostile}\n@@ ${hostile}`)])],
    ['Markdown', waiting([file('a.md', `${hostile}\n\n# ${hostile}\n\n\`\`\`${hostile}\n${hostile}\n\`\`\`\n`)])],
    [
      'links',
      waiting([
        file(
          'a.md',
          '[a](javascript:alert(1)) <javascript:alert(1)> [b](data:text/html,x) [c](vbscript:x)\n\n[d]: javascript:alert(1)\n[d]',
        ),
      ]),
    ],
    [
      'pictures',
      waiting([file('a.md', '![a](https://evil.example/x.png) ![b][c]\n\n[c]: https://evil.example/y.png')]),
    ],
    ['the action of a link', renderPage({ kind: 'waiting', question, context: [], nowMs, preselected: hostile })],
    [
      'an answer',
      renderPage({
        kind: 'settled',
        question,
        context: [],
        settlement: {
          kind: 'answered',
          action: hostile,
          message: hostile,
          response: {},
          by: hostile,
          at: question.since,
        },
      }),
    ],
  ])('in %s', (_, page) => {
    expect(page.replace(/<style>.*<\/style>/s, '')).not.toMatch(dangerous);
  });

  test('and cannot turn the direction of what stands there', () => {
    expect(waiting([file('a.md', 'a\u202eb'), file('b.txt', 'a\u2066b')], { question: 'a\u202eb\u0000' })).not.toMatch(
      /[\u202e\u2066\u0000]/,
    );
  });
});

test('Markdown that takes a parser long is shown in no time', () => {
  const nasty = ['[', '![', '*a_ ', '`', '> ', '- ', '<', '&', '|a', '[a](', '**a ', '~~'].map(text =>
    text.repeat(Math.floor(100_000 / text.length)),
  );
  for (const text of [...nasty, `|a|b|\n|-|-|\n${'|'.repeat(50_000)}`]) {
    const from = performance.now();
    waiting([file('a.md', text)]);
    expect({ text: text.slice(0, 10), isFast: performance.now() - from < 3000 }).toEqual({
      text: text.slice(0, 10),
      isFast: true,
    });
  }
});

test('a short question is the heading, a long one stands below', () => {
  expect(waiting()).toContain('<h1>May I?</h1><dl>');
  expect(waiting([], { question: 'One.\nTwo?' })).toMatch(
    /<h1>A session asks[^<]+<\/h1><p class="question">One.\nTwo\?<\/p>/,
  );
});

test('headings in Markdown leave out no level', () => {
  const page = waiting([file('a.md', '#### Deep\n\n# Top\n\n###### Deepest\n\n## Second')]);
  expect([...page.matchAll(/<(h[3-6])>/g)].map(([, tag]) => tag)).toEqual(['h3', 'h3', 'h4', 'h4']);
});

test('Markdown is rendered below the headings of the page, and a diff line by line', () => {
  const page = waiting([file('plan.md', '# Plan\n\n- **one**'), file('x.patch', '@@ -1 +1 @@\n-old\n+new\n same\n')]);
  expect(page).toContain('<h3>Plan</h3>');
  expect(page).toContain('<li><strong>one</strong></li>');
  expect(page).toContain(
    '<span class="hunk">@@ -1 +1 @@\n</span><span class="removed">-old\n</span><span class="added">+new\n</span> same\n</pre>',
  );
});

describe('the buttons', () => {
  const buttons = (preselected?: string, actions?: AnswerWords): string[] =>
    [
      ...renderPage({
        kind: 'waiting',
        question: { ...question, ...(actions && { actions }) },
        context: [],
        nowMs,
        ...(preselected && { preselected }),
      }).matchAll(/<button class="([^"]+)" name="action" value="([^"]+)"/g),
    ].map(([, look, action]) => `${action} ${look}`);
  test.each([
    [undefined, ['approve go main', 'reject no']],
    ['approve', ['approve go main', 'reject no']],
    ['reject', ['reject no main', 'approve go']],
    ['abort', ['abort no main', 'approve go']],
    ['continue', ['continue go main', 'reject no']],
    ['Cancel', ['Cancel no main', 'approve go']],
    ['postpone', ['approve go', 'reject no']],
    ['<b>', ['approve go', 'reject no']],
  ])('of a link with the action %s', (preselected, shown) => expect(buttons(preselected)).toEqual(shown));
  test.each([
    [undefined, ['Ship it go main', 'hold no', 'drop no']],
    ['drop', ['drop no main', 'Ship it go', 'hold no']],
    ['ship it', ['ship it go main', 'hold no', 'drop no']],
    ['yes', ['yes go main', 'hold no', 'drop no']],
    ['ship', ['Ship it go', 'hold no', 'drop no']],
  ])('of a hook with its own words and a link with the action %s', (preselected, shown) =>
    expect(buttons(preselected, { 'Ship it': 'approve', hold: 'reject', drop: 'reject' })).toEqual(shown),
  );
});

test.each([
  [500, '0 seconds'],
  [59_999, '59 seconds'],
  [60_000, '1 minute'],
  [7_199_000, '119 minutes'],
  [7_200_000, '2 hours'],
  [172_800_000, '2 days'],
])('%i ms are %s', (ms, words) => expect(durationOf(ms)).toBe(words));
