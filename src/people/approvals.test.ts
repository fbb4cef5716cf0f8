import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allQuestions, readContext, readQuestion } from '../session/questions/questions.ts';
import { readSettlement } from '../session/questions/settlement.ts';
import { createApprovals } from './approvals.ts';
import { createWorld, never, opened, post, request } from './fixtures/world.ts';

describe('a question', () => {
  test('is on disk, for the user alone, with where it comes from', async () => {
    const world = createWorld();
    const seen: string[] = [];
    const open = opened(
      await world
        .approvals({ onRequest: ({ id }) => seen.push(id), mask: text => text.replaceAll('hunter2', '***') })
        .open(await request({ title: 'Deploy hunter2', question: 'With hunter2?' })),
    );
    expect(readQuestion(world.folder, open.id)).toMatchObject({
      ...{ session: 'demo', stage: 'plan', iteration: 3, title: 'Deploy ***', question: 'With ***?' },
    });
    expect(seen).toEqual([open.id]);
    const modes = readdirSync(world.folder, { recursive: true, withFileTypes: true }).map(entry => {
      const { mode } = statSync(join(entry.parentPath, entry.name));
      return [entry.isDirectory(), (mode & 0o777).toString(8)];
    });
    expect(modes.every(([isFolder, mode]) => mode === (isFolder ? '700' : '600'))).toBe(true);
    expect((statSync(world.folder).mode & 0o777).toString(8)).toBe('700');
  });

  test('without words asks whether to approve', async () => {
    const world = createWorld();
    const { id } = await world.ask({ question: ' ' });
    expect(readQuestion(world.folder, id)!.question).toBe('Approve?');
  });

  test('that says something else is another one: a yes to the first is none to it', async () => {
    const world = createWorld();
    const at = (seconds: number) => `2026-11-16T12:00:0${seconds}.000Z`;
    const asked = async (question: string, seconds = 1, more: object = {}) => {
      const event = { name: 'stage.completed', at: at(seconds) } as const;
      return opened(await world.approvals().open(await request({ key: 'r2/c1', event, question, ...more })));
    };
    const first = await asked(`May I read? (${at(1)})`);
    await post(`${first.callbackUrl}?action=yes`);
    // Only the time has moved on.
    expect(await asked(`May I read? (${at(2)})`, 2)).toMatchObject({ id: first.id, isSettled: true });
    for (const other of [
      await asked('May I deploy?'),
      await asked(`May I read? (${at(1)})`, 1, { title: 'Production' }),
      await asked(`May I read? (${at(1)})`, 1, { actions: { read: 'approve' } }),
    ]) {
      expect(other.id).not.toBe(first.id);
      expect(other.isSettled).toBe(false);
    }
  });

  test('asked again with its key after a crash is the same, and an answer given meanwhile counts', async () => {
    const world = createWorld();
    const again = await request({ key: 's0/i1/hook' });
    const first = opened(await world.approvals().open(again));
    expect(first).toMatchObject({ sent: false, isSettled: false });
    await first.markSent();
    await post(`${first.callbackUrl}?action=approve`);
    const second = opened(await world.approvals().open(again));
    expect(second).toMatchObject({ id: first.id, callbackUrl: first.callbackUrl, sent: true, isSettled: true });
    expect(await second.wait(never())).toMatchObject({ kind: 'answered', action: 'approve' });
    expect(opened(await world.approvals().open({ ...again, key: 's0/i2/hook' })).id).not.toBe(first.id);
    expect(opened(await world.approvals().open({ ...again, key: undefined! })).id).not.toBe(first.id);
  });

  test('of a new session in the place of an old one is a new question', async () => {
    const world = createWorld();
    const again = await request({ key: 's0/i1/hook' });
    const first = opened(await world.approvals().open(again));
    await post(`${first.callbackUrl}?action=approve`);
    rmSync(world.sessionFolder, { recursive: true });
    mkdirSync(world.sessionFolder);
    const second = opened(await world.approvals().open(again));
    expect(second.id).not.toBe(first.id);
    expect(second.isSettled).toBe(false);
  });

  test('that could not be sent takes no answer, and is asked anew', async () => {
    const world = createWorld();
    const again = await request({ key: 'k' });
    const first = opened(await world.approvals().open(again));
    await first.close('the receiver is gone');
    expect(await first.wait(never())).toEqual({ kind: 'cancelled' });
    expect((await post(`${first.callbackUrl}?action=approve`)).status).toBe(410);
    expect(await (await fetch(first.callbackUrl)).text()).toContain('no longer asked');
    expect(opened(await world.approvals().open(again)).isSettled).toBe(false);
  });

  test('whose secret was lost gets a new URL, and the old one stays valid', async () => {
    const world = createWorld();
    const again = await request({ key: 'k' });
    const first = opened(await world.approvals().open(again));
    rmSync(join(world.folder, '.secret'));
    const second = opened(await world.approvals().open(again));
    expect(second).toMatchObject({ id: first.id, urlChanged: true });
    expect(second.callbackUrl).not.toBe(first.callbackUrl);
    for (const url of [first.callbackUrl, second.callbackUrl]) expect((await fetch(url)).status).toBe(200);
  });

  test('that was begun and never finished is finished', async () => {
    const world = createWorld();
    const again = await request({ key: 'k' });
    const first = opened(await world.approvals().open(again));
    rmSync(join(world.folder, first.id, 'question.json'));
    const second = opened(await world.approvals().open(again));
    expect(second.id).toBe(first.id);
    expect((await fetch(second.callbackUrl)).status).toBe(200);
    expect((await fetch(first.callbackUrl)).status).toBe(404);
  });

  test('fails with a reason where it cannot be kept or asked', async () => {
    const world = createWorld();
    const asking = await request();
    const open = (env: Record<string, string>, more = {}) =>
      createApprovals({ env, session: 'x', sessionFolder: world.sessionFolder, root: world.root }).open({
        ...asking,
        ...more,
      });
    expect(await open({ HOME: '/proc/nowhere' })).toMatchObject({ kind: 'failed' });
    for (const baseUrl of [
      'nonsense',
      'http://example.com',
      'ftp://example.com',
      'https://u:p@example.com',
      'https://example.com/?a=b',
    ])
      expect(await open({ HOME: world.home }, { baseUrl })).toMatchObject({
        kind: 'failed',
        reason: expect.stringContaining('callback_base_url'),
      });
    expect(await open({ HOME: world.home }, { port: 0 })).toMatchObject({ kind: 'failed' });
    expect(allQuestions(world.folder).every(({ id }) => readSettlement(world.folder, id)?.kind === 'withdrawn')).toBe(
      true,
    );
  });
});

