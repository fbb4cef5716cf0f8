import { expect, test } from 'vitest';
import { toProject } from '../../app/projects.ts';
import { closed, event, started } from '../../session/state/fixtures/records.ts';
import { atSecond, viewOf } from '../../session/state/fixtures/view.ts';
import { sessionPage } from './session-page.ts';

const iteration = (moment: 'starting' | 'completed' | 'failed', number: number) =>
  event(`iteration.${moment}`, { stage: 'build', iteration: number });

test('a question that was answered is shown with when, in which way and by whom', () => {
  const asked = event('approval.requested', { question: 'Right?', extra: { approval: 'A1' } }, 'r1/c1');
  const answer = { action: 'approve', message: '', by: '<ana> with hookloop approve', at: atSecond(2) };
  const pageOf = (value: object): string => {
    const view = viewOf([
      [0, started()],
      [1, asked],
      [2, { kind: 'step.done', key: 'r1/c1', value }],
    ]);
    return sessionPage({ project: toProject('/p', undefined), view, pid: undefined, open: new Set(), nowMs: 0 }).body
      .markup;
  };
  expect(pageOf(answer)).toMatch(
    new RegExp(`<time datetime="${atSecond(2)}">[^<]+</time>, by &lt;ana&gt; with hookloop approve</p>`),
  );
  expect(pageOf({ action: 'approve', message: '' })).toMatch(/A1<\/span><\/p><\/li>/);
});

test('a question that waits is led to by its title, and told below', () => {
  const pageOf = (fields: { title?: string; question: string }): string => {
    const view = viewOf(
      [
        [0, started()],
        [1, event('approval.requested', { ...fields, extra: { approval: 'A1' } }, 'r1/c1')],
      ],
      true,
    );
    return sessionPage({ project: toProject('/p', undefined), view, pid: 1, open: new Set(['A1']), nowMs: 0 }).body
      .markup;
  };
  expect(pageOf({ title: 'Deploy?', question: 'All is <well>.' })).toMatch(
    /<a href="\/approval\/A1">Deploy\?<\/a> .*<p class="reason">All is &lt;well&gt;\.<\/p>/,
  );
  expect(pageOf({ question: 'Right?' })).toMatch(
    /<a href="\/approval\/A1">Right\?<\/a> <span class="about">[^<]*<\/span><\/p><\/li>/,
  );
});

test.each([
  ['has not begun one', -1, [], true, '>0 of 2 iterations<', [0, 0]],
  ['is in its first one', 0, [], true, '>Iteration 1 of 2<', [0, 1]],
  ['has ended it, and waits for the next', 0, [[3, iteration('completed', 1)]], true, '>1 of 2 iterations<', [1, 1]],
  ['failed in it, and goes on', 0, [[3, iteration('failed', 1)]], true, '>1 of 2 iterations<', [1, 1]],
  ['was interrupted in it', 0, [[3, closed('interrupted')]], false, '>1 of 2 iterations<', [0, 1]],
  ['crashed in it', 0, [], false, '>1 of 2 iterations<', [0, 1]],
  ['has completed', 0, [[3, event('stage.completed', { stage: 'build' })]], true, '>1 of 2 iterations<', [1, 1]],
] as const)(
  'the bar shows what has ended and what is on its way: of a stage that %s',
  (_, begun, more, isHeld, words, [ended, shown]) => {
    const starting = begun === 0 ? ([[2, iteration('starting', 1)]] as const) : [];
    const view = viewOf(
      [[0, started({ build: 2 })], [1, event('stage.starting', { stage: 'build' })], ...starting, ...more],
      isHeld,
    );
    const { body } = sessionPage({ project: toProject('/p', undefined), view, pid: 1, open: new Set(), nowMs: 0 });
    expect(body.markup).toContain(words);
    expect(body.markup).toContain(`aria-valuenow="${ended}" aria-valuemin="0" aria-valuemax="2"`);
    expect(body.markup).toContain(
      `<rect class="begun" width="${shown}" height="1"/><rect class="ended" width="${ended}" height="1"/>`,
    );
  },
);

test('a check that passed only when it was tried again, and one that was left out, say so', () => {
  const run = { key: 'r1/h1', hook: 'h', name: 'tests', event: 'task.completing' } as const;
  const result = {
    ...{ status: 'finished', hook: 'h', verdict: { kind: 'passed' }, decision: { kind: 'proceed' } },
    ...{ outcome: { kind: 'exited', exitCode: 0, stdout: '', stderr: '' }, flaky: 'exit code 1' },
    ...{ attempts: 2, durationMs: 5 },
  } as const;
  const why = 'no file that matches src/** changed since it last passed';
  const skipped = [{ hook: 'h', name: 'hook "tests" (hookloop.yaml:1)', why, passed: true }] as const;
  const view = viewOf([
    [0, started()],
    [1, { kind: 'hook.started', ...run, attempt: 1 }],
    [2, { kind: 'hook.finished', ...run, result }],
    [3, { kind: 'event.decided', key: 'r2', event: 'task.completing', decision: { kind: 'proceed' }, skipped }],
  ] as Parameters<typeof viewOf>[0]);
  const { markup } = sessionPage({ project: toProject('/p', undefined), view, pid: 1, open: new Set(), nowMs: 0 }).body;
  expect(markup).toMatch(/<strong>tests<\/strong>.*flaky, 2 tries/);
  expect(markup).toMatch(/<strong>tests<\/strong>.*skipped: no file that matches/);
});
