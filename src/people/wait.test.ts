import { describe, expect, test } from 'vitest';
import { readQuestion, readSettlement, recordSettlement } from '../session/file-store/question-files.ts';
import type { Clock } from '../session/questions.ts';
import { answerAsUser } from './answers.ts';
import { createUser, never, opened, post, request } from './fixtures/user.ts';

const hour = 3_600_000;
const pending = Symbol('pending');
const later = <Value>(ms: number, value: Value): Promise<Value> =>
  new Promise(resolve => setTimeout(() => resolve(value), ms));

/** Both hands can be moved. */
function createClock() {
  const hands = { wall: Date.now(), elapsed: 0 };
  const clock: Clock = { now: () => hands.wall, elapsedMs: () => hands.elapsed };
  return { clock, hands };
}

describe('a wait', () => {
  test('ends with the answer of a command, without the server', async () => {
    const user = createUser();
    const open = await user.ask();
    const waiting = open.wait(never());
    const from = performance.now();
    const question = readQuestion(user.folder, open.id)!;
    await answerAsUser(user.questions, question, { action: 'reject', message: 'not now', where: 'in a test' });
    expect(await waiting).toMatchObject({ kind: 'answered', action: 'reject', message: 'not now' });
    expect(performance.now() - from).toBeLessThan(10_000);
  });

  test('ends when it is cancelled, and the question stays open for the next one', async () => {
    const user = createUser();
    const open = await user.ask({ key: 'k' });
    const controller = new AbortController();
    const waiting = open.wait(controller.signal);
    controller.abort();
    expect(await waiting).toEqual({ kind: 'cancelled' });
    expect(readSettlement(user.folder, open.id)).toBeUndefined();
    expect(await open.wait(AbortSignal.abort())).toEqual({ kind: 'cancelled' });
    await post(`${open.callbackUrl}?action=approve`);
    expect(await open.wait(AbortSignal.abort())).toMatchObject({ kind: 'answered' });
  });

  test('ends at its deadline, and from then on no answer counts', async () => {
    const user = createUser();
    const open = await user.ask({ deadlineMs: 400 });
    expect(await open.wait(never())).toEqual({ kind: 'expired' });
    expect(readSettlement(user.folder, open.id)).toMatchObject({ kind: 'expired' });
    expect((await post(`${open.callbackUrl}?action=approve`)).status).toBe(410);
  });

  test('ends with the answer where answer and deadline meet', async () => {
    const user = createUser();
    const { clock, hands } = createClock();
    const open = opened(await user.approvals({ clock }).open(await request({ deadlineMs: hour })));
    const at = new Date().toISOString();
    recordSettlement(user.folder, open.id, { kind: 'answered', action: 'approve', message: '', response: {}, at });
    hands.elapsed += 2 * hour;
    expect(await open.wait(never())).toMatchObject({ kind: 'answered' });
  });

  test.each([null, 400 * 24 * hour, Number.MAX_SAFE_INTEGER])(
    'with a deadline of %s ms does not end by itself',
    async deadlineMs => {
      const warnings: Error[] = [];
      const keep = (warning: Error): void => void warnings.push(warning);
      process.on('warning', keep);
      const open = await createUser().ask({ deadlineMs });
      const controller = new AbortController();
      const waiting = open.wait(controller.signal);
      expect(await Promise.race([waiting, later(1200, pending)])).toBe(pending);
      controller.abort();
      await waiting;
      process.off('warning', keep);
      expect(warnings).toEqual([]);
    },
  );

  test.each([
    ['forward', 48 * hour],
    ['back', -48 * hour],
  ])('is not changed by a clock that is set %s, and others are told the new deadline', async (_, jump) => {
    const user = createUser();
    const { clock, hands } = createClock();
    const open = opened(await user.approvals({ clock }).open(await request({ deadlineMs: hour })));
    const controller = new AbortController();
    const waiting = open.wait(controller.signal);
    hands.wall += jump;
    hands.elapsed += 1000;
    expect(await Promise.race([waiting, later(1200, pending)])).toBe(pending);
    expect(readQuestion(user.folder, open.id)!.expires).toBe(new Date(hands.wall + hour - 1000).toISOString());
    hands.elapsed += hour;
    expect(await waiting).toEqual({ kind: 'expired' });
  });
});

describe('after a restart', () => {
  const restart = async (moveWall: number) => {
    const user = createUser();
    const { clock, hands } = createClock();
    const again = await request({ key: 'k', deadlineMs: hour });
    const before = user.approvals({ clock });
    opened(await before.open(again));
    await before.close();
    hands.wall += moveWall;
    hands.elapsed = 0;
    return { hands, open: opened(await user.approvals({ clock }).open(again)) };
  };

  test('the deadline is where it was', async () => {
    const { hands, open } = await restart(hour - 1000);
    const waiting = open.wait(never());
    hands.elapsed += 1001;
    expect(await waiting).toEqual({ kind: 'expired' });
  });

  test('a question that expired meanwhile is over', async () => {
    const { open } = await restart(hour);
    expect(open.isSettled).toBe(true);
    expect(await open.wait(never())).toEqual({ kind: 'expired' });
  });

  test('a clock that was set back gives no more time than there was at first', async () => {
    const { hands, open } = await restart(-48 * hour);
    const waiting = open.wait(never());
    hands.elapsed += hour + 1;
    expect(await waiting).toEqual({ kind: 'expired' });
  });
});