test('files are shown as they were, those of the project and the session alone, and none with secrets', async () => {
  const world = createWorld();
  writeFileSync(join(world.root, 'plan.md'), 'the key is hunter2');
  writeFileSync(join(world.root, 'secrets.env'), 'A=b');
  writeFileSync(join(world.home, 'outside'), 'x');
  symlinkSync(join(world.home, 'outside'), join(world.root, 'link'));
  symlinkSync(join(world.root, 'secrets.env'), join(world.root, 'innocent.txt'));
  writeFileSync(join(world.root, 'binary'), Buffer.from([1, 0, 2]));
  writeFileSync(join(world.root, 'long.txt'), 'ü'.repeat(200_000));
  writeFileSync(join(world.sessionFolder, 'progress.md'), 'done');
  const files = [
    'plan.md',
    'secrets.env',
    '../outside',
    'link',
    'innocent.txt',
    'binary',
    'long.txt',
    'missing',
    '.',
    join(world.sessionFolder, 'progress.md'),
  ];
  const approvals = world.approvals({ mask: text => text.replaceAll('hunter2', '***') });
  const { id } = opened(await approvals.open(await request({ files })));
  writeFileSync(join(world.root, 'plan.md'), 'changed');
  const shown = readContext(world.folder, id).map(file => (file.kind === 'text' ? file.text : file.why));
  expect(shown.map(text => text.slice(0, 60))).toEqual([
    'the key is ***',
    'it may hold secrets',
    'it is outside of the project and the session',
    'it is outside of the project and the session',
    'it may hold secrets',
    'it is not text (3 bytes)',
    'ü'.repeat(60),
    'it does not exist',
    'it is outside of the project and the session',
    'done',
  ]);
  expect(readContext(world.folder, id)[6]).toMatchObject({ leftOutBytes: 400_000 - 256 * 1024 });
});

test('what was settled a month ago is removed, and nothing else', async () => {
  const world = createWorld();
  const [old, open, recent] = [await world.ask(), await world.ask({ deadlineMs: null }), await world.ask()];
  for (const { callbackUrl } of [old, recent]) await post(`${callbackUrl}?action=approve`);
  const longAgo = new Date(Date.now() - 31 * 24 * 3_600_000);
  for (const { id } of [old, open]) utimesSync(join(world.folder, id), longAgo, longAgo);
  const last = await world.ask();
  expect(
    allQuestions(world.folder)
      .map(({ id }) => id)
      .sort(),
  ).toEqual([open.id, recent.id, last.id].sort());
  expect(readFileSync(join(world.folder, '.secret'), 'utf8')).toHaveLength(64);
});
