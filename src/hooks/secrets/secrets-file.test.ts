import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createMask } from './mask.ts';
import { createSecrets, readSecrets } from './secrets-file.ts';

/** A config folder with secrets files of these texts. */
function configWith(files: Record<string, string>, mode = 0o600): { config: string; pathOf(folder: string): string } {
  const config = mkdtempSync(join(tmpdir(), 'hookloop-secrets-'));
  onTestFinished(() => rmSync(config, { recursive: true, force: true }));
  const pathOf = (folder: string): string => join(config, folder, 'secrets.env');
  for (const [folder, text] of Object.entries(files)) {
    mkdirSync(join(config, folder));
    writeFileSync(pathOf(folder), text);
    chmodSync(pathOf(folder), mode);
  }
  return { config, pathOf };
}

test('both files are read, ours last', () => {
  const { config } = configWith({ 'agent-pipelines': 'A=1\nB=2\n', hookloop: 'B=3\nC=4' });
  expect(readSecrets({ config })).toEqual({ values: { A: '1', B: '3', C: '4' }, warnings: [] });
});

test('without files there are no secrets', () => {
  expect(readSecrets({ config: '/nowhere/at/all' })).toEqual({ values: {}, warnings: [] });
});

test.each([
  ['A=b=c&d#e', 'b=c&d#e'],
  ['  export A = b c  # why', 'b c'],
  ['A="b # \\"c\\" \\$d\\\\" # why', 'b # "c" $d\\'],
  ["A='b \\n $c'", 'b \\n $c'],
  ['A=', ''],
  ['A=""', ''],
  ['A=b"c"', 'b"c"'],
  ['A=b\r', 'b'],
  ['\ufeffA=b', 'b'],
  ['# A=c\n\n  #x\nA=b', 'b'],
  ['A=$HOME `id`', '$HOME `id`'],
])('%j has the value %j', (text, value) => {
  const { config } = configWith({ hookloop: text });
  expect(readSecrets({ config })).toEqual({ values: { A: value }, warnings: [] });
});

test('a line that is not NAME=VALUE is told by its number alone', () => {
  const { config, pathOf } = configWith({ hookloop: 'A=1\nhidden\nB="hidden\n1C=hidden\nD=2' });
  const path = pathOf('hookloop');
  expect(readSecrets({ config })).toEqual({
    values: { A: '1', D: '2' },
    warnings: [2, 3, 4].map(line => `${path}:${line} is not NAME=VALUE`),
  });
});

test.each([0o644, 0o640, 0o604])('a file of mode %o is read with a warning', mode => {
  const { config, pathOf } = configWith({ hookloop: 'A=1' }, mode);
  const path = pathOf('hookloop');
  expect(readSecrets({ config })).toEqual({
    values: { A: '1' },
    warnings: [`${path} can be read by others: chmod 600 ${path}`],
  });
});

test('what is no file, or too long, is not read', () => {
  const { config, pathOf } = configWith({ hookloop: 'A=1\n'.repeat(300_000) });
  mkdirSync(join(config, 'agent-pipelines'));
  execFileSync('mkfifo', [pathOf('agent-pipelines')]);
  expect(readSecrets({ config })).toEqual({
    values: {},
    warnings: [
      `${pathOf('agent-pipelines')} is not read: it is not a file`,
      `${pathOf('hookloop')} is not read: it is over 1 MiB`,
    ],
  });
});

test('secrets are read when first asked for, warned about once, and masked whatever their name', () => {
  const { config, pathOf } = configWith({ hookloop: 'PLACE=one-two-three\nnonsense' });
  const warnings: string[] = [];
  const secrets = createSecrets({ config }, text => warnings.push(text));
  const mask = createMask({ HOME: '/home/someone' }, () => Object.values(secrets()));
  expect(warnings).toEqual([]);
  expect(mask('to one-two-three in /home/someone')).toBe('to *** in /home/someone');
  expect(secrets()).toEqual({ PLACE: 'one-two-three' });
  expect(warnings).toEqual([`${pathOf('hookloop')}:2 is not NAME=VALUE`]);
});
