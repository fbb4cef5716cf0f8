import { expect, test } from 'vitest';
import type { HookResult } from '../model/index.ts';
import type { Timed } from './fixtures/project.ts';
import { closed, event, finished, hookFinished, started } from './fixtures/records.ts';
import { atSecond, viewOf } from './fixtures/view.ts';

test('a question to a person waits until its hook has finished, or the session has ended', () => {
  const answered: HookResult = {
    ...(finished(0) as Extract<HookResult, { status: 'finished' }>),
    outcome: { kind: 'answered', action: 'approve', message: 'fine', response: {} },
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
    { id: 'A1', question: 'Deploy?', since: atSecond(1), status: 'answered', answer: 'approve', message: 'fine' },
    { id: 'A2', question: 'Deploy?', since: atSecond(2), status: 'waiting' },
  ]);
  expect(viewOf([...later, [4, closed('failed')]]).approvals.map(one => one.status)).toEqual(['answered', 'over']);
});
