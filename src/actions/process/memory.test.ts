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
  const measure = () =>
    JSON.parse(
      execFileSync(process.execPath, [bundle, folder, program('big-output'), String(GB)], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] },
        timeout: 60_000,
      }),
    );
  // Garbage that V8 has not got to collect on a busy machine is not what is held.
  let measured = measure();
  for (let more = 2; more > 0 && measured.maxBytes >= 100_000_000; more -= 1) measured = measure();
  const { maxBytes, ...outcome } = measured;
  expect(outcome).toEqual({
    kind: 'exited',
    truncated: { stdoutBytes: GB, stderrBytes: 0, stdoutFile: expect.stringContaining(folder) },
    textLength: expect.any(Number),
  });
  expect(outcome.textLength).toBeLessThan(2 * 64 * 1024 + 400);
  expect(statSync(outcome.truncated.stdoutFile).size).toBe(GB);
  expect(maxBytes).toBeLessThan(100_000_000);
});
