import type { TestResult } from '../../app/run-tests.ts';
import type { Mask } from '../../model/mask.ts';
import { firedText } from './fired.ts';
import { createColours } from './paint.ts';

/** The results as JUnit's XML, a suite for each file. */
export function junitText(results: readonly TestResult[], mask: Mask): string {
  const files = [...new Set(results.map(({ file }) => file))];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="hookloop"${countsOf(results)}>`,
    ...files.flatMap(file => suiteLines(file, results, mask)),
    '</testsuites>',
    '',
  ].join('\n');
}

function suiteLines(file: string, all: readonly TestResult[], mask: Mask): string[] {
  const results = all.filter(result => result.file === file);
  return [
    `  <testsuite name=${quoted(mask(file))}${countsOf(results)}>`,
    ...results.flatMap(result => caseLines(result, mask)),
    '  </testsuite>',
  ];
}

function caseLines(result: TestResult, mask: Mask): string[] {
  const { name, fired, durationMs, status, why = '' } = result;
  const head = `    <testcase name=${quoted(mask(name))} classname=${quoted(fired.event.name)} time="${durationMs / 1000}"`;
  if (status === 'passed') return [`${head}/>`];
  const details = firedText(fired, { colours: createColours(false), mask });
  return [`${head}>`, `      <failure message=${quoted(mask(why))}>${escaped(details)}</failure>`, '    </testcase>'];
}

function countsOf(results: readonly TestResult[]): string {
  const failed = results.filter(({ status }) => status === 'failed').length;
  const seconds = results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  return ` tests="${results.length}" failures="${failed}" time="${seconds}"`;
}

const quoted = (text: string): string => `"${escaped(text.replaceAll(/\s+/g, ' '))}"`;

/** Characters that XML has no way to write stand as the replacement character. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
