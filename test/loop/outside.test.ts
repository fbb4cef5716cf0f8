import { mkdirSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundleForTests, eventually, type Project, type Started } from './project.ts';

const bundled = await bundleForTests();

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await eventually(() => server.listening);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Asking extends Started {
  id: string;
}

async function ask(project: Project, ...args: string[]): Promise<Asking> {
  const started = project.start(['breakpoint', '--question', 'Go on?', ...args]);
  onTestFinished(() => void started.process.kill('SIGKILL'));
  const id = (): string | undefined => /approve (\w+),/.exec(started.stderr())?.[1];
  await eventually(() => id() !== undefined);
  return { ...started, id: id()! };
}

const waiting = (project: Project): unknown[] => JSON.parse(project.run(['approvals', '--json']).stdout);

describe('breakpoint outside a session', () => {
  test.each([
    { words: ['approve', '--message', 'fine'], exit: 0, answer: { approved: true, message: 'fine' } },
    { words: ['reject'], exit: 2, answer: { approved: false } },
  ])(
    'waits, is listed, and prints the answer that $words.0 gives',
    async ({ words: [word, ...more], exit, answer }) => {
      const project = bundled.project({});
      const asking = await ask(project, '--title', 'Plan');
      expect(waiting(project)).toEqual([
        expect.objectContaining({ id: asking.id, session: 'dispatch', question: 'Go on?', expires: null }),
      ]);
      expect(asking.process.exitCode).toBeNull();
      expect(project.run([word!, asking.id, ...more])).toMatchObject({ exit: 0, stderr: '' });
      expect(await asking.ended).toEqual({ code: exit, signal: null });
      const by = expect.stringMatching(new RegExp(`^(?!by ).+ with hookloop ${word}$`));
      expect(JSON.parse(asking.stdout())).toEqual({ ...answer, by, at: expect.stringMatching(/T.*Z$/) });
      expect(asking.stdout()).toMatch(/^.*\n$/);
      expect(waiting(project)).toEqual([]);
      const late = project.run([word === 'approve' ? 'reject' : 'approve', asking.id]);
      expect([late.exit, late.stderr]).toEqual([1, expect.stringContaining(`${asking.id} was `)]);
    },
  );

  test('is told to hooks of approval.requested, webhooks too, and their failures to people', async () => {
    const bodies: string[] = [];
    const url = await listen((request, response) => {
      request.on('data', (chunk: Buffer) => bodies.push(chunk.toString())).on('end', () => response.end());
    });
    const project = bundled.project({
      'hookloop.yaml': `hooks:
  approval.requested:
    - { type: webhook, url: '${url}', body: { text: "\${QUESTION}" } }
    - { type: shell, command: 'cat > ~/heard', await: true }
    - { type: shell, name: broken, command: 'exit 3', await: true }
`,
    });
    const asking = await ask(project);
    await eventually(() => bodies.length > 0 && asking.stderr().includes('exit code 3'));
    expect(JSON.parse(project.read('~/heard'))).toMatchObject({ approval: asking.id, question: 'Go on?' });
    project.run(['approve', asking.id]);
    expect(await asking.ended).toEqual({ code: 0, signal: null });
  });

  test("gives babysitter's scripts its files", async () => {
    const project = bundled.project({ 'plan.md': 'x', 'c.diff': 'y' });
    project.write('.a5c/hooks/on-breakpoint/hear.sh', '#!/bin/sh\ncat > ~/part; mv ~/part ~/heard\n', 0o755);
    const asking = await ask(project, '--title', 'Plan', '--file', 'plan.md', '--file', 'c.diff');
    await eventually(() => project.lines('~/heard').length === 1);
    const files = [
      { path: 'plan.md', format: 'markdown' },
      { path: 'c.diff', format: 'diff' },
    ];
    expect(JSON.parse(project.read('~/heard'))).toMatchObject({
      ...{ runId: 'dispatch', title: 'Plan', question: 'Go on?' },
      context: { runId: 'dispatch', files },
    });
    project.run(['approve', asking.id]);
    expect(await asking.ended).toEqual({ code: 0, signal: null });
  });

  test('that is interrupted has no answer, and its question no longer waits', async () => {
    const project = bundled.project({});
    const asking = await ask(project);
    asking.process.kill('SIGINT');
    expect(await asking.ended).toEqual({ code: 1, signal: null });
    expect([asking.stdout(), asking.stderr()]).toEqual(['', expect.stringContaining('interrupted')]);
    expect(waiting(project)).toEqual([]);
    const late = project.run(['approve', asking.id]);
    expect([late.exit, late.stderr]).toEqual([1, expect.stringContaining('no longer asked')]);
  });

  test('without a home says so, and lives where XDG_STATE_HOME is set', async () => {
    const project = bundled.project({});
    const homeless = project.run(['breakpoint', '--question', 'Go on?'], { env: { HOME: '' } });
    expect(homeless).toEqual({
      exit: 1,
      stdout: '',
      stderr: expect.stringMatching(/^hookloop breakpoint: HOME is not set.*\n$/),
    });
    const state = { HOME: '', XDG_STATE_HOME: project.pathOf('~/state') };
    const started = project.start(['breakpoint', '--question', 'Go on?'], state);
    const id = (): string => /approve (\w+),/.exec(started.stderr())?.[1] ?? '';
    await eventually(() => id() !== '');
    expect(project.run(['approve', id()], { env: state })).toMatchObject({ exit: 0 });
    expect(await started.ended).toEqual({ code: 0, signal: null });
  });
});

