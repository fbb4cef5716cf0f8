import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSessionFolder } from './folder.ts';
import { childPaths, type SessionPaths, sessionPaths, sessionsFolder } from './paths.ts';
import { seal, unseal } from './seal.ts';

function session(): { root: string; paths: SessionPaths } {
  const root = mkdtempSync(join(tmpdir(), 'hookloop-seal-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const paths = sessionPaths(root, 's');
  createSessionFolder(paths);
  return { root, paths };
}

const value = { text: 'a secret, ünïcödé', list: [1, null] };

test('what is sealed is read again, in the session and in its children, and tells nothing', () => {
  const { paths } = session();
  const child = childPaths(paths, 'point', 1);
  const sealed = seal(paths, value);
  expect(unseal(paths, sealed)).toEqual({ kind: 'value', value });
  expect(unseal(paths, seal(child, value))).toEqual({ kind: 'value', value });
  expect(sealed).not.toBe(seal(paths, value));
  expect(Buffer.from(sealed, 'base64').includes('secret')).toBe(false);
});

test('the key is the only file that sealing leaves', () => {
  const { root, paths } = session();
  seal(paths, value);
  expect(readdirSync(sessionsFolder(root)).toSorted()).toEqual(['.key', 's']);
  expect(readdirSync(paths.folder)).toEqual([]);
});

test.each([
  ['changed', (sealed: string) => `${sealed.slice(0, -8)}AAAAAAA=`],
  ['cut', (sealed: string) => sealed.slice(0, 12)],
  ['empty', () => ''],
])('what is %s is not taken for anything', (_, change) => {
  const { paths } = session();
  expect(unseal(paths, change(seal(paths, value)))).toEqual({
    kind: 'sealed',
    reason: expect.stringMatching(/another key/),
  });
});

test('a key that is damaged is told, and no other is made in its place', () => {
  const { root, paths } = session();
  const sealed = seal(paths, value);
  const key = join(sessionsFolder(root), '.key');
  writeFileSync(key, 'abc');
  expect(unseal(paths, sealed)).toEqual({ kind: 'sealed', reason: `${key} is damaged` });
  expect(() => seal(paths, value)).toThrow(/is damaged/);
});
