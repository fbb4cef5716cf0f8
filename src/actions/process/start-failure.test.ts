import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { env, runProgram, temporaryFolder } from '../fixtures/programs.ts';

function folderWith(name: string, text: string, mode = 0o755): { folder: string; path: string } {
  const folder = temporaryFolder();
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return { folder, path };
}

const reasonOf = async (...run: Parameters<typeof runProgram>): Promise<string> => {
  const outcome = await runProgram(...run);
  return outcome.kind === 'not-started' ? outcome.reason : `started: ${outcome.kind}`;
};

test('a missing program', async () => {
  expect(await reasonOf('/no/such/program')).toBe('not found: /no/such/program');
  expect(await reasonOf('./nothing', [], { file: './nothing' })).toBe('not found: ./nothing');
});

test('a program that is not in PATH', async () => {
  expect(await reasonOf('', [], { file: 'no-such-program' })).toBe('not found in PATH: no-such-program');
  expect(await reasonOf('', [], { file: 'sh', env: { PATH: '/nowhere' } })).toBe('not found in PATH: sh');
});

test('a script that is not executable', async () => {
  const { path } = folderWith('hook.sh', '#!/bin/sh\nexit 0\n', 0o644);
  expect(await reasonOf(path)).toBe(`not executable: ${path}; fix it with: chmod +x ${path}`);
});

test('a link to a script that is not executable', async () => {
  const { folder, path } = folderWith('hook.sh', '#!/bin/sh\nexit 0\n', 0o644);
  const link = join(folder, 'link.sh');
  symlinkSync(path, link);
  expect(await reasonOf(link)).toBe(`not executable: ${link} (a link to ${path}); fix it with: chmod +x ${path}`);
});

test('a program in PATH that is not executable', async () => {
  const { folder, path } = folderWith('tool', '#!/bin/sh\n', 0o644);
  expect(await reasonOf('', [], { file: 'tool', env: { PATH: folder } })).toContain(`not executable: ${path}`);
});

test('a script with Windows line ends', async () => {
  const { path } = folderWith('hook.sh', '#!/bin/sh\r\nexit 0\r\n');
  expect(await reasonOf(path)).toBe(`Windows line ends (CRLF) in its #! line: ${path}; save it with LF line ends`);
});

test('a script whose interpreter is missing', async () => {
  expect(await reasonOf('bad-interpreter')).toMatch(
    /^the interpreter in its #! line does not exist: \/no\/such\/interpreter \(.*bad-interpreter\)$/,
  );
});

test('a script whose interpreter is not executable', async () => {
  const { folder, path } = folderWith('interpreter', '', 0o644);
  const script = join(folder, 'hook');
  writeFileSync(script, `#!${path}\n`, { mode: 0o755 });
  expect(await reasonOf(script)).toBe(`the interpreter in its #! line is not executable: ${path} (${script})`);
});

test('a working folder that is missing or a file', async () => {
  const { folder, path } = folderWith('file', '');
  const missing = join(folder, 'missing');
  expect(await reasonOf('/bin/sh', [], { cwd: missing })).toBe(`the working folder does not exist: ${missing}`);
  expect(await reasonOf('/bin/sh', [], { cwd: path })).toBe(`the working folder is not a folder: ${path}`);
});

test('an environment or arguments that are too long', async () => {
  const long = { ...env, LONG: 'x'.repeat(200_000) };
  expect(await reasonOf('/bin/true', [], { env: long })).toContain('argument list too long, E2BIG');
  expect(await reasonOf('/bin/true', ['x'.repeat(200_000)])).toContain('argument list too long, E2BIG');
});

test('links that lead in a circle or nowhere', async () => {
  const folder = temporaryFolder();
  symlinkSync('b', join(folder, 'a'));
  symlinkSync('a', join(folder, 'b'));
  symlinkSync('gone', join(folder, 'dead'));
  expect(await reasonOf(join(folder, 'a'))).toBe(`its symbolic links form a loop: ${join(folder, 'a')}`);
  expect(await reasonOf(join(folder, 'dead'))).toBe(`a link that leads nowhere: ${join(folder, 'dead')}`);
});

test('a folder instead of a program, and a file instead of a folder in its path', async () => {
  const { folder, path } = folderWith('file', '');
  mkdirSync(join(folder, 'sub'));
  expect(await reasonOf(join(folder, 'sub'))).toBe(`a folder, not a program: ${join(folder, 'sub')}`);
  expect(await reasonOf(join(path, 'hook'))).toBe(`a part of its path is not a folder: ${join(path, 'hook')}`);
});

test('a NUL character in an argument or the environment', async () => {
  const reason = 'a NUL character in its command, arguments or environment';
  expect(await reasonOf('/bin/true', ['a\0b'])).toBe(reason);
  expect(await reasonOf('/bin/true', [], { env: { A: 'a\0b' } })).toBe(reason);
});

test('an empty command', async () => {
  expect(await reasonOf('', [], { file: '' })).toMatch(/empty/);
});

test('a syntax error starts and does not succeed', async () => {
  expect(await runProgram('syntax-error')).toMatchObject({ kind: 'exited', exitCode: 2 });
});
