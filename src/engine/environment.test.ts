import { expect, test } from 'vitest';
import { createEngineProject } from '../../test/engine-project.ts';
import { maskDeep } from '../model/mask.ts';

const { log, write, engineHere } = createEngineProject();

test('a <NAME>_FILE of our own environment is not taken for the rest of a short value', async () => {
  write('.iteratr.hooks.yml', 'hooks:\n  on_error:\n    - command: echo "[${HOOK_ERROR_FILE-unset}]" >> log\n');
  await engineHere({ env: { HOOK_ERROR_FILE: '/stale' } }).fire({ name: 'iteration.failed', error: 'short' });
  expect(log()).toBe('[unset]\n');
});

test('a secret in a key of a hook’s answer is hidden; our own keys stay', () => {
  const mask = (text: string): string => text.replaceAll('decision', '***');
  expect(maskDeep({ decision: 1, answer: { decision: 'x' } }, mask)).toEqual({ decision: 1, answer: { '***': 'x' } });
});