describe('dispatch', () => {
  test('tells of a webhook that no one waits for and that fails, before it ends', async () => {
    const url = await listen((_request, response) => {
      // Later than everything else that dispatch does.
      setTimeout(() => response.writeHead(404).end('gone'), 300);
    });
    const project = bundled.project({
      'hookloop.yaml': `hooks:\n  session.starting:\n    - { type: webhook, url: '${url}', await: false }\n`,
    });
    const dispatch = project.start(['dispatch', 'session.starting']);
    expect(await dispatch.ended).toEqual({ code: 0, signal: null });
    expect(JSON.parse(dispatch.stdout())).toMatchObject({ results: [{ status: 'detached' }] });
    expect(dispatch.stderr()).toMatch(/- webhook 127\.0\.0\.1:\d+ failed \(.*404.*\)\n/);
    expect(dispatch.stderr()).toMatch(/Hook execution summary:\n.*:failed:/);
  });

  test.each([
    ['is refused', 'https://10.0.0.1/x', /its address is a private one/],
    ['finds no one', 'http://127.0.0.1:1/x', /connection refused/],
  ])('says why a webhook that no one waits for %s, to people and in its result', async (_, url, why) => {
    const project = bundled.project({
      'hookloop.yaml': `hooks:\n  session.starting:\n    - { type: webhook, url: '${url}', await: false, retries: 0 }\n`,
    });
    const { exit, stdout, stderr } = project.run(['dispatch', 'session.starting']);
    expect(exit).toBe(0);
    expect(stderr).toMatch(new RegExp(`^\\[native\\] - webhook .* failed \\(.*${why.source}.*\\)$`, 'm'));
    expect(JSON.parse(stdout).results).toEqual([
      expect.objectContaining({ status: 'detached', failed: expect.stringMatching(why) }),
    ]);
  });

  test('says that a webhook that no one waits for could not be sent in time', async () => {
    const url = await listen(() => {});
    const project = bundled.project({
      'hookloop.yaml': `hooks:\n  session.starting:\n    - { type: webhook, url: '${url}', await: false }\n`,
    });
    const dispatch = project.start(['dispatch', 'session.starting']);
    expect(await dispatch.ended).toEqual({ code: 0, signal: null });
    expect(JSON.parse(dispatch.stdout()).results[0].failed).toContain('timed out after 5 s');
    expect(dispatch.stderr()).toContain('failed (timed out after 5 s)');
  });

  test('takes back its question when it is interrupted', async () => {
    const url = await listen((_request, response) => response.end());
    const project = bundled.project({
      'hookloop.yaml': `hooks:\n  session.starting:\n    - { type: webhook, await: true, url: '${url}', body: { text: "Ok?" } }\n`,
    });
    const dispatch = project.start(['dispatch', 'session.starting']);
    await eventually(() => dispatch.stderr().includes('hookloop approve '));
    expect(waiting(project)).toHaveLength(1);
    dispatch.process.kill('SIGTERM');
    expect(await dispatch.ended).toEqual({ code: 143, signal: null });
    expect(waiting(project)).toEqual([]);
  });
});

