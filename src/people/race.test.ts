import { expect, test } from 'vitest';
import { bundleProgram } from '../platform/fixtures/programs.ts';
import { readSettlement } from '../session/file-store/question-files.ts';
import { start } from './fixtures/programs.ts';
import { createUser, freePort } from './fixtures/user.ts';

const [asker, answerer] = await Promise.all([
  bundleProgram(new URL('./fixtures/asker.ts', import.meta.url)),
  bundleProgram(new URL('./fixtures/answerer.ts', import.meta.url)),
]);

interface Result {
  message: string;
  isRecorded: boolean;
  status?: number;
  onDisk?: string;
}

test('of 50 answers at once from five processes, by HTTP and by command, exactly one wins and is on disk before its 200', async () => {
  for (let round = 0; round < 3; round += 1) {
    const user = createUser();
    const asking = start(asker, [user.home, user.sessionFolder, user.root, String(await freePort())]);
    const { id, callbackUrl } = (await asking.next()) as { id: string; callbackUrl: string };
    const programs = ['a', 'b', 'c', 'd', 'e'].map(name => start(answerer, [user.home, id, callbackUrl, name, '10']));
    await Promise.all(programs.map(program => program.next()));
    for (const { child } of programs) child.stdin!.end();
    const all = (await Promise.all(programs.map(program => program.next()))).flatMap(
      ({ results }) => results as Result[],
    );
    expect(all).toHaveLength(50);
    const winners = all.filter(({ isRecorded }) => isRecorded);
    expect(winners).toHaveLength(1);
    const { message } = winners[0]!;
    expect(readSettlement(user.folder, id)).toMatchObject({ kind: 'answered', message });
    expect(await asking.next()).toMatchObject({ kind: 'answered', message });
    const overHttp = all.filter(({ status }) => status !== undefined);
    expect(overHttp).toHaveLength(25);
    for (const { isRecorded, status, onDisk } of overHttp) {
      expect([200, 409, 410]).toContain(status);
      expect(status === 200).toBe(isRecorded);
      expect(onDisk).toBe(message);
    }
  }
}, 120_000);
