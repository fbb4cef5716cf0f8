import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Invocation } from '../../model/index.ts';
import { endLater, env, eventually, isRunning, temporaryFolder } from '../fixtures/programs.ts';
import { sh, shellIn } from '../fixtures/shell.ts';
import type { ReadyProcess, ReadyProcesses } from './ports.ts';
import { createReadyProcesses } from './ready.ts';

/** Two runners in one folder: one that starts its processes, one that has `waiting` for its next one. */
async function bothIn(folder = temporaryFolder(), outer: Readonly<Record<string, string | undefined>> = env) {
  const others = new Set(children());
  const processes = createReadyProcesses();
  onTestFinished(() => processes.close());
  const waiting = await waitingOf(processes);
  const pid = children().find(each => !others.has(each))!;
  let isTaken = false;
  const ready: ReadyProcesses = {
    take() {
      const given = isTaken ? undefined : waiting;
      isTaken = true;
      return given;
    },
  };
  const started = shellIn(folder, { detach: true, env: outer });
  const waited = shellIn(folder, { detach: true, env: outer, ready });
  return { folder, waiting, pid, started, waited, isTaken: () => isTaken };
}

async function waitingOf(processes: ReadyProcesses): Promise<ReadyProcess> {
  for (let tries = 0; tries < 250; tries += 1) {
    const waiting = processes.take();
    if (waiting) return waiting;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  throw new Error('none is ready');
}

const children = (): number[] =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
const withoutMark = (text: string): string => text.replaceAll(/HOOKLOOP_MARK=[\w/-]+/g, '');

test('a hook finds the same world in a process that has waited for it', async () => {
  const odd = {
    LINES_OF: 'one\ntwo\n',
    QUOTES: `'"\`$(id)\\`,
    EMPTY: '',
    'odd.name': 'a=b',
    UNICODE: 'ü€😀',
    PERL5OPT: '-d',
  };
  const { started, waited, isTaken } = await bothIn(undefined, { ...env, ...odd, LC_ALL: undefined });
  const look = sh(`tr '\\0' '\\n' < /proc/$$/environ; pwd; umask; ulimit -a
    ls /proc/$$/fd; cat; set -- $(cat /proc/$$/stat); echo "group $(( $5 == $$ )) session $(( $6 == $$ )) parent $4 tty $7"`);
  const presentation = { env: { EVENT: 'tool.calling' }, stdin: '{"a":"ü"}\n' };
  const [usual, ready] = [await started.run(look, { presentation }), await waited.run(look, { presentation })];
  expect(isTaken()).toBe(true);
  if (usual.kind !== 'exited' || ready.kind !== 'exited') throw new Error(`${usual.kind}, ${ready.kind}`);
  expect(usual.stdout).toContain('QUOTES=\'"`$(id)\\');
  expect(usual.stdout).toContain('{"a":"ü"}');
  expect(withoutMark(ready.stdout)).toBe(withoutMark(usual.stdout));
  expect(ready.stderr).toBe(usual.stderr);
});

test('a hook has the same signals, rights and limits there', async () => {
  const { started, waited } = await bothIn();
  const args = ['-hE', '^(Sig(Blk|Ign|Cgt)|Cap|Uid|Gid|Groups|NoNew|Seccomp|Umask|Max )', '/proc/self/status'];
  const look: Invocation = { via: 'exec', file: 'grep', args: [...args, '/proc/self/limits'] };
  const presentation = { env: {}, stdin: 'x' };
  const usual = await started.run(look, { presentation });
  expect(usual).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('SigIgn:') });
  expect(await waited.run(look, { presentation })).toEqual(usual);
});

test('it is the process that has waited, and its words arrive one by one', async () => {
  const { waited, pid } = await bothIn();
  const exec = {
    via: 'exec',
    file: '/bin/sh',
    args: ['-c', 'echo $$; for w; do echo "<$w>"; done', 'x', '', 'a b', '$(id)', '-n\nü'],
  };
  const outcome = await waited.run(exec as Invocation, { presentation: { env: {}, stdin: 'x' } });
  if (outcome.kind !== 'exited') throw new Error(outcome.kind);
  const [own, ...words] = outcome.stdout.split('\n');
  expect(Number(own)).toBe(pid);
  expect(words.join('\n')).toBe('<>\n<a b>\n<$(id)>\n<-n\nü>\n');
});

test.each([
  ['an exit code', 'echo out; echo err >&2; exit 7', { kind: 'exited', exitCode: 7, stdout: 'out\n', stderr: 'err\n' }],
  ['a signal', 'kill -TERM $$', { kind: 'killed', signal: 'SIGTERM', stdout: '', stderr: '' }],
])('%s is told as of any other process', async (_what, script, expected) => {
  const { waited } = await bothIn();
  expect(await waited.run(sh(script), { presentation: { env: {}, stdin: 'x' } })).toEqual(expected);
});

