import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ControlRequest } from '../../model/control.ts';
import { bundleProgram, temporaryFolder } from '../../platform/fixtures/programs.ts';
import { isServed } from './address.ts';
import { askSession } from './ask-session.ts';
import { serve, untilAborted } from './fixtures/session.ts';
import { serveControl } from './serve-control.ts';

const list: ControlRequest = { method: 'task.list' };
const modeOf = (path: string): number => lstatSync(path).mode & 0o777;

describe('the socket', () => {
  test('stands in the first folder that can hold it', async () => {
    const folder = temporaryFolder();
    const [file, state] = [join(folder, 'file'), join(folder, 'state')];
    writeFileSync(file, '');
    for (const runtime of [file, join(folder, 'absent'), join(folder, 'x'.repeat(90)), 'relative']) {
      const { socket } = await serve(undefined, { env: { XDG_RUNTIME_DIR: runtime, XDG_STATE_HOME: state } });
      expect(dirname(socket)).toBe(join(state, 'hookloop', 'run'));
    }
    const { socket } = await serve(undefined, { env: {} });
    expect(dirname(socket)).toBe(`/tmp/hookloop-${process.getuid!()}`);
    expect(modeOf(dirname(socket))).toBe(0o700);
  });

  test('never stands where a link leads, and closes a folder that others could enter', async () => {
    const folder = temporaryFolder();
    const [linked, open, state] = [join(folder, 'linked'), join(folder, 'open'), join(folder, 'state')];
    for (const made of [linked, open, join(open, 'hookloop'), join(folder, 'elsewhere')]) mkdirSync(made);
    symlinkSync(join(folder, 'elsewhere'), join(linked, 'hookloop'));
    chmodSync(join(open, 'hookloop'), 0o777);
    const first = await serve(undefined, { env: { XDG_RUNTIME_DIR: linked, XDG_STATE_HOME: state } });
    expect(dirname(first.socket)).toBe(join(state, 'hookloop', 'run'));
    const second = await serve(undefined, { env: { XDG_RUNTIME_DIR: open, XDG_STATE_HOME: state } });
    expect(dirname(second.socket)).toBe(join(open, 'hookloop'));
    expect(modeOf(join(open, 'hookloop'))).toBe(0o700);
  });

  test('has a short path however long that of the session is', async () => {
    const sessionFolder = join(temporaryFolder(), ...Array.from({ length: 12 }, () => 'a-rather-long-name-é'));
    const { socket } = await serve(undefined, { sessionFolder });
    expect(Buffer.byteLength(socket)).toBeLessThan(100);
    expect(await askSession(sessionFolder, list)).toMatchObject({ kind: 'ok' });
  });

  test('is a reason where the session folder is gone', async () => {
    const folder = temporaryFolder();
    const served = await serveControl({
      sessionFolder: join(folder, 'absent'),
      env: { XDG_RUNTIME_DIR: folder },
      answer: untilAborted,
    });
    expect(served).toEqual({ kind: 'failed', reason: expect.stringContaining('does not exist') });
  });
});

describe('an address', () => {
  const program = bundleProgram(new URL('fixtures/server.ts', import.meta.url), 'cjs');

  test('of a process that was killed is no one, and its socket is replaced', async () => {
    const folder = temporaryFolder();
    const child = spawn(process.execPath, [await program, folder], { env: { XDG_RUNTIME_DIR: folder } });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [socket] = (await once(createInterface(child.stdout), 'line')) as [string];
    expect(await askSession(folder, list)).toEqual({ kind: 'ok', value: list });
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    expect(existsSync(socket)).toBe(true);
    expect(await askSession(folder, list)).toEqual({ kind: 'not-running' });
    const served = await serve(undefined, { sessionFolder: folder, env: { XDG_RUNTIME_DIR: folder } });
    expect(served.socket).toBe(socket);
    expect(await askSession(folder, list)).toEqual({ kind: 'ok', value: list });
  });

  test('whose process dies before it has answered is a failure', async () => {
    const folder = temporaryFolder();
    const child = spawn(process.execPath, [await program, folder], { env: { XDG_RUNTIME_DIR: folder } });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(createInterface(child.stdout), 'line');
    child.kill('SIGSTOP');
    const reply = askSession(folder, list);
    child.kill('SIGKILL');
    expect(await reply).toMatchObject({ kind: 'failed' });
  });

  test('in a copy of the folder is not the session', async () => {
    const { sessionFolder } = await serve();
    const copy = join(temporaryFolder(), 'copy');
    cpSync(sessionFolder, copy, { recursive: true });
    expect(isServed(copy)).toBe(false);
    expect(await askSession(copy, list)).toEqual({ kind: 'not-running' });
  });

  test.each(['', '{', '[]', '{"socket":7}', `{"socket":"/etc/passwd","pid":1,"startTime":"0"}`])(
    'that says nothing is no one: %s',
    async text => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'control.json'), text);
      expect(await askSession(folder, list)).toEqual({ kind: 'not-running' });
      expect(await askSession(join(folder, 'absent'), list)).toEqual({ kind: 'not-running' });
    },
  );
});
