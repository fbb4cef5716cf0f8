import { expect, test } from 'vitest';
import { closed, event, started } from '../history/fixtures/records.ts';
import { atSecond, viewOf } from '../history/fixtures/view.ts';
import { toProject } from './project.ts';
import { sessionPage } from './session-page.ts';

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

test.each([
  ['runs its only one', [], true, '>Iteration 1 of 1<', 0],
  ['was interrupted in it', [[3, closed('interrupted')]], false, '>1 of 1 iterations<', 0],
  ['crashed in it', [], false, '>1 of 1 iterations<', 0],
  ['has completed', [[3, event('stage.completed', { stage: 'build' })]], true, '>1 of 1 iterations<', 1],
] as const)('the bar counts finished iterations: of a stage that %s', (_, more, isHeld, words, value) => {
  const view = viewOf(
    [[0, started({ build: 1 })], [1, event('iteration.starting', { stage: 'build', iteration: 1 })], ...more],
    isHeld,
  );
  const { body } = sessionPage({ project: toProject('/p', undefined), view, pid: 1, open: new Set(), nowMs: 0 });
  expect(body.markup).toContain(words);
  expect(body.markup).toContain(`<progress value="${value}" max="1"`);
});