test('a hook that cannot start says why in the same words', async () => {
  const file = (folder: string): string => join(folder, 'not-executable');
  const missing = { via: 'exec', file: './missing', args: [] } as const;
  const presentation = { env: {}, stdin: 'x' };
  for (const what of ['missing', 'not-executable', 'no-folder'] as const) {
    const { folder, started, waited, isTaken } = await bothIn();
    writeFileSync(file(folder), '#!/bin/sh\n');
    chmodSync(file(folder), 0o600);
    const gone = join(folder, 'gone');
    const places = { root: gone, repo: gone, cwd: gone, home: gone, config: gone };
    const exec = what === 'missing' ? missing : { via: 'exec' as const, file: './not-executable', args: [] };
    const more = { presentation, ...(what === 'no-folder' && { places }) };
    const usual = await started.run(exec, more);
    expect(usual).toMatchObject({ kind: 'not-started' });
    expect(await waited.run(exec, more)).toEqual(usual);
    expect(isTaken()).toBe(true);
  }
});

test('after its deadline nothing of it is left', async () => {
  const { folder, waited } = await bothIn();
  const script = 'setsid sleep 60 & echo $! > child; echo $$ > self; wait';
  const outcome = await waited.run(sh(script), { timeoutMs: 600, presentation: { env: {}, stdin: 'x' } });
  expect(outcome).toMatchObject({ kind: 'timed-out' });
  for (const name of ['child', 'self'])
    expect(isRunning(endLater(Number(readFileSync(join(folder, name), 'utf8'))))).toBe(false);
});

test('a process that has died while it waited is not used', async () => {
  const folder = temporaryFolder();
  const before = new Set(children());
  const processes = createReadyProcesses();
  onTestFinished(() => processes.close());
  processes.take();
  await eventually(() => children().some(pid => !before.has(pid)));
  const pid = children().find(each => !before.has(each))!;
  process.kill(pid, 'SIGKILL');
  await eventually(() => !children().includes(pid));
  const { run } = shellIn(folder, { detach: true, ready: processes });
  expect(await run(sh('cat'), { presentation: { env: {}, stdin: 'x' } })).toMatchObject({ exitCode: 0, stdout: 'x' });
  expect(await waitingOf(processes)).toBeDefined();
});

test.each([
  ['dies', 'SIGKILL'],
  ['stays stopped', undefined],
] as const)('one that %s before it becomes the hook costs a start', async (_what, signal) => {
  const { waited, pid, isTaken } = await bothIn();
  process.kill(endLater(pid), 'SIGSTOP');
  const ran = waited.run(sh('echo $$; cat'), { presentation: { env: {}, stdin: 'x' } });
  await eventually(isTaken);
  if (signal) process.kill(pid, signal);
  const outcome = await ran;
  expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, stdout: expect.stringMatching(/^\d+\nx$/), stderr: '' });
  await eventually(() => !isRunning(pid));
});

test('a program that it cannot become costs a start as well', async () => {
  const { waited, waiting } = await bothIn();
  const become = waiting.become;
  const gone = { ...waiting, become: (program: Parameters<typeof become>[0]) => become({ ...program, cwd: 'a\0b' }) };
  const { run } = shellIn(waited.folder, { detach: true, ready: { take: () => gone } });
  expect(await run(sh('cat'), { presentation: { env: {}, stdin: 'x' } })).toMatchObject({ exitCode: 0, stdout: 'x' });
});

test('what a hook prints is read although it was over before we had heard that it began', async () => {
  const { waited, waiting } = await bothIn();
  const busy = {
    ...waiting,
    become: (program: Parameters<typeof waiting.become>[0]) => {
      const becoming = waiting.become(program);
      // The frame goes out at once; then nothing is heard until the hook is long over.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      return becoming;
    },
  };
  const { run } = shellIn(waited.folder, { detach: true, ready: { take: () => busy } });
  expect(await run(sh('cat; echo err >&2'), { presentation: { env: {}, stdin: 'x' } })).toEqual({
    ...{ kind: 'exited', exitCode: 0, stdout: 'x', stderr: 'err\n' },
  });
});

test('closing ends the one that waits', async () => {
  const before = new Set(children());
  const processes = createReadyProcesses();
  processes.take();
  await eventually(() => children().some(pid => !before.has(pid)));
  const pid = children().find(each => !before.has(each))!;
  processes.close();
  await eventually(() => !isRunning(pid));
  expect(processes.take()).toBeUndefined();
});
