import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { runProcess } from '../process.ts';
import { createScratch } from '../scratch.ts';
import { createSpill } from '../spill.ts';

const base = mkdtempSync(join(tmpdir(), 'hookloop-files-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(base, 'f-'));
});

const run = (
  script: string,
  options: { stdin?: string; relayStderr?: (line: string) => void; timeoutMs?: number } = {},
) =>
  runProcess({
    file: 'sh',
    args: ['-c', script],
    cwd: base,
    env: { PATH: process.env['PATH'] },
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    spill: createSpill(folder),
    scratch: createScratch(folder),
    ...options,
  });

describe('a process whose output goes to files', () => {
  test('may open /dev/stdout and /dev/stderr', async () => {
    expect(await run('echo out > /dev/stdout; echo err > /dev/stderr')).toEqual({
      kind: 'exited',
      exitCode: 0,
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  test('reads its stdin to the end, and leaves no file behind', async () => {
    expect(await run('cat; echo done >&2', { stdin: 'a\nb' })).toEqual({
      kind: 'exited',
      exitCode: 0,
      stdout: 'a\nb',
      stderr: 'done\n',
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('has its stderr handed on while it runs', async () => {
    const lines: string[] = [];
    const ended = run('echo one >&2; while [ ! -e go ]; do sleep 0.02; done; rm go; printf two >&2', {
      relayStderr: line => void lines.push(line),
    });
    while (lines.length === 0) await new Promise(resolve => setTimeout(resolve, 5));
    await run('touch go');
    await ended;
    expect(lines).toEqual(['one', 'two']);
  });

  test('keeps output over 1 MiB in its file, with head and tail in the result', async () => {
    const outcome = await run('seq 1 300000');
    expect(outcome).toMatchObject({
      kind: 'exited',
      stdout: expect.stringMatching(/^1\n2\n[\s\S]*bytes left out; all [\s\S]*\n300000\n$/),
    });
    const file = 'truncated' in outcome ? outcome.truncated?.stdoutFile : undefined;
    expect(readFileSync(file!, 'utf8').split('\n')).toHaveLength(300_001);
  });

  test('is not waited for by what it left in the background', async () => {
    const from = performance.now();
    expect(await run('echo hi; sleep 30 & exit 0')).toMatchObject({ kind: 'exited', stdout: 'hi\n' });
    expect(performance.now() - from).toBeLessThan(10_000);
  });

  test('gives what it printed before a timeout', async () => {
    expect(await run('echo partial; sleep 60', { timeoutMs: 300 })).toMatchObject({
      kind: 'timed-out',
      stdout: 'partial\n',
    });
  });
});
