import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { dispatchEvent } from '../../app/dispatch-event.ts';
import type { PlanSource } from '../../app/plan-source.ts';
import { createPlans } from '../../app/serve-memory.ts';
import type { PlanRequest } from '../../hooks/plan/plan-cache.ts';
import { createSandbox, type Ran, type Sandbox } from '../../hooks/trust/fixtures/sandbox.ts';
import type { DialectName } from '../../model/index.ts';
import { cacheFolder } from '../../platform/folders.ts';
import { parseArguments } from '../command.ts';
import type { Io } from '../io.ts';
import { runCommand } from '../run-command.ts';
import { dispatch } from './dispatch.ts';

/** The first one may change the second before that runs. */
const hooks = `hooks:
  tool.calling:
    - { type: shell, command: sh first.sh, await: true }
    - { type: shell, command: sh second.sh, await: true, block: true }
`;

async function trustedSandbox(first: string): Promise<Sandbox> {
  const sandbox = createSandbox();
  sandbox.write('hookloop.yaml', hooks);
  sandbox.write('first.sh', first);
  sandbox.write('second.sh', 'echo second >> ran\n');
  expect((await sandbox.trust(['--yes'])).exit).toBe(0);
  return sandbox;
}

/** As the command does it, with plans of its own where some are given. */
async function call({ project, env }: Sandbox, words: readonly string[], plans?: PlanSource): Promise<Ran> {
  let [stdout, stderr] = ['', ''];
  const io: Io = {
    ...{ cwd: project, env: { PATH: process.env['PATH'], ...env }, input: () => '{"tool":"Bash"}' },
    out: text => {
      stdout += text;
    },
    err: text => {
      stderr += text;
    },
    terminal: () => ({ color: false, columns: undefined }),
  };
  if (plans === undefined)
    return { exit: await withoutItsSignals(() => runCommand(dispatch, words, io)), stdout, stderr };
  const { positionals, values, flags } = parseArguments(dispatch, words);
  const request = { only: values['only'] as DialectName, requireTrust: flags.has('require-trust'), dryRun: false };
  const dispatched = await dispatchEvent({ event: positionals[0]!, input: io.input }, request, {
    ...{ cwd: io.cwd, env: io.env, plans, program: 'hookloop', signal: new AbortController().signal },
    tell: line => io.err(line),
    report: () => ({ line: () => {}, progress: () => {} }),
  });
  if (dispatched.kind !== 'fired') return { exit: 2, stdout: '', stderr: dispatched.why };
  const { result } = dispatched;
  return { exit: result.decision.kind === 'proceed' ? 0 : 2, stdout: JSON.stringify(result), stderr };
}

/** The command listens for the rest of its process, and this one has more to do. */
async function withoutItsSignals<T>(run: () => Promise<T>): Promise<T> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const before = signals.map(name => process.listeners(name));
  const ran = await run();
  for (const [at, name] of signals.entries())
    for (const listener of process.listeners(name)) if (!before[at]!.includes(listener)) process.off(name, listener);
  return ran;
}

const requiring = ['--require-trust', 'tool.calling'];
const ran = ({ project }: Sandbox): string =>
  existsSync(join(project, 'ran')) ? readFileSync(join(project, 'ran'), 'utf8') : '';

describe.each<[string, () => PlanSource | undefined]>([
  ['by itself', () => undefined],
  ['in serve', () => createPlans(undefined)],
])('dispatch --require-trust %s', (_, plans) => {
  test.each([
    ['all dialects', []],
    ['one dialect', ['--only', 'native']],
  ])('runs no script that was changed after it was found to be trusted, for %s', async (_dialects, only) => {
    const sandbox = await trustedSandbox('echo "echo changed >> ran" > second.sh\n');
    const plan = plans();
    const { exit, stdout } = await call(sandbox, [...only, ...requiring], plan);
    expect({ exit, ran: ran(sandbox) }).toEqual({ exit: 2, ran: '' });
    const { decision } = JSON.parse(stdout);
    expect(decision).toMatchObject({
      kind: 'block',
      reason: expect.stringMatching(/second\.sh is not what was trusted/),
    });
    // The hooks are looked at again for the next event.
    expect(await call(sandbox, requiring, plan)).toMatchObject({
      ...{
        exit: 2,
        stdout: '',
        stderr: expect.stringMatching(/nothing was run.*hookloop\.yaml: changed since they were trusted/),
      },
    });
  });

  test('runs hooks that are as they were trusted, and without it whatever is there', async () => {
    const sandbox = await trustedSandbox('echo first >> ran\n');
    expect((await call(sandbox, requiring, plans())).exit).toBe(0);
    expect(ran(sandbox)).toBe('first\nsecond\n');
    sandbox.write('second.sh', 'echo other >> ran\n');
    expect((await call(sandbox, ['tool.calling'], plans())).exit).toBe(0);
    expect(ran(sandbox)).toBe('first\nsecond\nfirst\nother\n');
  });
});

test('dispatch --require-trust in serve compiles nothing while the hooks are as they were', async () => {
  const sandbox = await trustedSandbox('echo first >> ran\n');
  const plans = createPlans(cacheFolder(sandbox.env));
  const request: PlanRequest = { cwd: sandbox.project, env: sandbox.env, only: undefined };
  // Files that were written just now may still change without showing it, and their plan is not kept.
  for (let [before, now] = [await plans(request), await plans(request)]; before !== now; await delay(10))
    [before, now] = [now, await plans(request)];
  const compiled = join(sandbox.env['HOME']!, '.cache/hookloop/plans');
  expect(existsSync(compiled)).toBe(true);
  rmSync(compiled, { recursive: true });
  expect((await call(sandbox, requiring, plans)).exit).toBe(0);
  expect({ ran: ran(sandbox), isCompiled: existsSync(compiled) }).toEqual({
    ran: 'first\nsecond\n',
    isCompiled: false,
  });
  sandbox.write('second.sh', 'echo other >> ran\n');
  expect(await call(sandbox, requiring, plans)).toMatchObject({
    ...{
      exit: 2,
      stdout: '',
      stderr: expect.stringMatching(/nothing was run.*hookloop\.yaml: changed since they were trusted/),
    },
  });
});

describe('dispatch', () => {
  test('does not tell of warnings, and tells of a file that is left out in one line', async () => {
    const sandbox = createSandbox();
    sandbox.write('.nyzhi/config.toml', '[[agent.hooks]]\nevent = "post_tool"\ncommand = "x"\ntimout = 3\n');
    sandbox.write('.a5c/hooks/PreToolUse/a.sh', '#!/bin/sh\n', 0o644);
    sandbox.write('.iteratr.hooks.yml', 'hooks:\n  session_start: {command: [\n');
    const { exit, stderr } = await call(sandbox, ['tool.calling']);
    expect(exit).toBe(0);
    expect(stderr).not.toContain('warning');
    expect(stderr.match(/^\.iteratr\.hooks\.yml:.*$/gm)).toHaveLength(1);
    expect(stderr).not.toContain('^');
  });

  test('sums up what hooks said, and of babysitter how they ended', async () => {
    const sandbox = createSandbox();
    const answer = `echo '{"decision":"block","reason":"no"}'`;
    sandbox.write(
      '.claude/settings.json',
      JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: answer }] }] } }),
    );
    sandbox.write('.a5c/hooks/PreToolUse/a.sh', `#!/bin/sh\n${answer}\n`, 0o755);
    const { stderr } = await call(sandbox, ['tool.calling']);
    expect(stderr).toContain('per-repo:a.sh:success');
    expect(stderr).toMatch(/^claude:.*:block$/m);
  });
});
