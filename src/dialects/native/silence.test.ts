import { expect, test } from 'vitest';
import { read } from '../../config/read.ts';
import { createReport } from '../../config/report.ts';
import { parseYaml } from '../../config/yaml.ts';
import { fileShape } from './config.ts';
import { readSettings } from './settings.ts';

test.each([
  ['15m', 900_000],
  ['90s', 90_000],
  ['2h', 7_200_000],
  ['off', null],
  ['5', 5000],
])('silence: %s is read', (written, silenceMs) =>
  expect(readSettings('hookloop.yaml', `silence: ${written}\n`)).toEqual({ silenceMs }),
);

test.each([
  ['soon', '"soon" is neither a duration nor off'],
  ['15 minutes', '"15 minutes" is neither a duration nor off'],
  ['0', 'silence must be longer than 0'],
  ['0s', 'silence must be longer than 0'],
  ['-5', '-5 must be at least 0'],
  ['.inf', 'Infinity is not a finite number'],
  ['true', 'expected a duration or a text, found the flag true'],
  ['[1]', 'expected a duration or a text, found a list'],
])('silence: %s is a mistake at its place, and counts as not written', (written, message) => {
  const text = `silence: ${written}\n`;
  const report = createReport('hookloop.yaml', text, false);
  const parsed = parseYaml(text);
  if (parsed.kind !== 'parsed' || !parsed.root) throw new Error('not parsed');
  read(parsed.root, fileShape, report);
  expect(report.problems).toMatchObject([{ severity: 'error', message, at: { line: 1, column: 10 } }]);
  expect(readSettings('hookloop.yaml', text)).toEqual({});
});
