import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endLater, eventually, isRunning, temporaryFolder } from '../fixtures/programs.ts';
import { sh, shellIn } from '../fixtures/shell.ts';

const detached = () => shellIn(temporaryFolder(), { detach: true });
const textOf = (folder: string): string =>
  existsSync(folder)
    ? readdirSync(folder)
        .map(name => readFileSync(join(folder, name), 'utf8'))
        .join('')
    : '';

test('a detached hook is not waited for; its stdin arrives and its output goes to a file', async () => {
  const { run, spillFolder, scratchFolder } = detached();
  const presentation = { env: { A: 'value', GO: join(temporaryFolder(), 'go') }, stdin: 'text on stdin\n' };
  const outcome = await run(sh('until test -e "$GO"; do sleep 0.05; done; cat; echo $A; echo err >&2'), {
    background: true,
    presentation,
  });
  expect(outcome).toEqual({ kind: 'exited', exitCode: 0, stdout: '', stderr: '' });
  writeFileSync(presentation.env.GO, '');
  await eventually(() => textOf(spillFolder) === 'text on stdin\nvalue\nerr\n');
  expect(textOf(scratchFolder)).toBe('');
});

test('a detached hook still has its deadline', async () => {
  const { run, spillFolder } = detached();
  await run(sh('echo $$; exec sleep 30'), { background: true, timeoutMs: 2500 });
  await eventually(() => /^\d+\n$/.test(textOf(spillFolder)));
  const pid = endLater(Number(textOf(spillFolder)));
  expect(isRunning(pid)).toBe(true);
  await eventually(() => !isRunning(pid));
});

test('a detached hook without a deadline, or where the system has no timeout program, just runs', async () => {
  const { run, spillFolder } = detached();
  await run(sh('echo one'), { background: true, timeoutMs: null });
  await eventually(() => textOf(spillFolder) === 'one\n');

  const bare = shellIn(temporaryFolder(), { detach: true, env: { PATH: '/nowhere' } });
  const exec = { via: 'exec', file: '/bin/sh', args: ['-c', 'echo two'] } as const;
  await bare.run(exec, { background: true, timeoutMs: 5000 });
  await eventually(() => textOf(bare.spillFolder) === 'two\n');
});

test('a long value of a detached hook is still there when the hook reads it', async () => {
  const { run, spillFolder } = detached();
  const presentation = { env: { LONG: 'x'.repeat(150_000) } };
  await run(sh('sleep 0.2; wc -c < "$LONG_FILE"'), { background: true, presentation });
  await eventually(() => textOf(spillFolder) === '150000\n');
});

test('a detached hook that cannot start says why', async () => {
  const { run } = detached();
  const exec = { via: 'exec', file: './missing', args: [] } as const;
  expect(await run(exec, { background: true, timeoutMs: null })).toEqual({
    kind: 'not-started',
    reason: 'not found: ./missing',
  });
});

test('a detached hook whose output cannot be kept runs all the same', async () => {
  const folder = temporaryFolder();
  const spill = {
    open(): never {
      throw new Error('EROFS');
    },
    discard: () => {},
  };
  const { run, warnings } = shellIn(folder, { detach: true, spill });
  await run(sh('touch ran'), { background: true });
  await eventually(() => existsSync(join(folder, 'ran')));
  expect(warnings).toEqual(['the output of a hook in the background is not kept: EROFS']);
});

test('an awaited hook is not detached', async () => {
  const { run } = detached();
  expect(await run(sh('echo here'))).toMatchObject({ stdout: 'here\n' });
});
