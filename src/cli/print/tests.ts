import type { TestResult } from '../../app/run-tests.ts';
import type { Mask } from '../../model/mask.ts';
import { counted, durationWords } from '../../model/words.ts';
import { firedText } from './fired.ts';
import type { Colours } from './paint.ts';
import { flat } from './text.ts';

/** A case in one line; of one that failed, why, and all that its hooks did. */
export function testText(result: TestResult, print: { colours: Colours; mask: Mask }): string {
  const { colours, mask } = print;
  const name = flat(mask(result.name));
  if (result.status === 'passed') return `${colours.cyan('+')} ${name}\n`;
  const details = firedText(result.fired, print).trimEnd().split('\n');
  return [
    `${colours.red(`x ${name}`)}`,
    ...(result.why ?? '').split('; ').map(line => `    ${flat(mask(line))}`),
    '',
    ...details.map(line => (line === '' ? '' : `    ${line}`)),
    '',
    '',
  ].join('\n');
}

export function testsSummary(results: readonly TestResult[], tookMs: number): string {
  const failed = results.filter(({ status }) => status === 'failed').length;
  const passed = results.length - failed;
  const parts = [...(failed > 0 ? [`${failed} failed`] : []), `${passed} passed`].join(', ');
  return `${counted(results.length, 'test')}: ${parts} in ${durationWords(tookMs)}\n`;
}

/** What `test --json` gives. A contract with scripts: fields are added, never changed. */
export const testsReport = (results: readonly TestResult[]): unknown => ({
  passed: results.filter(({ status }) => status === 'passed').length,
  failed: results.filter(({ status }) => status === 'failed').length,
  tests: results.map(({ name, status, decision, message, why, file }) => ({
    ...{ name, status, decision, message },
    ...(why !== undefined && { why }),
    file,
  })),
});
