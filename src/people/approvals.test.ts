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
import {
  allQuestions,
  approvalsFolder,
  createFileQuestions,
  readContext,
  readQuestion,
  readSettlement,
} from '../session/file-store/question-files.ts';
import { createApprovals } from './approvals.ts';
import { createUser, never, opened, post, request } from './fixtures/user.ts';

describe('a question', () => {
  test('is on disk, for the user alone, with where it comes from', async () => {
    const user = createUser();
    const seen: string[] = [];
    const open = opened(
      await user
        .approvals({ onQuestion: ({ id }) => seen.push(id), mask: text => text.replaceAll('hunter2', '***') })
        .open(await request({ title: 'Deploy hunter2', question: 'With hunter2?' })),
    );
    expect(readQuestion(user.folder, open.id)).toMatchObject({
      ...{ session: 'demo', stage: 'plan', iteration: 3, title: 'Deploy ***', question: 'With ***?' },
    });
    expect(seen).toEqual([open.id]);
    const modes = readdirSync(user.folder, { recursive: true, withFileTypes: true }).map(entry => {
      const { mode } = statSync(join(entry.parentPath, entry.name));
      return [entry.isDirectory(), (mode & 0o777).toString(8)];
    });
    expect(modes.every(([isFolder, mode]) => mode === (isFolder ? '700' : '600'))).toBe(true);
    expect((statSync(user.folder).mode & 0o777).toString(8)).toBe('700');
  });

  test('without words asks whether to approve', async () => {
    const user = createUser();
    const { id } = await user.ask({ question: ' ' });
    expect(readQuestion(user.folder, id)!.question).toBe('Approve?');
  });

  test('that says something else is another one: a yes to the first is none to it', async () => {
    const user = createUser();
    const at = (seconds: number) => `2026-11-16T12:00:0${seconds}.000Z`;
    const asked = async (question: string, seconds = 1, more: object = {}) => {
      const event = { name: 'stage.completed', at: at(seconds) } as const;
      return opened(await user.approvals().open(await request({ key: 'r2/c1', event, question, ...more })));
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
    const user = createUser();
    const again = await request({ key: 's0/i1/hook' });
    const first = opened(await user.approvals().open(again));
    expect(first).toMatchObject({ sent: false, isSettled: false });
    await first.markSent();
    await post(`${first.callbackUrl}?action=approve`);
    const second = opened(await user.approvals().open(again));
    expect(second).toMatchObject({ id: first.id, callbackUrl: first.callbackUrl, sent: true, isSettled: true });
    expect(await second.wait(never())).toMatchObject({ kind: 'answered', action: 'approve' });
    expect(opened(await user.approvals().open({ ...again, key: 's0/i2/hook' })).id).not.toBe(first.id);
    expect(opened(await user.approvals().open({ ...again, key: undefined! })).id).not.toBe(first.id);
  });

  test('of a new session in the place of an old one is a new question', async () => {
    const user = createUser();
    const again = await request({ key: 's0/i1/hook' });
    const first = opened(await user.approvals().open(again));
    await post(`${first.callbackUrl}?action=approve`);
    rmSync(user.sessionFolder, { recursive: true });
    mkdirSync(user.sessionFolder);
    const second = opened(await user.approvals().open(again));
    expect(second.id).not.toBe(first.id);
    expect(second.isSettled).toBe(false);
  });

  test('that could not be sent takes no answer, and is asked anew', async () => {
    const user = createUser();
    const again = await request({ key: 'k' });
    const first = opened(await user.approvals().open(again));
    await first.close('the receiver is gone');
    expect(await first.wait(never())).toEqual({ kind: 'cancelled' });
    expect((await post(`${first.callbackUrl}?action=approve`)).status).toBe(410);
    expect(await (await fetch(first.callbackUrl)).text()).toContain('no longer asked');
    expect(opened(await user.approvals().open(again)).isSettled).toBe(false);
  });

  test('whose secret was lost gets a new URL, and the old one stays valid', async () => {
    const user = createUser();
    const again = await request({ key: 'k' });
    const first = opened(await user.approvals().open(again));
    rmSync(join(user.folder, '.secret'));
    const second = opened(await user.approvals().open(again));
    expect(second.id).toBe(first.id);
    expect(second.callbackUrl).not.toBe(first.callbackUrl);
    for (const url of [first.callbackUrl, second.callbackUrl]) expect((await fetch(url)).status).toBe(200);
  });

  test('that was begun and never finished is finished', async () => {
    const user = createUser();
    const again = await request({ key: 'k' });
    const first = opened(await user.approvals().open(again));
    rmSync(join(user.folder, first.id, 'question.json'));
    const second = opened(await user.approvals().open(again));
    expect(second.id).toBe(first.id);
    expect((await fetch(second.callbackUrl)).status).toBe(200);
    expect((await fetch(first.callbackUrl)).status).toBe(404);
  });

  test('fails with a reason where it cannot be kept or asked', async () => {
    const user = createUser();
    const asking = await request();
    const open = (env: Record<string, string>, more = {}) =>
      createApprovals({
        questions: createFileQuestions(approvalsFolder(env)),
        ...{ session: 'x', sessionFolder: user.sessionFolder, root: user.root },
      }).open({
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
      expect(await open({ HOME: user.home }, { baseUrl })).toMatchObject({
        kind: 'failed',
        reason: expect.stringContaining('callback_base_url'),
      });
    expect(await open({ HOME: user.home }, { port: 0 })).toMatchObject({ kind: 'failed' });
    expect(allQuestions(user.folder).every(({ id }) => readSettlement(user.folder, id)?.kind === 'withdrawn')).toBe(
      true,
    );
  });
});

test('files are shown as they were, those of the project and the session alone, and none with secrets', async () => {
  const user = createUser();
  writeFileSync(join(user.root, 'plan.md'), 'the key is hunter2');
  writeFileSync(join(user.root, 'secrets.env'), 'A=b');
  writeFileSync(join(user.home, 'outside'), 'x');
  symlinkSync(join(user.home, 'outside'), join(user.root, 'link'));
  symlinkSync(join(user.root, 'secrets.env'), join(user.root, 'innocent.txt'));
  writeFileSync(join(user.root, 'binary'), Buffer.from([1, 0, 2]));
  writeFileSync(join(user.root, 'long.txt'), 'ü'.repeat(200_000));
  writeFileSync(join(user.sessionFolder, 'progress.md'), 'done');
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
    join(user.sessionFolder, 'progress.md'),
  ];
  const approvals = user.approvals({ mask: text => text.replaceAll('hunter2', '***') });
  const { id } = opened(await approvals.open(await request({ files })));
  writeFileSync(join(user.root, 'plan.md'), 'changed');
  const shown = readContext(user.folder, id).map(file => (file.kind === 'text' ? file.text : file.why));
  expect(shown.map(text => text.slice(0, 60))).toEqual([
    'the key is ***',
    'it may hold secrets',
    'it is outside the project and the session',
    'it is outside the project and the session',
    'it may hold secrets',
    'it is not text (3 bytes)',
    'ü'.repeat(60),
    'it does not exist',
    'it is outside the project and the session',
    'done',
  ]);
  expect(readContext(user.folder, id)[6]).toMatchObject({ leftOutBytes: 400_000 - 256 * 1024 });
});

test('what was settled a month ago is removed, and nothing else', async () => {
  const user = createUser();
  const [old, open, recent] = [await user.ask(), await user.ask({ deadlineMs: null }), await user.ask()];
  for (const { callbackUrl } of [old, recent]) await post(`${callbackUrl}?action=approve`);
  const longAgo = new Date(Date.now() - 31 * 24 * 3_600_000);
  for (const { id } of [old, open]) utimesSync(join(user.folder, id), longAgo, longAgo);
  const last = await user.ask();
  expect(
    allQuestions(user.folder)
      .map(({ id }) => id)
      .sort(),
  ).toEqual([open.id, recent.id, last.id].sort());
  expect(readFileSync(join(user.folder, '.secret'), 'utf8')).toHaveLength(64);
});
