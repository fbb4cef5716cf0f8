import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../fixtures/programs.ts';

test('1,000 webhooks at once all arrive, over few sockets and in little memory', { timeout: 120_000 }, async () => {
  const bundle = join(temporaryFolder(), 'print-load.cjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./fixtures/print-load.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: bundle,
    logLevel: 'warning',
  });
  const printed = execFileSync(process.execPath, [bundle, '1000'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  const { maxBytes, mostOpen, tookMs, longestTickMs, ...rest } = JSON.parse(printed);
  expect(rest).toEqual({ delivered: 1000, distinct: 1000, warnings: [] });
  expect(mostOpen).toBeLessThanOrEqual(70);
  expect(maxBytes).toBeLessThan(200_000_000);
  expect(tookMs).toBeLessThan(60_000);
  expect(longestTickMs).toBeLessThan(2000);
});
