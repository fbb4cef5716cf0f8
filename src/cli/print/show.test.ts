import { expect, test } from 'vitest';
import { event, started } from '../../session/state/fixtures/records.ts';
import { atSecond, viewOf } from '../../session/state/fixtures/view.ts';
import { createColours } from './paint.ts';
import { showText } from './show.ts';

test.each([
  ['', 3, '\\d\\d:\\d\\d:\\d\\d'],
  [' on another day, with that day', 200_000, '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d'],
])('an answer is shown with when, in which way and by whom%s', (_, second, when) => {
  const value = { action: 'approve', message: '', by: '\x1b[1mana with hookloop approve', at: atSecond(second) };
  const view = viewOf([
    [0, started()],
    [1, event('approval.requested', { question: 'May I?', extra: { approval: 'A1' } }, 'r1/c1')],
    [4, { kind: 'step.done', key: 'r1/c1', value }],
  ]);
  const text = showText(view, { colours: createColours(false), columns: 80, nowMs: 0 });
  expect(text).toMatch(
    new RegExp(`A1 {2}answered approve {2}May I\\?\n {12}${when}, by [^\x1b]*ana with hookloop approve\n`),
  );
});
