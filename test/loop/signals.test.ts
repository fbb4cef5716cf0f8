import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { expect, test } from 'vitest';
import type { Notice } from '../../src/model/notice.ts';
import { root } from '../program.ts';
import { bundleForTests, diary, diaryAgent, eventually, noticesOf, type Project, processesOf } from './project.ts';

const bundled = await bundleForTests();

const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** Slow the first time, with a child that leaves its group. */
const slow = `test -e ~/again || { touch ~/again; echo x >> ~/slow; setsid sleep 300 & sleep 300; }; true`;
const ends = `
hooks:
  session.ended: [{ type: shell, await: true, command: 'echo "$LAST_DECISION" > /dev/null; echo ended >> ~/ends' }]
`;

const moments: Readonly<Record<string, { files: Record<string, string>; args?: readonly string[] }>> = {
  'a hook runs': {
    files: {
      ...diary(),
      '.iteratr.hooks.yml': JSON.stringify({ hooks: { pre_iteration: [{ command: slow }, { command: 'true' }] } }),
    },
  },
  'the agent works': { files: diary({ 1: slow }) },
  'a gate runs': { files: { ...diary(), '.sauna/hooks.json': JSON.stringify([slow]) } },
  'it waits between iterations': {
    files: {
      ...diary(),
      'loop.yaml': 'name: d\nprompt: do it\ndelay: 0.8\ntermination: { type: fixed, iterations: 2 }\n',
      '.iteratr.hooks.yml': 'hooks: { post_iteration: [{ command: "echo x >> ~/slow" }] }\n',
    },
    args: ['./loop.yaml'],
  },
};

const begin = (project: Project, args: readonly string[]) =>
  project.start(['run', '--agent', diaryAgent, '--session', 's', '--json', ...args]);

test.each([
  ['SIGINT', 'a hook runs'],
  ['SIGINT', 'the agent works'],
  ['SIGINT', 'a gate runs'],
  ['SIGINT', 'it waits between iterations'],
  ['SIGTERM', 'the agent works'],
  ['SIGTERM', 'a gate runs'],
  ['SIGHUP', 'a hook runs'],
  ['SIGHUP', 'it waits between iterations'],
] as const)('%s while %s ends it cleanly, leaves nothing behind, and resume goes on', async (signal, moment) => {
  const { files, args = ['--prompt', 'go'] } = moments[moment]!;
  const project = bundled.project({ ...files, 'hookloop.yaml': ends });
  const started = begin(project, args);
  await eventually(() => project.lines('~/slow').length > 0);
  started.process.kill(signal);
  expect(await started.ended).toEqual({ code: codes[signal], signal: null });
  expect(processesOf(project)).toEqual([]);
  expect(project.lines('~/ends')).toEqual(['ended']);
  expect(project.journal('s').at(-1)).toMatchObject({ kind: 'session.closed', status: 'interrupted' });
  const summary = noticesOf({ exit: 0, stdout: started.stdout(), stderr: '' }).at(-1);
  expect(summary).toMatchObject({ type: 'session.summary', status: 'interrupted', resume: 'hookloop resume s' });
  // What was cut short, or came no more, is due again: nothing of it has failed.
  const { hooks } = summary as Extract<Notice, { type: 'session.summary' }>;
  expect(hooks.filter(({ failed, refused }) => failed + refused > 0)).toEqual([]);
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  expect(project.lines('~/ends')).toEqual(['ended', 'ended']);
  expect(processesOf(project)).toEqual([]);
});

