import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { program, temporaryFolder } from '../fixtures/programs.ts';

const GB = 1_000_000_000;

test('1 GB of output takes less than 100 MB of memory and is whole in its file', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder();
  const bundle = join(folder, 'print-memory.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('../fixtures/print-memory.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: bundle,
    logLevel: 'warning',
  });
  const startMs = performance.now();
  const printed = execFileSync(process.execPath, [bundle, folder, program('big-output'), String(GB)], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  expect(performance.now() - startMs).toBeLessThan(60_000);
  const { maxBytes, ...outcome } = JSON.parse(printed);
  expect(outcome).toEqual({
    kind: 'exited',
    truncated: { stdoutBytes: GB, stderrBytes: 0, stdoutFile: expect.stringContaining(folder) },
    textLength: expect.any(Number),
  });
  expect(outcome.textLength).toBeLessThan(2 * 64 * 1024 + 400);
  expect(statSync(outcome.truncated.stdoutFile).size).toBe(GB);
  expect(maxBytes).toBeLessThan(100_000_000);
});
