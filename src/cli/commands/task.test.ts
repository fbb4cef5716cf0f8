import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AnswerControl } from '../../model/control.ts';
import { bundleProgram } from '../../platform/fixtures/programs.ts';
import { createProject } from '../../session/control/fixtures/project.ts';
import { serve } from '../../session/control/fixtures/session.ts';

const holder = await bundleProgram(new URL('../../session/control/fixtures/holder.ts', import.meta.url), 'cjs');

describe('a session that does not run', () => {
  test('keeps what is said of its tasks in its journal', async () => {
    const { session, run, records } = createProject();
    await session('one');
    expect(await run(['add', 'write "docs"'])).toEqual({ exit: 0, out: 'T1\n', err: '' });
    expect(await run(['add', '--json', 'test it'])).toEqual({ exit: 0, out: '{"id":"T2","status":"open"}\n', err: '' });
    expect(await run(['start', 'T1'])).toEqual({ exit: 0, out: '', err: 'hookloop task: T1 is started\n' });
    expect(await run(['done', 'T1', '--summary', 'in README'])).toEqual({
      exit: 0,
      out: '',
      err: 'hookloop task: T1 is done\nhookloop task: no hooks fired: the session is not running; its gates run when it is resumed\n',
    });
    expect(await run(['drop', 'T2', '--reason', 'not needed'])).toMatchObject({ exit: 0 });
    expect(records('one')).toEqual([
      { kind: 'task.added', id: 'T1', content: 'write "docs"' },
      { kind: 'task.added', id: 'T2', content: 'test it' },
      { kind: 'task.started', id: 'T1' },
      { kind: 'task.done', id: 'T1', summary: 'in README', unchecked: true },
      { kind: 'task.dropped', id: 'T2', reason: 'not needed' },
    ]);
    expect(await run(['list'])).toEqual({
      exit: 0,
      out: 'ID  STATUS   TASK\nT1  started  write "docs"\nT2  dropped  test it\n',
      err: '',
    });
    expect(JSON.parse((await run(['list', '--json'])).out)).toEqual([
      { id: 'T1', content: 'write "docs"', status: 'started' },
      { id: 'T2', content: 'test it', status: 'dropped' },
    ]);
  });

  test('gives everybody who adds at the same time an id of their own', async () => {
    const { session, run, records } = createProject();
    await session('one');
    const added = await Promise.all([1, 2, 3, 4, 5].map(number => run(['add', `task ${number}`])));
    expect(added.map(({ out }) => out).sort()).toEqual(['T1\n', 'T2\n', 'T3\n', 'T4\n', 'T5\n']);
    expect(records('one')).toHaveLength(5);
  });

  test('records nothing twice and refuses what cannot be', async () => {
    const { session, run, records } = createProject();
    await session('one');
    await run(['add', 'a']);
    await run(['done', 'T1']);
    expect(await run(['done', 'T1'])).toEqual({ exit: 0, out: '', err: 'hookloop task: T1 is already done\n' });
    expect(records('one')).toHaveLength(2);
    await run(['drop', 'T1']);
    expect(await run(['done', 'T1'])).toMatchObject({ exit: 2, err: 'hookloop task: task T1 is already dropped\n' });
  });

  test('hides secrets in what it records', async () => {
    const { session, run, records } = createProject();
    await session('one');
    await run(['add', 'use s3cr3t-value-123'], { API_TOKEN: 's3cr3t-value-123' });
    expect(records('one')).toEqual([{ kind: 'task.added', id: 'T1', content: 'use ***' }]);
  });

  test('hints at the task that is meant', async () => {
    const { session, run } = createProject();
    await session('one');
    await run(['add', 'a']);
    const { exit, err } = await run(['done', 'T2']);
    expect([exit, err]).toEqual([64, expect.stringContaining('no task T2 in session one; did you mean T1?')]);
  });

  test('with a damaged journal is 65 and stays as it is', async () => {
    const { session, run, journalOf } = createProject();
    await session('one');
    await run(['add', 'a']);
    const good = readFileSync(journalOf('one'), 'utf8');
    writeFileSync(journalOf('one'), `garbage\n${good}`);
    for (const argv of [['list'], ['add', 'b'], ['done', 'T1']]) {
      const { exit, out, err } = await run(argv);
      expect([exit, out, err]).toEqual([65, '', expect.stringMatching(/damaged at line 1.*hookloop repair one/)]);
    }
    expect(readFileSync(journalOf('one'), 'utf8')).toBe(`garbage\n${good}`);
  });

  test('with a torn last line loses that line and nothing else', async () => {
    const { session, run, journalOf, records } = createProject();
    await session('one');
    await run(['add', 'a']);
    appendFileSync(journalOf('one'), '0123abcd {"se');
    expect(await run(['add', 'b'])).toMatchObject({ exit: 0, out: 'T2\n' });
    expect(records('one')).toHaveLength(2);
  });

  test('whose start was cut short gets no journal from us', async () => {
    const { session, run, journalOf } = createProject();
    await session('one');
    writeFileSync(journalOf('one'), '');
    expect(await run(['add', 'a', '--session', 'one'])).toMatchObject({
      exit: 1,
      err: expect.stringContaining('cut short'),
    });
    expect(readFileSync(journalOf('one'), 'utf8')).toBe('');
    rmSync(journalOf('one'));
    expect(await run(['add', 'a', '--session', 'one'])).toMatchObject({ exit: 1 });
    expect(() => readFileSync(journalOf('one'))).toThrow('ENOENT');
  });
});