/** Starts the program in a terminal of its own, closes the terminal when a line comes on stdin, and tells how the program ended. */
const inTerminal = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
sys.stdin.readline()
os.close(terminal)
_, status = os.waitpid(pid, 0)
print(os.WTERMSIG(status) if os.WIFSIGNALED(status) else 'exit %d' % os.WEXITSTATUS(status))
`;

test('a terminal that is closed ends it by SIGHUP, with a clean end in the journal', async () => {
  const project = bundled.project({ ...diary({ 1: slow }), 'hookloop.yaml': ends });
  const run = [bundled.program, 'run', '--agent', diaryAgent, '--session', 's', '--prompt', 'go'];
  const python = spawn('python3', ['-c', inTerminal, process.execPath, ...run], {
    cwd: project.project,
    env: { PATH: process.env['PATH'], HOME: project.home },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let printed = '';
  python.stdout.on('data', text => {
    printed += text;
  });
  await eventually(() => project.lines('~/slow').length > 0);
  python.stdin.end('\n');
  await once(python, 'close');
  expect(printed).toBe(`${constants.signals.SIGHUP}\n`);
  expect(project.journal('s').at(-1)).toMatchObject({ kind: 'session.closed', status: 'interrupted' });
  expect(project.lines('~/ends')).toEqual(['ended']);
  expect(processesOf(project)).toEqual([]);
});

test('a signal that comes while the session is begun ends it cleanly as well', async () => {
  for (let waitMs = 0; waitMs < 10; waitMs += 1) {
    const project = bundled.project({ ...diary({ 1: 'sleep 300' }), 'hookloop.yaml': ends });
    const started = begin(project, ['--prompt', 'go']);
    const journal = project.pathOf('.hookloop/sessions/s/journal.jsonl');
    // From the first sight of the journal, a little later each time.
    await eventually(() => existsSync(journal));
    for (const endMs = performance.now() + waitMs; performance.now() < endMs; );
    started.process.kill('SIGTERM');
    expect(await started.ended).toEqual({ code: 143, signal: null });
    expect(project.journal('s').at(-1)).toMatchObject({ kind: 'session.closed', status: 'interrupted' });
  }
});

test('the line that goes on with it is printed, also where a process does not listen', async () => {
  const project = bundled.project(diary({ 1: `sh -c 'trap "" TERM INT HUP; sleep 300 & wait' & ${slow}` }));
  const started = project.start(['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'go']);
  await eventually(() => project.lines('~/slow').length > 0);
  started.process.kill('SIGINT');
  expect((await started.ended).code).toBe(130);
  expect(started.stderr()).toContain('hookloop resume s');
  expect(processesOf(project)).toEqual([]);
});

test.each([
  ['asks for thousands of calls at once', 'flood 3000', 'tool.calling'],
  ['tells of thousands of calls at once', 'burst 3000', 'tool.called'],
])('an agent that %s does not hold up the end: most of its calls start no hook', async (_, prompt, event) => {
  const project = bundled.project({
    'hookloop.yaml': `hooks: { ${event}: [{ type: shell, await: true, command: 'echo x >> ~/asked' }] }\n`,
  });
  const agent = `acp:'${process.execPath}' '${root}/test/fixtures/agents/acp-agent.mjs'`;
  const started = project.start(['run', '--agent', agent, '--session', 's', '--prompt', prompt, '--json']);
  await eventually(() => project.lines('~/asked').length > 3);
  started.process.kill('SIGINT');
  const before = project.lines('~/asked').length;
  expect((await started.ended).code).toBe(130);
  const hooks = project.journal('s').filter(({ kind }) => kind === 'hook.started').length;
  expect(hooks - before).toBeLessThan(1000);
  expect(processesOf(project)).toEqual([]);
});

test('the second signal ends it at once, whatever still runs', async () => {
  const project = bundled.project({
    ...diary({ 1: slow }),
    'hookloop.yaml': `hooks: { session.ended: [{ type: shell, await: true, command: 'echo x >> ~/ending; trap "" TERM; sleep 300' }] }\n`,
  });
  const started = begin(project, ['--prompt', 'go']);
  await eventually(() => project.lines('~/slow').length > 0);
  started.process.kill('SIGINT');
  await eventually(() => project.lines('~/ending').length > 0);
  const from = performance.now();
  started.process.kill('SIGINT');
  expect((await started.ended).code).toBe(130);
  // Its hook would have ten seconds.
  expect(performance.now() - from).toBeLessThan(8000);
  await eventually(() => processesOf(project).length === 0, 2000);
  expect(JSON.parse(project.read('.hookloop/sessions/s/state.json'))).toMatchObject({
    status: 'interrupted',
    reason: 'at once',
    stages: [{ status: 'interrupted' }],
  });
  project.write('hookloop.yaml', 'hooks: {}\n');
  expect(project.run(['resume', 's']).exit).toBe(0);
});

test('a git that hangs before a turn does not hold up the end', async () => {
  const project = bundled.project({
    ...diary(),
    'hookloop.yaml': 'hooks:\n  iteration.completed: [{ type: shell, command: "true" }]\n',
  });
  project.write('~/bin/git', '#!/bin/sh\necho x >> ~/slow\nsleep 300\n', 0o755);
  const args = ['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'go'];
  const started = project.start(args, { PATH: `${project.pathOf('~/bin')}:${process.env['PATH']}` });
  await eventually(() => project.lines('~/slow').length > 0);
  const stoppedMs = performance.now();
  started.process.kill('SIGINT');
  expect(await started.ended).toEqual({ code: 130, signal: null });
  // By itself git would have been given up after 30 s.
  expect(performance.now() - stoppedMs).toBeLessThan(10_000);
  expect(processesOf(project)).toEqual([]);
});
