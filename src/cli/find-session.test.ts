import { describe, expect, test } from 'vitest';
import { createProject } from '../session/control/fixtures/project.ts';
import { serve } from '../session/control/fixtures/session.ts';

describe('the session that is meant', () => {
  test('is the one that is named, here or in the environment', async () => {
    const { session, run, records, folderOf } = createProject();
    for (const name of ['one', 'two', 'three']) await session(name);
    await run(['add', 'a', '--session', 'one'], { HOOKLOOP_SESSION: 'two' });
    await run(['add', 'b'], { HOOKLOOP_SESSION: 'two' });
    await run(['add', 'c'], { HOOKLOOP_SESSION_DIR: folderOf('three'), HOOKLOOP_SESSION: 'three' });
    await run(['add', 'd'], { HOOKLOOP_SESSION_DIR: folderOf('three') });
    const contents = (name: string) => records(name).map(record => (record as { content: string }).content);
    expect([contents('one'), contents('two'), contents('three')]).toEqual([['a'], ['b'], ['c', 'd']]);
  });

  test('is the only one that runs, else the only one', async () => {
    const { session, run, folderOf } = createProject();
    expect(await run(['list'])).toMatchObject({ exit: 64, err: expect.stringContaining('there is no session') });
    await session('one');
    expect(await run(['list'])).toEqual({ exit: 0, out: '', err: 'hookloop task: session one has no tasks\n' });
    await session('two');
    const { exit, err } = await run(['list']);
    expect([exit, err]).toEqual([64, expect.stringMatching(/several sessions.*--session \((one, two|two, one)\)/)]);
    const value = [{ id: 'T9', content: 'x', status: 'open' }];
    const served = await serve(async () => ({ kind: 'ok', value }), { sessionFolder: folderOf('two') });
    expect(await run(['list'])).toMatchObject({ exit: 0, out: expect.stringContaining('T9') });
    await served.close();
  });

  test.each([
    [['list', '--session', 'oen'], 'there is no session oen'],
    [['list', '--session', 'oen'], 'did you mean one?'],
    [['list', '--session', '../one'], 'is not a session name'],
    [['lst'], 'did you mean list?'],
    [['list', 'T1'], 'unexpected argument T1'],
    [['add'], 'TEXT is missing'],
    [['add', ' '], 'TEXT is missing'],
    [['done'], 'ID is missing'],
    [['add', 'a', '--summary', 's'], '--summary belongs to task done'],
    [['done', 'T1', '--reason', 's'], '--reason belongs to task drop'],
  ])('and wrong usage is told: %j', async (argv, message) => {
    const { session, run } = createProject();
    await session('one');
    expect(await run(argv)).toMatchObject({ exit: 64, out: '', err: expect.stringContaining(message) });
  });
});
