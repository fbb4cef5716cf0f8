import { expect, test } from 'vitest';
import type { ActionOutcome } from '../../model/index.ts';
import { unreadableAnswer } from './json-answer.ts';

const cut = (stdout: string, stdoutBytes: number): Extract<ActionOutcome, { kind: 'exited' }> => ({
  kind: 'exited',
  exitCode: 0,
  stdout,
  stderr: '',
  truncated: { stdoutBytes, stderrBytes: 0 },
});

test('an answer that is too long to be read is a no', () => {
  expect(
    unreadableAnswer(cut('{"decision":"block","reason":"rm\n[2000000 bytes left out]\n"}', 2_100_000), 'guard'),
  ).toMatchObject({ kind: 'rejected' });
});

test('long output that is not an answer, and long stderr beside a short answer, decide nothing', () => {
  expect(unreadableAnswer(cut('words\n[2000000 bytes left out]\n', 2_100_000), 'guard')).toBeUndefined();
  expect(unreadableAnswer(cut('{"decision":"allow"}', 20), 'guard')).toBeUndefined();
});