describe('what events outside sessions start', () => {
  const project = bundled.project({
    'hookloop.yaml': 'hooks:\n  stage.starting:\n    - { type: spawn, pipeline: review }\n',
    'pipelines/review.yaml': 'agent: "command:echo fine"\nprompt: go on\n',
  });
  const name = 'dispatch/stage.starting-0';

  test('stands among the sessions as what it is', () => {
    expect(project.run(['dispatch', 'stage.starting'])).toMatchObject({ exit: 0 });
    expect(
      project.run(['run', '--prompt', 'x', '--agent', 'command:cat', '--no-hooks', '--session', 'later']).exit,
    ).toBe(0);
    const briefs = JSON.parse(project.run(['runs', '--json']).stdout);
    expect(briefs).toMatchObject([
      { session: 'later', status: 'completed', children: [] },
      { session: name, status: 'completed', pipeline: 'review' },
    ]);
    const { stdout } = project.run(['runs']);
    expect(stdout).toMatch(/\ndispatch\/stage\.starting-0 +completed /);
    expect(stdout).not.toContain('crashed');
    expect(project.run(['show', name]).stdout).toContain(`${name}  completed`);
  });

  test.each([['show'], ['log'], ['resume'], ['repair']])('is no session for %s', word => {
    const ran = project.run([word, 'dispatch']);
    expect([ran.exit, ran.stderr]).toEqual([64, expect.stringContaining('dispatch is not a session')]);
    expect(JSON.parse(project.run(['runs', '--json']).stdout)).toHaveLength(2);
  });

  test('keeps its name: no session can have it', () => {
    const ran = project.run(['run', '--prompt', 'x', '--agent', 'command:cat', '--session', 'dispatch']);
    expect([ran.exit, ran.stderr]).toEqual([
      64,
      expect.stringMatching(/^hookloop run: --session: "dispatch" is reserved for/),
    ]);
  });
});

describe('what the world refuses is told in one line', () => {
  const bug = /this is a bug|^ +at /m;
  const cycle = bundled.project({
    'hookloop.yaml': 'hooks:\n  iteration.completed:\n    - { type: spawn, pipeline: review }\n',
    'pipelines/review.yaml': 'agent: "command:echo fine"\nprompt: go on\n',
    '.claude': 'no folder',
  });

  test('where a file stands in place of a folder', () => {
    const ran = cycle.run(['install', 'claude']);
    expect(ran).toEqual({
      exit: 1,
      stdout: '',
      stderr: expect.stringMatching(/^hookloop: \S+\/\.claude is not a folder, so .*\n$/),
    });
  });

  test('where an answer cannot be kept', async () => {
    const project = bundled.project({});
    const { id } = await ask(project);
    mkdirSync(project.pathOf(`~/.local/state/hookloop/approvals/${id}/answer.json`));
    const ran = project.run(['approve', id]);
    expect(ran).toEqual({
      exit: 1,
      stdout: '',
      stderr: expect.stringMatching(/^hookloop: the answer may not have been saved.*\n$/),
    });
  });

  test('where the folder is gone', () => {
    const shell =
      'mkdir gone && cd gone && rmdir ../gone && exec "$NODE" "$PROGRAM" run --prompt x --agent command:cat';
    const ran = cycle.run([], { shell });
    expect(ran).toEqual({ exit: 1, stdout: '', stderr: expect.stringMatching(/^hookloop: the current folder .*\n$/) });
  });

  test('where no one takes what is printed, also of a session with a child', () => {
    const full = (words: string) => cycle.run([], { shell: `exec "$NODE" "$PROGRAM" ${words} > /dev/full` });
    const dispatched = full('dispatch iteration.completed');
    expect([dispatched.exit, dispatched.stderr]).toEqual([
      1,
      expect.stringMatching(/^hookloop: the result could not be written: ENOSPC$/m),
    ]);
    const session = full('run --json --prompt x --agent command:cat --session s');
    expect([session.exit, session.stderr]).toEqual([
      0,
      expect.stringContaining('can no longer be written to stdout: ENOSPC'),
    ]);
    expect(dispatched.stderr + session.stderr).not.toMatch(bug);
    expect(JSON.parse(cycle.run(['runs', '--json']).stdout)[0]).toMatchObject({
      session: 's',
      status: 'completed',
      children: [{ status: 'completed' }],
    });
  });

  test('where a child cannot run', () => {
    const project = bundled.project({
      'hookloop.yaml': 'hooks:\n  iteration.completed:\n    - { type: spawn, pipeline: review }\n',
      'pipelines/review.yaml': 'agent: "command:echo fine"\nprompt: go on\n',
    });
    const words = ['run', '--prompt', 'x', '--agent', 'command:cat', '--session', 's'];
    mkdirSync(project.pathOf('.hookloop/sessions/s'), { recursive: true });
    project.write('.hookloop/sessions/s/children', 'no folder');
    const ran = project.run(words);
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringMatching(/hook spawn review failed/)]);
    expect(ran.stderr).not.toMatch(bug);
  });
});

test("a webhook that hangs and that no one waits for does not hold up an agent's own hook", async () => {
  const url = await listen(() => {});
  const project = bundled.project({
    '~/.config/hookloop/hooks.yaml': `hooks:\n  tool.called:\n    - { type: webhook, url: '${url}', await: false }\n`,
  });
  const from = performance.now();
  const ran = project.run(['hook', 'claude', 'PostToolUse'], { input: '{"tool_name":"Bash"}' });
  expect(ran).toMatchObject({ exit: 0, stdout: '' });
  expect(performance.now() - from).toBeLessThan(20_000);
});
