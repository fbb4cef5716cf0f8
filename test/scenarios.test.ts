import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInstalled } from './installed.ts';
import { asExpected, type Printed, parseScenario, type Scenario } from './scenarios/scenario.ts';

const scenarios = fileURLToPath(new URL('scenarios', import.meta.url));
const { folder: temporary, install, runShell } = createInstalled('scenarios');

beforeAll(install, 60_000);
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

describe('a scenario', () => {
  for (const name of readdirSync(scenarios).filter(file => file.endsWith('.txt')))
    test(name.replace(/\.txt$/, '').replaceAll('-', ' '), () => {
      const scenario = parseScenario(readFileSync(join(scenarios, name), 'utf8'));
      const world = createWorld(scenario);
      for (const { command, expected } of scenario.steps) {
        const printed = world.run(command);
        const compared = {
          stdout: asExpected(printed.stdout, expected.stdout),
          stderr: asExpected(printed.stderr, expected.stderr),
          exit: printed.exit,
        };
        expect(compared, command).toEqual(expected);
      }
    });
});

describe('the wildcards of scenarios', () => {
  test.each([
    ['same line', 'same line'],
    ['took 12 ms', 'took [..] ms'],
    ['a\nb\nc', 'a\n...\nc'],
    ['a\nc', 'a\n...\nc'],
    ['a\nb', '...'],
  ])('%j is as expected by %j', (actual, expected) => expect(asExpected(actual, expected)).toBe(expected));

  test.each([
    ['other line', 'same line'],
    ['took 12 s', 'took [..] ms'],
    ['a\nb\nd', 'a\n...\nc'],
    ['a\nb', 'a'],
    ['axb', 'a.b'],
  ])('%j is not as expected by %j', (actual, expected) => expect(asExpected(actual, expected)).toBe(actual));
});

/** A project and a home of their own, where commands run in a clean environment. */
function createWorld({ files }: Scenario): { run(command: string): Printed } {
  const world = mkdtempSync(join(temporary, 'world-'));
  const [project, home] = [join(world, 'project'), join(world, 'home')];
  for (const folder of [project, home]) mkdirSync(folder);
  for (const { path, mode, text } of files) {
    const file = path.startsWith('~/') ? join(home, path.slice(2)) : join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
  }
  const named = (text: string): string => text.replaceAll(project, '<project>').replaceAll(home, '<home>');
  return {
    run(command) {
      const { stdout, stderr, exit } = runShell(command, { cwd: project, home });
      return { stdout: named(stdout), stderr: named(stderr), exit };
    },
  };
}
