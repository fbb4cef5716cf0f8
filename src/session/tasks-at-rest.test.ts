import { expect, test } from 'vitest';
import { task } from '../cli/commands/task.ts';
import { runIn, temporaryProject, writeSession } from './state/fixtures/project.ts';
import { wholeSession } from './state/fixtures/records.ts';

test('a finished session takes no more tasks', async () => {
  const root = temporaryProject();
  await writeSession(root, 'demo', wholeSession);
  expect(await runIn(root, task, ['add', 'one more', '--session', 'demo'])).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: expect.stringContaining('session demo has finished'),
  });
});
