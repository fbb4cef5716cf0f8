import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundleForTests, diary, diaryAgent } from './project.ts';

const bundled = await bundleForTests();

test.each([
  ['command:no-such-program --fast', /no-such-program, the program of command:no-such-program --fast, is not there/],
  ['command:./tools/agent.sh', /\.\/tools\/agent.sh, the program of command:.\/tools\/agent.sh, is not there/],
  ['command:env A=1 no-such-program', /no-such-program, the program of command:env A=1 no-such-program, is not there/],
  ['scripted:tools/none.yaml', /there is no script \S*tools\/none.yaml for the scripted agent/],
])('an agent that is not there begins no session: 69, what is missing, and no hook: %s', (agent, message) => {
  const project = bundled.project({
    'hookloop.yaml': `hooks: { session.failed: [{ type: shell, await: true, command: 'echo failed >> ~/ends' }], session.ended: [{ type: shell, await: true, command: 'echo ended >> ~/ends' }] }\n`,
  });
  const run = (args: readonly string[]) =>
    project.run(args, { env: { PATH: `${project.home}:${process.env['PATH']}` } });
  const ran = run(['run', '--agent', agent, '--session', 's', '--prompt', 'go', '--quiet']);
  expect([ran.exit, ran.stderr.replaceAll(/\s+/g, ' ')]).toEqual([69, expect.stringMatching(message)]);
  expect(project.lines('~/ends')).toEqual([]);
  expect(existsSync(project.pathOf('.hookloop/sessions'))).toBe(false);
  project.write('~/no-such-program', '#!/bin/sh\necho done\n', 0o755);
  project.write('tools/agent.sh', '#!/bin/sh\necho done\n', 0o755);
  project.write('tools/none.yaml', 'turns: [{ text: done }]\n');
  expect(run(['run', '--agent', agent, '--session', 's', '--prompt', 'go']).exit).toBe(0);
});

test('a session whose agent is gone is not taken up, and stays as it is', () => {
  const project = bundled.project({
    'agent.sh': '#!/bin/sh\nexit 3\n',
    'hookloop.yaml': `hooks: { session.ended: [{ type: shell, await: true, command: 'echo ended >> ~/ends' }] }\n`,
  });
  project.write('agent.sh', '#!/bin/sh\nexit 3\n', 0o755);
  expect(project.run(['run', '--agent', 'command:./agent.sh', '--session', 's', '--prompt', 'go']).exit).toBe(1);
  const before = project.read('.hookloop/sessions/s/journal.jsonl');
  rmSync(project.pathOf('agent.sh'));
  const resumed = project.run(['resume', 's']);
  expect([resumed.exit, resumed.stderr]).toEqual([69, expect.stringContaining('./agent.sh')]);
  expect(project.read('.hookloop/sessions/s/journal.jsonl')).toBe(before);
  expect(project.lines('~/ends')).toEqual(['ended']);
});

test('where nothing else marks a project its sessions do: commands in folders below belong to it', () => {
  const project = bundled.project(diary());
  const [plain, below] = [project.pathOf('~/plain'), project.pathOf('~/plain/sub/deep')];
  mkdirSync(below, { recursive: true });
  const begin = (cwd: string, session: string) =>
    project.run(['run', '--agent', diaryAgent, '--session', session, '--prompt', 'go', '--quiet'], { cwd });
  expect([begin(plain, 'first').exit, begin(below, 'second').exit]).toEqual([0, 0]);
  expect(readdirSync(project.pathOf('~/plain/.hookloop/sessions')).sort()).toEqual(['first', 'second']);
  expect(existsSync(project.pathOf('~/plain/sub/deep/.hookloop'))).toBe(false);
  expect(begin(below, 'first').exit).toBe(64);
  expect(project.run(['show', 'first'], { cwd: below }).stdout).toContain('first  completed');
});
