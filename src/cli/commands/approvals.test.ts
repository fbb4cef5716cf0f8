import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createUser, never, post } from '../../people/fixtures/user.ts';
import type { Command } from '../command.ts';
import type { Io } from '../io.ts';
import { runCommand } from '../run-command.ts';
import { approvals, approve, reject } from './approvals.ts';

type World = ReturnType<typeof createUser>;

async function run(world: World, command: Command, ...args: string[]) {
  const said = { out: '', err: '' };
  const io: Io = {
    cwd: world.root,
    env: world.env,
    out: text => {
      said.out += text;
    },
    err: text => {
      said.err += text;
    },
    input: () => undefined,
    terminal: () => ({ color: false, columns: undefined }),
  };
  return { exit: await runCommand(command, args, io), ...said };
}

describe('approvals', () => {
  test('without any says so', async () => {
    const world = createUser();
    expect(await run(world, approvals)).toEqual({ exit: 0, out: 'No question is pending.\n', err: '' });
    expect(await run(world, approvals, '--json')).toEqual({ exit: 0, out: '[]\n', err: '' });
  });

  test('lists what waits, the oldest first, and nothing that is settled', async () => {
    const world = createUser();
    const first = await world.ask({ question: 'One?\x1b[31m' });
    const answered = await world.ask();
    await post(`${answered.callbackUrl}?action=approve`);
    const second = await world.ask({ question: 'Two?', deadlineMs: null, event: { name: 'session.starting' } });
    const expires = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(JSON.parse((await run(world, approvals, '--json')).out)).toEqual([
      { id: first.id, session: 'demo', stage: 'plan', iteration: 3, question: 'One?\x1b[31m', since: expires, expires },
      { id: second.id, session: 'demo', question: 'Two?', since: expires, expires: null },
    ]);
    const { out } = await run(world, approvals);
    expect(out).toMatch(
      new RegExp(
        `^ID +SESSION +STAGE +ASKED +EXPIRES +QUESTION\n${first.id}  demo     plan 3 .*One\\?.*\n${second.id} .* never +Two\\?\n`,
      ),
    );
    expect(out).not.toContain('\x1b');
    expect(out).not.toContain(new URL(first.callbackUrl).pathname.split('/')[3]);
  });

  test('prints with --link the address of one question, to people and not inside a session', async () => {
    const world = createUser();
    const { id, callbackUrl } = await world.ask();
    expect(await run(world, approvals, '--link', id)).toEqual({ exit: 0, out: `${callbackUrl}\n`, err: '' });
    const { out } = await run(world, approvals, '--link', id, '--json');
    expect(JSON.parse(out)).toEqual({ link: callbackUrl });
    const inside = { ...world, env: { ...world.env, HOOKLOOP_SESSION_DIR: world.root } };
    expect(await run(inside, approvals, '--link', id)).toMatchObject({ exit: 64, out: '' });
  });
});

describe('an answer by command', () => {
  test('reaches whoever waits, with who gave it', async () => {
    const world = createUser();
    const open = await world.ask();
    const { exit, out } = await run(world, reject, open.id, '--message', ' not yet ');
    expect({ exit, out }).toEqual({ exit: 0, out: `Rejected: May I deploy? (${open.id}, session demo)\n` });
    expect(await open.wait(never())).toMatchObject({
      ...{ kind: 'answered', action: 'reject', message: 'not yet', response: { action: 'reject', message: 'not yet' } },
      by: expect.stringMatching(/^(?!by ).+ with hookloop reject$/),
    });
  });

  test('counts once: the same again succeeds, another fails and says by whom and when', async () => {
    const world = createUser();
    const { id, callbackUrl } = await world.ask();
    await post(`${callbackUrl}?action=approve&message=fine`);
    expect(await run(world, approve, id)).toMatchObject({ exit: 0, out: expect.stringContaining('already recorded') });
    const late = await run(world, reject, id);
    expect(late).toMatchObject({ exit: 1, out: '' });
    expect(late.err).toMatch(/was approved by a request to the callback URL at \d{4}-.*Z: "fine"\n$/);
    expect(JSON.parse((await run(world, reject, id, '--json')).out)).toMatchObject({
      id,
      status: 'answered',
      action: 'approve',
    });
  });

  test('is found by the beginning of its id, and by what people type for it', async () => {
    const world = createUser();
    const { id } = await world.ask();
    expect(await run(world, approve, ` ${id.slice(0, 4).toUpperCase()}`)).toMatchObject({ exit: 0 });
  });

  test('with an id that no one has is wrong usage, with the nearest one', async () => {
    const world = createUser();
    const { id } = await world.ask();
    const typo = `${id.slice(0, 3)}${id[3] === 'z' ? 'y' : 'z'}${id.slice(4)}`;
    expect(await run(world, approve, typo)).toMatchObject({
      exit: 64,
      err: expect.stringContaining(`did you mean ${id}?`),
    });
    expect(await run(world, approve, '../../etc')).toMatchObject({
      exit: 64,
      err: expect.stringContaining('hookloop approvals'),
    });
    expect(await run(world, approve)).toMatchObject({ exit: 64 });
  });

  test('with a beginning that several have names them', async () => {
    const world = createUser();
    const ids: string[] = [];
    while (new Set(ids.map(([first]) => first)).size === ids.length) ids.push((await world.ask()).id);
    const last = ids.at(-1)!;
    const twins = ids.filter(id => id[0] === last[0]);
    const { exit, err } = await run(world, approve, last[0]!);
    expect(exit).toBe(64);
    for (const id of twins) expect(err).toContain(id);
  });

  test('to a question that has expired or is no longer asked fails', async () => {
    const world = createUser();
    const expired = await world.ask({ deadlineMs: 1 });
    await expired.wait(never());
    expect(await run(world, approve, expired.id)).toMatchObject({
      exit: 1,
      err: expect.stringContaining('has expired'),
    });
    const closed = await world.ask();
    await closed.close('not sent');
    expect(await run(world, approve, closed.id)).toMatchObject({
      exit: 1,
      err: expect.stringContaining('no longer asked'),
    });
  });

  test('needs no secret and no server', async () => {
    const world = createUser();
    const { id } = await world.ask();
    rmSync(join(world.folder, '.secret'));
    expect(await run(world, approve, id)).toMatchObject({ exit: 0 });
  });
});
