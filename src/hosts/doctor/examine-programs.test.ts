import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { acpFindings } from './examine.ts';

test('tells of calls that an agent makes without asking, where that agent is there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const places = { cwd: folder, searchPath: folder, ownFile: join(folder, 'hookloop') };
  expect(acpFindings('gemini', places)).toMatchObject([{ message: expect.stringContaining('is not installed') }]);
  for (const program of ['gemini', 'qwen']) writeFileSync(join(folder, program), '', { mode: 0o755 });
  expect(acpFindings('gemini', places)).toEqual([
    { severity: 'note', message: expect.stringMatching(/asks no one about .* the turn is cancelled/) },
  ]);
  expect(acpFindings('qwen', places)).toEqual([]);
});
