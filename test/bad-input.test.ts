import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { badnesses, hookFiles, makeBad } from './bad-input/files.ts';
import { runHere } from './here.ts';
import { bundleInto, createWorld, type Ran, temporaryFolder, type World } from './program.ts';

const folder = temporaryFolder('bad-input');
let program: string;
beforeAll(async () => {
  program = (await bundleInto(join(folder, 'bin'))).program;
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A project with a script that leaves `ran` behind when an iteration starts. */
function watchedWorld(): World {
  const world = createWorld(folder, program);
  world.write('.a5c/hooks/on-iteration-start/watch.sh', `#!/bin/sh\ntouch ran\n`, 0o755);
  return world;
}

const ran = ({ project }: World): boolean => existsSync(join(project, 'ran'));

/** Lines that show the inside the program, which no person should ever see. */
const innards = ({ stderr, stdout }: Ran): string[] =>
  (stderr + stdout).split('\n').filter(line => /^ {4}at |this is a bug|node:internal/.test(line));

describe.each(hookFiles)('in place of $path', file => {
  test('a good file runs its hook', () => {
    const world = watchedWorld();
    world.write(file.path, file.good);
    expect(world.run(['dispatch', file.event]).exit).toBe(0);
    expect(existsSync(join(world.project, 'ran-file'))).toBe(true);
  });

  const applicable = badnesses.filter(({ formats }) => formats?.includes(file.format) ?? true);
  test.each(applicable)(`$name is told, and the file is ${file.bad}`, async badness => {
    const world = watchedWorld();
    makeBad(world.pathOf(file.path), file, badness);
    const options = badness.unprivileged ? { unprivileged: true as const } : {};
    // First, since it is stopped where it hangs.
    const dispatched = world.run(['dispatch', 'iteration.starting'], options);
    expect(dispatched.stderr).toMatch(badness.says);
    expect(dispatched.stderr).toContain(file.path.replace('~', ''));
    const checked = badness.unprivileged ? world.run(['check'], options) : await runHere(world, ['check']);
    expect(checked).toMatchObject({ exit: 78, stdout: expect.stringMatching(badness.says) });
    expect(checked.stdout).toContain(file.path.replace('~', ''));
    expect([checked, dispatched].map(innards)).toEqual([[], []]);
    const refused = file.bad === 'refused';
    expect([dispatched.exit, dispatched.stdout === '', ran(world)]).toEqual(
      refused ? [78, true, false] : [0, false, true],
    );
    expect(existsSync(join(world.project, 'ran-file'))).toBe(false);
    const listed = badness.unprivileged
      ? world.run(['list', '--json'], options)
      : await runHere(world, ['list', '--json']);
    expect([listed.exit, innards(listed)]).toEqual([0, []]);
    expect(JSON.parse(listed.stdout).length).toBeGreaterThan(0);
  });

  test.each([['check'], ['list', '--json']])(
    'the program itself says in %s what is expected of it here',
    async (...args) => {
      const world = watchedWorld();
      makeBad(world.pathOf(file.path), file, badnesses[0]!);
      expect(world.run(args)).toEqual(await runHere(world, args));
    },
  );
});

describe('in a folder of scripts', () => {
  const type = '.a5c/hooks/on-iteration-start';
  const cases: readonly { name: string; says: RegExp; make(folder: string): void }[] = [
    {
      name: 'a name that is not UTF-8',
      says: /not UTF-8/,
      make: at =>
        writeFileSync(Buffer.concat([Buffer.from(`${at}/a`), Buffer.from([0xff]), Buffer.from('.sh')]), script, {
          mode: 0o755,
        }),
    },
    { name: 'a folder', says: /not a file/, make: at => mkdirSync(`${at}/a.sh`) },
    { name: 'a link to itself', says: /dead link|circle/, make: at => symlinkSync('a.sh', `${at}/a.sh`) },
    { name: 'a link to nothing', says: /dead link/, make: at => symlinkSync('nowhere', `${at}/a.sh`) },
    { name: 'a pipe', says: /not a file/, make: at => void execFileSync('mkfifo', ['-m', '755', `${at}/a.sh`]) },
    { name: 'an empty script', says: /empty/, make: at => writeFileSync(`${at}/a.sh`, '', { mode: 0o755 }) },
    {
      name: 'binary data',
      says: /a\.sh/,
      make: at => writeFileSync(`${at}/a.sh`, Buffer.alloc(4096, 0xfe), { mode: 0o755 }),
    },
    { name: 'control characters in a name', says: /a\ufffd/, make: at => writeFileSync(`${at}/a\x1b[31m.sh`, script) },
  ];
  const script = '#!/bin/sh\ntouch ran-file\n';

  test.each(cases)('$name does not run and does not keep the others from running', async ({ says, make }) => {
    const world = watchedWorld();
    make(world.pathOf(type));
    const dispatched = world.run(['dispatch', 'iteration.starting']);
    expect([dispatched.exit, ran(world), innards(dispatched)]).toEqual([0, true, []]);
    expect(existsSync(join(world.project, 'ran-file'))).toBe(false);
    const checked = await runHere(world, ['check']);
    expect([checked.exit, innards(checked)]).toEqual([0, []]);
    expect(dispatched.stderr + checked.stdout).toMatch(says);
  });
});

describe('a payload', () => {
  const deep = 100_000;
  test.each([
    ['that is not JSON', '{"a":', /not JSON/],
    ['of other text', 'hello', /not JSON/],
    ['that is a list', '[]', /JSON object/],
    ['that is a number', '7', /JSON object/],
    ['that is null', 'null', /JSON object/],
    ['nested without end', '{"a":'.repeat(deep), /not JSON|nested deeper/],
    ['nested too deeply', `{"a":${'['.repeat(deep)}${']'.repeat(deep)}}`, /nested deeper/],
    ['of more than 64 MiB', `{"a":"${'x'.repeat(65 * 1024 * 1024)}"}`, /64 MiB/],
    ['with an iteration that is a text', '{"iteration":"three"}', /"iteration" must be a whole number/],
    ['with a stage that is a list', '{"stage":[1]}', /"stage" must be a text/],
    ['of bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x00]), /not JSON/],
  ])('%s is bad input, and nothing runs', (_, input, says) => {
    const world = watchedWorld();
    const dispatched = world.run(['dispatch', 'iteration.starting'], { input });
    expect([dispatched.exit, dispatched.stdout, ran(world), innards(dispatched)]).toEqual([65, '', false, []]);
    expect(dispatched.stderr).toMatch(says);
    expect(dispatched.stderr.length).toBeLessThan(1000);
  });

  test.each(['{"__proto__":{"iteration":"x"},"iteration":2}', '{"constructor":{"prototype":{"a":1}}}'])(
    '%s is only data',
    input => {
      const world = watchedWorld();
      const dispatched = world.run(['dispatch', 'iteration.starting'], { input });
      expect([dispatched.exit, ran(world), innards(dispatched)]).toEqual([0, true, []]);
    },
  );
});

test('list --json escapes what a terminal could take for a command', () => {
  const world = watchedWorld();
  const command = 'printf \u009b31m\u202e';
  world.write('.sauna/hooks.json', JSON.stringify([command]));
  const { stdout } = world.run(['list', '--json']);
  expect(stdout).not.toMatch(/[\u007f-\u009f\u202a-\u202e]/);
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ action: expect.objectContaining({ command }) }));
});
