import { expect, test } from 'vitest';
import type { HookResult } from '../../model/index.ts';
import type { Timed } from './fixtures/project.ts';
import { closed, event, finished, hookFinished, started } from './fixtures/records.ts';
import { atSecond, viewOf } from './fixtures/view.ts';

test('a question to a person waits until its hook has finished, or the session has ended', () => {
  const answered: HookResult = {
    ...(finished(0) as Extract<HookResult, { status: 'finished' }>),
    outcome: { kind: 'answered', action: 'approve', message: 'fine', response: {}, by: 'by ana', at: atSecond(2) },
  };
  const asked = (key: string, id: string) =>
    event('approval.requested', { question: 'Deploy?', extra: { approval: id } }, key);
  const hookKey = (key: string): string => `${key}#native:hooks.yaml#ask`;
  const records: Timed[] = [
    [0, started()],
    [1, asked(hookKey('s0/a'), 'A1')],
    [2, asked(hookKey('s0/b'), 'A2')],
  ];
  const later: Timed[] = [...records, [3, hookFinished('s0/a', 'ask', 'stage.starting', answered)]];
  expect(viewOf(records, true).approvals.map(one => one.status)).toEqual(['waiting', 'waiting']);
  expect(viewOf(later, true).approvals).toEqual([
    {
      ...{ id: 'A1', question: 'Deploy?', since: atSecond(1), status: 'answered', answer: 'approve', message: 'fine' },
      ...{ by: 'by ana', at: atSecond(2) },
    },
    { id: 'A2', question: 'Deploy?', since: atSecond(2), status: 'waiting' },
  ]);
  expect(viewOf([...later, [4, closed('failed')]]).approvals.map(one => one.status)).toEqual(['answered', 'over']);
});

test('a question of an agent is answered by the work that ends with its key', () => {
  const asked = event('approval.requested', { question: 'Right?', extra: { approval: 'A1' } }, 'r1/c1');
  const answerOf = (value?: unknown) =>
    viewOf([
      [0, started()],
      [1, asked],
      [2, { kind: 'step.done', key: 'r1/c1', ...(value !== undefined && { value }) }],
    ]).approvals.map(({ status, answer, message, by, at }) => [status, answer, message, by, at].filter(Boolean));
  expect(answerOf({ action: 'reject', message: 'left' })).toEqual([['answered', 'reject', 'left']]);
  expect(answerOf({ action: 'approve', message: '' })).toEqual([['answered', 'approve']]);
  const by = 'on the approval page';
  const given = { action: 'approve', message: '', by };
  expect(answerOf({ ...given, at: atSecond(2) })).toEqual([['answered', 'approve', by, atSecond(2)]]);
  expect(answerOf({ ...given, at: 'noon' })).toEqual([['answered', 'approve', by]]);
  for (const unknown of [undefined, null, 'yes', { action: 1, message: [] }, { ...given, by: {} }])
    expect(answerOf(unknown)).toEqual([['answered']]);
});
