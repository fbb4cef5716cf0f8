import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundleProgram, temporaryFolder } from '../../platform/fixtures/programs.ts';
import { run, runInjected, tellSkipped, whyNoInjection } from './fixtures/programs.ts';

const appender = await bundleProgram(new URL('./fixtures/appender.ts', import.meta.url));
const noSpace = 'no space left on the disk (ENOSPC)';
const brokenDisk = 'the disk reports an input/output error (EIO)';

const append = (folder: string, how: string, count: number, bytes: number): string[] => [
  process.execPath,
  appender,
  folder,
  how,
  String(count),
  String(bytes),
];

async function appendInjected(inject: string, how: string, count: number) {
  const folder = temporaryFolder();
  const { stdout } = await runInjected(inject, [join(folder, 'journal.jsonl')], append(folder, how, count, 100));
  return JSON.parse(stdout);
}

describe.skipIf(tellSkipped('failing disks', whyNoInjection))('a disk that fails', () => {
  test.each([
    ['ENOSPC', noSpace],
    ['EIO', brokenDisk],
  ])('in a write with %s rejects that append, and the next one follows the last good entry', async (code, reason) => {
    const { results, numbersRead } = await appendInjected(`pwrite64:error=${code}:when=3`, 'in-turn', 5);
    expect({ results, numbersRead }).toEqual({ results: ['1', '2', reason, '3', '4'], numbersRead: [1, 2, 4, 5] });
  });

  test('in a write rejects all that were committed together', async () => {
    const result = await appendInjected('pwrite64:error=ENOSPC:when=1', 'together', 4);
    expect(result).toEqual({ results: Array(4).fill(noSpace), distinctErrors: 1, numbersRead: [] });
  });

  test.each([
    ['ENOSPC', noSpace],
    ['EIO', brokenDisk],
  ])('in fdatasync with %s ends the journal with one error and leaves nothing unsure in it', async (code, reason) => {
    const result = await appendInjected(`fdatasync:error=${code}:when=3`, 'in-turn', 5);
    expect(result).toEqual({ results: ['1', '2', reason, reason, reason], distinctErrors: 1, numbersRead: [1, 2] });
  });

  test('in fdatasync is not asked to sync again', async () => {
    const folder = temporaryFolder();
    const trace = join(folder, 'trace');
    const inject = ['-e', 'trace=fdatasync,fsync', '-e', 'inject=fdatasync:error=EIO:when=2'];
    const only = ['-P', join(folder, 'journal.jsonl')];
    await run(['strace', '-f', '-qq', '-o', trace, ...only, ...inject, ...append(folder, 'in-turn', 5, 100)], {
      UV_THREADPOOL_SIZE: '1',
    });
    expect(readFileSync(trace, 'utf8').match(/f(data)?sync\(/g)).toHaveLength(2);
  });

  test('that cannot even be cut back ends the journal', async () => {
    const folder = temporaryFolder();
    const faults = ['pwrite64:error=ENOSPC:when=2', 'ftruncate:error=EIO'].flatMap(fault => ['-e', `inject=${fault}`]);
    const only = ['-P', join(folder, 'journal.jsonl'), '-e', 'trace=pwrite64,ftruncate'];
    const { stdout } = await run(
      ['strace', '-f', '-qq', '-o', '/dev/null', ...only, ...faults, ...append(folder, 'in-turn', 4, 100)],
      { UV_THREADPOOL_SIZE: '1' },
    );
    const { results, distinctErrors } = JSON.parse(stdout);
    expect({ results, distinctErrors }).toEqual({ results: ['1', noSpace, noSpace, noSpace], distinctErrors: 1 });
  });

  test('while a journal is opened makes it unwritable', async () => {
    const folder = temporaryFolder();
    const { stdout } = await runInjected('fsync:error=EIO', [folder], append(folder, 'in-turn', 1, 1));
    expect(JSON.parse(stdout)).toEqual({ kind: 'unwritable', reason: brokenDisk });
  });

  test('is synced once for all appends that come together', async () => {
    const folder = temporaryFolder();
    const trace = join(folder, 'trace');
    await run(['strace', '-f', '-qq', '-o', trace, '-e', 'trace=fdatasync', ...append(folder, 'together', 500, 100)]);
    expect(readFileSync(trace, 'utf8').match(/fdatasync\(/g)).toHaveLength(1);
  });
});

test('a write that only partly fits is taken back whole', async () => {
  const folder = temporaryFolder();
  const { stdout } = await run(['sh', '-c', 'ulimit -f 8; exec "$@"', 'sh', ...append(folder, 'in-turn', 12, 900)]);
  const { results, numbersRead } = JSON.parse(stdout);
  const fitting = results.filter((result: string) => /^\d+$/.test(result)).length;
  expect(fitting).toBeGreaterThan(2);
  expect(fitting).toBeLessThan(12);
  expect(results.slice(fitting)).toEqual(Array(12 - fitting).fill('the file may not grow further (EFBIG)'));
  expect(numbersRead).toEqual(results.slice(0, fitting).map(Number));
  expect(readFileSync(join(folder, 'journal.jsonl'), 'utf8').endsWith('}\n')).toBe(true);
});

const inNamespace = ['unshare', '-Urm', 'sh', '-c'];
const canMount =
  spawnSync(inNamespace[0]!, [...inNamespace.slice(1), 'mount -t tmpfs -o size=64k none /mnt']).status === 0;
const whyNoMount = canMount ? false : 'a tmpfs cannot be mounted here';

test.skipIf(tellSkipped('a full disk of 64 kB', whyNoMount))(
  'a disk that is full takes the same record once there is space, and no entry is lost',
  async () => {
    const folder = temporaryFolder();
    const ballast = join(folder, 'b');
    writeFileSync(ballast, Buffer.alloc(24 * 1024));
    const script = 'mount -t tmpfs -o size=64k none "$1" && cp "$2" "$1/ballast" && shift 2 && exec "$@"';
    const mounted = temporaryFolder();
    const { stdout } = await run([
      ...inNamespace,
      script,
      'sh',
      mounted,
      ballast,
      ...append(mounted, 'retry', 20, 2900),
    ]);
    const { results, numbersRead } = JSON.parse(stdout);
    expect(results.filter((result: string) => result === noSpace).length).toBeGreaterThan(0);
    expect(results.filter((result: string) => result !== noSpace)).toEqual(
      numbersRead.map((_: number, index: number) => `${index + 1}`),
    );
    expect(results.indexOf(noSpace)).toBeLessThan(results.length - 3);
    expect(numbersRead).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  },
);
