import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { program, temporaryFolder } from '../fixtures/programs.ts';

const GB = 1_000_000_000;

test('1 GB of output takes less than 100 MB of memory, and 64 MiB on the disk', { timeout: 120_000 }, async () => {
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
  const printed = execFileSync(process.execPath, [bundle, folder, program('big-output'), String(GB)], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
    timeout: 110_000,
  });
  const { maxBytes, ...outcome } = JSON.parse(printed);
  expect(outcome).toEqual({
    kind: 'exited',
    truncated: { stdoutBytes: GB, stderrBytes: 0, stdoutFile: expect.stringContaining(folder) },
    textLength: expect.any(Number),
  });
  expect(outcome.textLength).toBeLessThan(2 * 64 * 1024 + 400);
  const { size } = statSync(outcome.truncated.stdoutFile);
  expect(size - 64 * 1024 * 1024).toBe(`\n[${GB - 64 * 1024 * 1024} bytes left out]\n`.length);
  expect(maxBytes).toBeLessThan(100_000_000);
});
