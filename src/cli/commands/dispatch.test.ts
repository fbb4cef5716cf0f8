import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { PlanRequest } from '../../hooks/plan/cache.ts';
import { createWorld, type Ran, type World } from '../../hooks/trust/fixtures/project.ts';
import { createPlans } from '../../serve/plans.ts';
import type { Io } from '../io.ts';
import { runCommand } from '../main.ts';
import { dispatch } from './dispatch.ts';

/** The first one may change the second before that runs. */
const hooks = `hooks:
  tool.calling:
    - { type: shell, command: sh first.sh, await: true }
    - { type: shell, command: sh second.sh, await: true, block: true }
`;

async function trustedWorld(first: string): Promise<World> {
  const world = createWorld();
  world.write('hookloop.yaml', hooks);
  world.write('first.sh', first);
  world.write('second.sh', 'echo second >> ran\n');
  expect((await world.trust(['--yes'])).exit).toBe(0);
  return world;
}

async function call({ project, env }: World, words: readonly string[], plan?: Io['plan']): Promise<Ran> {
  let [stdout, stderr] = ['', ''];
  const exit = await runCommand(dispatch, words, {
    ...{ cwd: project, env: { PATH: process.env['PATH'], ...env }, input: () => '{"tool":"Bash"}' },
    ...(plan && { plan }),
    interruption: { signal: new AbortController().signal, exitCode: () => undefined },
    out: text => {
      stdout += text;
    },
    err: text => {
      stderr += text;
    },
    terminal: () => ({ color: false, columns: undefined }),
  });
  return { exit, stdout, stderr };
}

const requiring = ['--require-trust', 'tool.calling'];
const ran = ({ project }: World): string =>
  existsSync(join(project, 'ran')) ? readFileSync(join(project, 'ran'), 'utf8') : '';

describe.each<[string, () => Io['plan']]>([
  ['by itself', () => undefined],
  ['in serve', createPlans],
])('dispatch --require-trust %s', (_, plans) => {
  test.each([
    ['all dialects', []],
    ['one dialect', ['--only', 'native']],
  ])('runs no script that was changed after it was found to be trusted, for %s', async (_dialects, only) => {
    const world = await trustedWorld('echo "echo changed >> ran" > second.sh\n');
    const plan = plans();
    const { exit, stdout } = await call(world, [...only, ...requiring], plan);
    expect({ exit, ran: ran(world) }).toEqual({ exit: 2, ran: '' });
    const { decision } = JSON.parse(stdout);
    expect(decision).toMatchObject({
      kind: 'block',
      reason: expect.stringMatching(/second\.sh is not what was trusted/),
    });
    // The hooks are looked at again for the next event.
    expect(await call(world, requiring, plan)).toMatchObject({
      ...{
        exit: 2,
        stdout: '',
        stderr: expect.stringMatching(/nothing was run.*hookloop\.yaml: changed since they were trusted/),
      },
    });
  });

  test('runs hooks that are as they were trusted, and without it whatever is there', async () => {
    const world = await trustedWorld('echo first >> ran\n');
    expect((await call(world, requiring, plans())).exit).toBe(0);
    expect(ran(world)).toBe('first\nsecond\n');
    world.write('second.sh', 'echo other >> ran\n');
    expect((await call(world, ['tool.calling'], plans())).exit).toBe(0);
    expect(ran(world)).toBe('first\nsecond\nfirst\nother\n');
  });
});

test('dispatch --require-trust in serve compiles nothing while the hooks are as they were', async () => {
  const world = await trustedWorld('echo first >> ran\n');
  const plans = createPlans();
  const request: PlanRequest = { cwd: world.project, env: world.env, only: undefined };
  // Files that were written just now may still change without showing it, and their plan is not kept.
  for (let [before, now] = [await plans(request), await plans(request)]; before !== now; await delay(10))
    [before, now] = [now, await plans(request)];
  const compiled = join(world.env['HOME']!, '.cache/hookloop/plans');
  expect(existsSync(compiled)).toBe(true);
  rmSync(compiled, { recursive: true });
  expect((await call(world, requiring, plans)).exit).toBe(0);
  expect({ ran: ran(world), isCompiled: existsSync(compiled) }).toEqual({ ran: 'first\nsecond\n', isCompiled: false });
  world.write('second.sh', 'echo other >> ran\n');
  expect(await call(world, requiring, plans)).toMatchObject({
    ...{
      exit: 2,
      stdout: '',
      stderr: expect.stringMatching(/nothing was run.*hookloop\.yaml: changed since they were trusted/),
    },
  });
});

describe('dispatch', () => {
  test('does not tell of warnings, and tells of a file that is left out in one line', async () => {
    const world = createWorld();
    world.write('.nyzhi/config.toml', '[[agent.hooks]]\nevent = "post_tool"\ncommand = "x"\ntimout = 3\n');
    world.write('.a5c/hooks/PreToolUse/a.sh', '#!/bin/sh\n', 0o644);
    world.write('.iteratr.hooks.yml', 'hooks:\n  session_start: {command: [\n');
    const { exit, stderr } = await call(world, ['tool.calling']);
    expect(exit).toBe(0);
    expect(stderr).not.toContain('warning');
    expect(stderr.match(/^\.iteratr\.hooks\.yml:.*$/gm)).toHaveLength(1);
    expect(stderr).not.toContain('^');
  });

  test('sums up what hooks said, and of babysitter how they ended', async () => {
    const world = createWorld();
    const answer = `echo '{"decision":"block","reason":"no"}'`;
    world.write(
      '.claude/settings.json',
      JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: answer }] }] } }),
    );
    world.write('.a5c/hooks/PreToolUse/a.sh', `#!/bin/sh\n${answer}\n`, 0o755);
    const { stderr } = await call(world, ['tool.calling']);
    expect(stderr).toContain('per-repo:a.sh:success');
    expect(stderr).toMatch(/^claude:.*:block$/m);
  });
});
