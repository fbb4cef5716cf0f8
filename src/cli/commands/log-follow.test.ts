import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lockFolder } from '../../platform/lock.ts';
import { createSessionFolder } from '../../session/file-store/folder.ts';
import { sessionFiles } from '../../session/paths.ts';
import {
  bundleCommands,
  journalOf,
  temporaryProject,
  writeInto,
  writeSession,
} from '../../session/state/fixtures/project.ts';
import { closed, ranHook, resumed, started, wholeSession } from '../../session/state/fixtures/records.ts';

const program = await bundleCommands();

describe('--follow', () => {
  function follow(root: string, ...options: string[]) {
    const child = spawn(process.execPath, [program, 'log', 'demo', '--follow', ...options], { cwd: root });
    onTestFinished(() => void child.kill('SIGKILL'));
    const seen: string[] = [];
    let stderr = '';
    const lines = createInterface(child.stdout);
    lines.on('line', line => seen.push(line));
    child.stderr.on('data', data => {
      stderr += data;
    });
    return { child, seen, stderr: () => stderr, exited: once(child, 'close') };
  }

  const eventually = async (isSo: () => boolean): Promise<void> => {
    for (const untilMs = performance.now() + 20_000; !isSo(); await new Promise(resolve => setTimeout(resolve, 10)))
      if (performance.now() > untilMs) throw new Error('it never came');
  };

  test('goes on while the session does, from before its first record, and ends with it', async () => {
    const root = temporaryProject();
    const paths = sessionFiles(root, 'demo');
    createSessionFolder(paths);
    const lock = await lockFolder(paths.folder);
    if (lock.kind !== 'held') throw new Error('busy');
    onTestFinished(lock.release);
    const { seen, exited, stderr } = follow(root, '--json');
    await writeInto(paths, wholeSession.slice(0, 3));
    await eventually(() => seen.length === 3);
    await writeInto(paths, wholeSession.slice(3));
    expect((await exited)[0]).toBe(0);
    expect(seen.map(line => JSON.parse(line).seq)).toEqual(wholeSession.map((_, at) => at + 1));
    expect(stderr()).toBe('');
  });

  test('does not end where an earlier process closed the session and a later one goes on', async () => {
    const root = temporaryProject();
    const paths = await writeSession(root, 'demo', [
      [0, started()],
      [1, closed('interrupted')],
      [2, resumed(2)],
    ]);
    const { seen, exited, child } = follow(root, '--json');
    await eventually(() => seen.length === 3);
    expect(child.exitCode).toBeNull();
    await writeInto(paths, [[3, closed('completed')]]);
    expect((await exited)[0]).toBe(0);
    expect(seen).toHaveLength(4);
  });

  test('ends at once where the session has ended', async () => {
    const root = temporaryProject();
    await writeSession(root, 'demo', wholeSession);
    const { exited, seen } = follow(root);
    expect((await exited)[0]).toBe(0);
    expect(seen.at(-1)).toContain('session closed: completed');
  });

  test('says that no one is working on the session, waits, and ends with 130 at Ctrl-C', async () => {
    const root = temporaryProject();
    await writeSession(root, 'demo', wholeSession.slice(0, 5));
    const { child, exited, stderr } = follow(root);
    await eventually(() => stderr() !== '');
    expect(stderr()).toBe('hookloop log: no one is working on demo now; hookloop resume demo continues it\n');
    child.kill('SIGINT');
    expect((await exited)[0]).toBe(130);
  });

  test('tells of damage', async () => {
    const root = temporaryProject();
    const journal = journalOf(await writeSession(root, 'demo', wholeSession.slice(0, 5)));
    writeFileSync(journal, 'rubbish\n', { flag: 'a' });
    const { exited, stderr } = follow(root);
    expect((await exited)[0]).toBe(65);
    expect(stderr()).toContain('hookloop repair demo');
  });
});

test('a reader that goes away is not our failure, and ends the reading', async () => {
  const root = temporaryProject();
  const many = Array.from({ length: 3000 }, (_, at) =>
    ranHook(at, `s0/i${at}`, 'x'.repeat(50), 'iteration.starting'),
  ).flat();
  await writeSession(root, 'demo', [[0, started()], ...many]);
  const line = `"${process.execPath}" "${program}" log demo | head -n 2; echo "exit \${PIPESTATUS[0]}"`;
  const piped = spawn('bash', ['-c', line], { cwd: root });
  let [stdout, stderr] = ['', ''];
  piped.stdout.on('data', data => {
    stdout += data;
  });
  piped.stderr.on('data', data => {
    stderr += data;
  });
  await once(piped, 'close');
  expect(stderr).toBe('');
  expect(stdout.trimEnd().split('\n')).toHaveLength(3);
  expect(stdout).toContain('exit 0');
});
