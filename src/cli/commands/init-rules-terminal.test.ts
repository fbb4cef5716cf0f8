import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleInto, temporaryFolder, type World } from '../../../test/program.ts';
import { answerAtTerminal, hasPty } from './fixtures/answers.ts';
import { answer, filesOf, gate, generated, push, rulesWorld, textOf, words } from './fixtures/rules-world.ts';

const folder = temporaryFolder('init-rules-terminal');
let program: string;
beforeAll(async () => {
  ({ program } = await bundleInto(join(folder, 'bin')));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const worldWith = (answers: readonly (string | object)[]): World => rulesWorld({ folder, program }, answers);

describe.runIf(hasPty)('on a terminal', () => {
  const answering = (world: World, answers: Parameters<typeof answerAtTerminal>[2]) =>
    answerAtTerminal(world, [program, ...words], answers);

  test('a person takes some, one by one', async () => {
    const world = worldWith([answer(push, generated, gate)]);
    const { exit, printed } = await answering(world, [
      ['Take 1 of 3?', 'n\n'],
      ['Take 2 of 3?', 'perhaps\n'],
      ['Please answer', 'y\n'],
      ['Take 3 of 3?', 'n\n'],
    ]);
    expect(exit, printed).toBe(0);
    expect(textOf(world)).toContain('dist/ is generated.');
    expect(textOf(world)).not.toMatch(/git push|make test/);
  });

  test('or none, and nothing is written', async () => {
    const world = worldWith([answer(push, generated)]);
    const { exit, printed } = await answering(world, [
      ['Take 1 of 2?', 'y\n'],
      ['Take 2 of 2?', 'none\n'],
    ]);
    expect(exit).toBe(1);
    expect(printed).toContain('Nothing was written.');
    expect(filesOf(world)).toEqual(['AGENTS.md']);
  });

  test('Ctrl-C at a question ends it, and nothing is written', async () => {
    const world = worldWith([answer(push, generated)]);
    const { exit, printed } = await answering(world, [
      ['Take 1 of 2?', 'y\n'],
      ['Take 2 of 2?', '\u0003'],
    ]);
    expect(exit, printed).toBe(130);
    expect(printed).toContain('Nothing was written.');
    expect(filesOf(world)).toEqual(['AGENTS.md']);
  });
});