describe('tasks of a checklist', () => {
  test('are listed before the others, ticked ones as done, and the file is never written', async () => {
    const { project, session, run, records } = createProject();
    const file = join(project, 'tasks.md');
    const text = '- [x] ticked\n- [ ] open one\n- [ ] other\n';
    writeFileSync(file, text);
    await session('one', file);
    await run(['add', 'ours']);
    const list = async () => JSON.parse((await run(['list', '--json'])).out) as { id: string; status: string }[];
    const [ticked, open, other] = (await list()).map(({ id }) => id) as [string, string, string];
    expect((await list()).map(({ status }) => status)).toEqual(['done', 'open', 'open', 'open']);
    expect(await run(['done', ticked])).toMatchObject({ exit: 0, err: expect.stringContaining('already') });
    expect(await run(['start', ticked])).toMatchObject({ exit: 2, err: expect.stringContaining('is ticked') });
    expect(await run(['done', open, '--summary', 's'])).toMatchObject({ exit: 0 });
    expect(await run(['drop', other])).toMatchObject({ exit: 0 });
    expect((await list()).map(({ status }) => status)).toEqual(['done', 'started', 'dropped', 'open']);
    expect(records('one').slice(1)).toEqual([
      { kind: 'task.done', id: open, summary: 's', unchecked: true },
      { kind: 'task.dropped', id: other },
    ]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('are left out with a warning where the file is gone', async () => {
    const { project, session, run } = createProject();
    await session('one', join(project, 'gone.md'));
    await run(['add', 'ours']);
    const { exit, out, err } = await run(['list', '--json']);
    expect([exit, JSON.parse(out), err]).toEqual([
      0,
      [{ id: 'T1', content: 'ours', status: 'open' }],
      expect.stringContaining('gone.md does not exist'),
    ]);
  });
});

describe('a session that runs', () => {
  const answering =
    (answer: AnswerControl): AnswerControl =>
    async (request, signal) =>
      request.method === 'task.list'
        ? { kind: 'ok', value: [{ id: 'T1', content: 'a', status: 'started', note: 'n' }] }
        : answer(request, signal);

  test('is asked, and its journal is left to it', async () => {
    const { session, folderOf, run, records } = createProject();
    await session('one');
    await session('two');
    const { asked } = await serve(
      answering(async ({ method }) => ({ kind: 'ok', value: method === 'task.add' ? { id: 'T7' } : null })),
      { sessionFolder: folderOf('one') },
    );
    expect(await run(['add', 'b'])).toEqual({ exit: 0, out: 'T7\n', err: '' });
    expect(await run(['start', 'T1'])).toMatchObject({ exit: 0 });
    expect(await run(['done', 'T1', '--summary', 's'])).toEqual({
      exit: 0,
      out: '',
      err: 'hookloop task: T1 is done\n',
    });
    expect(await run(['drop', 'T1', '--reason', 'r'])).toMatchObject({ exit: 0 });
    expect((await run(['list', '--json'])).out).toContain('"started"');
    expect(asked.map(({ request }) => request).filter(({ method }) => method !== 'task.list')).toEqual([
      { method: 'task.add', content: 'b' },
      { method: 'task.start', id: 'T1' },
      { method: 'task.done', id: 'T1', summary: 's' },
      { method: 'task.drop', id: 'T1', reason: 'r' },
    ]);
    expect(records('one')).toEqual([]);
  });

  test('may refuse: exit code 2 and the reason', async () => {
    const { session, folderOf, run } = createProject();
    await session('one');
    const sessionFolder = folderOf('one');
    await serve(
      answering(async () => ({ kind: 'refused', reason: 'npm test: exit 1' })),
      { sessionFolder },
    );
    expect(await run(['done', 'T1'])).toEqual({ exit: 2, out: '', err: 'hookloop task: npm test: exit 1\n' });
    expect(await run(['done', 'T3'])).toMatchObject({ exit: 64, err: expect.stringContaining('did you mean T1?') });
  });

  test('that cannot be asked is busy, and says who has it', async () => {
    const { session, folderOf, run, records } = createProject();
    await session('one');
    const child = spawn(process.execPath, [holder, folderOf('one')], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(createInterface(child.stdout), 'line');
    expect(await run(['add', 'a'])).toMatchObject({ exit: 75, err: expect.stringContaining(`process ${child.pid}`) });
    expect(await run(['list'])).toMatchObject({ exit: 0 });
    expect(records('one')).toEqual([]);
  });
});
