import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundleProgram } from '../platform/fixtures/programs.ts';
import { type Ran, run, runInjected, tellSkipped, whyNoInjection } from '../session/file-store/fixtures/programs.ts';
import { allQuestions, readContext, readSettlement } from '../session/file-store/question-files.ts';
import { findQuestion } from './callbacks.ts';
import { createUser, freePort } from './fixtures/user.ts';

const [opener, answerOnce] = await Promise.all([
  bundleProgram(new URL('./fixtures/opener.ts', import.meta.url)),
  bundleProgram(new URL('./fixtures/answer-once.ts', import.meta.url)),
]);
const writes = [
  '?mkdir,?mkdirat',
  'fsync',
  'pwrite64',
  '?link,?linkat',
  '?rename,?renameat,?renameat2',
  '?unlink,?unlinkat',
];
const limitMs = 240_000;

const killed = ({ signal }: Ran): boolean => signal === 'SIGKILL';
const kill = (call: string, when: number, command: readonly string[]): Promise<Ran> =>
  runInjected(`${call}:signal=SIGKILL:when=${when}`, [], command);
const lineOf = ({ stdout }: Ran) => (stdout === '' ? undefined : JSON.parse(stdout));

describe.skipIf(tellSkipped('crashes at every write of approvals', whyNoInjection))('killed at each', () => {
  test.each(writes)(
    '%s of asking, a question that was told is kept, and asking again finds it',
    async call => {
      let crashes = 0;
      for (let when = 1, isCrash = true; isCrash; when += 1) {
        const { home, root, sessionFolder, folder, questions } = createUser();
        writeFileSync(join(root, 'plan.md'), 'the plan');
        const command = [process.execPath, opener, home, sessionFolder, root, String(await freePort())];
        const first = await kill(call, when, command);
        isCrash = killed(first);
        crashes += isCrash ? 1 : 0;
        const told = lineOf(first);
        const again = await run(command);
        expect(again).toMatchObject({ code: 0, stderr: '' });
        const { id, callbackUrl, sent } = lineOf(again);
        if (told) expect({ id, callbackUrl }).toEqual({ id: told.id, callbackUrl: told.callbackUrl });
        if (!isCrash) expect(sent).toBe(true);
        expect(allQuestions(folder).map(question => question.id)).toEqual([id]);
        expect((await findQuestion(questions, undefined, callbackUrl.split('/').at(-1)))?.id).toBe(id);
        expect(readContext(folder, id)).toMatchObject([{ text: 'the plan' }]);
      }
      expect(crashes).toBeGreaterThanOrEqual(1);
    },
    limitMs,
  );

  test.each(['fsync', 'pwrite64', '?link,?linkat', '?unlink,?unlinkat'])(
    '%s of answering, there is one answer or none, and one that was told stays',
    async call => {
      let crashes = 0;
      for (let when = 1, isCrash = true; isCrash; when += 1) {
        const user = createUser();
        const { id } = await user.ask();
        const first = await kill(call, when, [process.execPath, answerOnce, user.home, id, 'approve']);
        isCrash = killed(first);
        crashes += isCrash ? 1 : 0;
        const between = readSettlement(user.folder, id);
        if (lineOf(first)) expect(between).toMatchObject({ action: 'approve' });
        const second = lineOf(await run([process.execPath, answerOnce, user.home, id, 'reject']));
        expect(second).toMatchObject({ action: between ? 'approve' : 'reject' });
        const kept = readSettlement(user.folder, id);
        expect(kept).toEqual(second);
        expect(readdirSync(join(user.folder, id))).toContain('answer.json');
      }
      expect(crashes).toBeGreaterThanOrEqual(1);
    },
    limitMs,
  );

  test('write, a disk that is full decides nothing, and there is an answer once it has space', async () => {
    const user = createUser();
    const { id } = await user.ask();
    const answer = [process.execPath, answerOnce, user.home, id, 'approve'];
    expect((await runInjected('pwrite64:error=ENOSPC', [], answer)).code).not.toBe(0);
    expect(readdirSync(join(user.folder, id))).toEqual(['question.json']);
    expect(lineOf(await run(answer))).toMatchObject({ action: 'approve' });
  });
});
