import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../program.ts';
import { bundleForTests, diary, type Project } from './project.ts';

const bundled = await bundleForTests();

const hooks = `
hooks:
  task.starting: [{ type: shell, await: true, command: 'echo "$AGENT starts $TASK_CONTENT" >> ~/effects' }]
  task.completing: [{ type: shell, gate: true, command: 'test -e good || { echo no good; exit 1; }' }]
  task.completed: [{ type: shell, await: true, command: 'echo "$AGENT did $TASK_CONTENT" >> ~/effects' }]
  session.paused: [{ type: shell, await: true, command: 'echo "paused: $AGENT" >> ~/effects' }]
`;

const tasks = (...names: readonly string[]): string => names.map(name => `- [ ] ${name}\n`).join('');

const ticks = (name: string): string => `  - when: "${name}"
    text: did ${name}
    tick: { file: tasks.md, task: ${name} }
`;

const limited = (name: string, limit: string, more = ''): string => `  - when: "${name}"
    limit: { ${limit} }
${more}`;

const isChosen = (project: Project) =>
  project.journal('s').flatMap(entry => (entry.kind === 'agent.chosen' ? [entry] : []));

const second = `command:sh ~/agent.sh {session}`;

const run = (project: Project, ...agents: readonly string[]) =>
  project.run(['run', '--session', 's', '--tasks', 'tasks.md', ...agents.flatMap(agent => ['--agent', agent])]);

/** The second agent does the first open task, and makes what the gate wants. */
const doer = diary({ 0: "touch good; sed -i '0,/\\[ \\]/s//[x]/' tasks.md" });

describe('while the first agent of a list is limited', () => {
  test('the next one takes over also where the first may not even open a conversation', () => {
    const busy = `acp:'${process.execPath}' '${join(root, 'test/fixtures/agents/acp-agent.mjs')}' --busy`;
    const project = bundled.project({ ...doer, 'tasks.md': tasks('alpha') });
    const ran = run(project, busy, second);
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    const limits = project.journal('s').filter(({ kind }) => kind === 'agent.limited');
    expect(limits).toMatchObject([{ limit: 'rate', attempt: 1, reason: expect.stringContaining('Too many sessions') }]);
    expect(ran.stderr).toContain('takes over');
  });

  test('the first goes on with its own work where the next one was limited as well and did nothing', () => {
    const project = bundled.project({
      'tasks.md': tasks('alpha'),
      'hookloop.yaml': `agent: ["scripted:first.yaml", "scripted:second.yaml"]\n${hooks}`,
      'first.yaml': `turns:
  - tools: [{ name: Bash, input: { command: touch good } }]
    limit: { kind: usage, retry_after: 1 }
  - { expect: The session was cut off while you worked, tick: { file: tasks.md }, text: did it }
`,
      'second.yaml': 'turns: [{ limit: { kind: usage, retry_after: 3600 } }]\n',
    });
    const ran = run(project);
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  });

  test('the next one takes over, and the first is back for the next task once its limit is over', () => {
    const project = bundled.project({
      ...doer,
      ...diary({ 0: "sleep 1.2; touch good; sed -i '0,/\\[ \\]/s//[x]/' tasks.md" }),
      'tasks.md': tasks('alpha', 'beta'),
      'hookloop.yaml': `agent: ["scripted:first.yaml", "${second}"]\n${hooks}`,
      'first.yaml': `turns:\n${limited('alpha', 'kind: usage, retry_after: 1, reason: resets soon')}${ticks('beta')}`,
    });
    const ran = run(project);
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    expect(project.lines('~/effects')).toEqual([
      'scripted starts alpha',
      'command did alpha',
      'scripted starts beta',
      'scripted did beta',
    ]);
    expect(ran.stderr).toMatch(/command takes over from scripted: scripted is limited until .* \(usage: resets soon\)/);
    expect(ran.stderr).toContain('scripted works again, after command');
    // Nothing was done by then: the task is all that it needs.
    expect(project.heard()[0]!.text).not.toContain('worked on this before you');
    const shown = project.run(['show', 's']).stdout;
    expect(shown).toContain('agent scripted:first.yaml, command:');
    expect(shown).toMatch(/takes over from scripted:first\.yaml/);
    expect(project.run(['log', 's']).stdout).toContain('works from now on, after');
  });

  test('who takes over in the middle of the work is told what was done, what the gates said and what has changed', () => {
    const project = bundled.project({
      ...doer,
      '.gitignore': '.hookloop\n',
      'tasks.md': tasks('alpha'),
      'hookloop.yaml': hooks,
      'first.yaml': `turns:
  - when: Hook failed
    tools: [{ name: Bash, input: { command: echo more >> made.txt } }]
    limit: { kind: usage, retry_after: 3600 }
  - when: no good
    tools: [{ name: Bash, input: { command: echo more >> made.txt } }]
    limit: { kind: usage, retry_after: 3600 }
${ticks('alpha').replace('text: did alpha', 'text: I wrote made.txt\n    tools: [{ name: Write, input: { file_path: made.txt, content: made } }]')}`,
    });
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: project.project });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
    const ran = run(project, 'scripted:first.yaml', second);
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    const [heard] = project.heard();
    expect(heard!.text).toContain('scripted worked on this before you and cannot go on for now.');
    expect(heard!.text).toContain('This is the task:');
    expect(heard!.text).toContain('alpha');
    expect(heard!.text).toContain('What scripted said last:\n\nI wrote made.txt');
    expect(heard!.text).toContain('What the checks said last:');
    expect(heard!.text).toContain('no good');
    expect(heard!.text).toMatch(
      /What has changed since the last commit:\n\n tasks\.md \| 2 \+-\n.*\n made\.txt \(new\)/,
    );
    expect(isChosen(project)).toMatchObject([{ key: 's0/i1', from: 'scripted:first.yaml', begun: true }]);
  });

  test('and all others are too, the session pauses until the first of them is free', () => {
    const project = bundled.project({
      'tasks.md': tasks('alpha'),
      'hookloop.yaml': hooks,
      good: '',
      'first.yaml': `turns:\n${limited('alpha', 'kind: usage, retry_after: 3600')}`,
      'second.yaml': `turns:
  - when: cut off
    tick: { file: tasks.md }
  - when: alpha
    tools: [{ name: Bash, input: { command: echo begun >> ~/effects } }]
    limit: { kind: rate, retry_after: 0.5 }
`,
    });
    const ran = run(project, 'scripted:first.yaml', 'scripted:second.yaml');
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    expect(project.lines('~/effects')).toEqual([
      ...['scripted starts alpha', 'begun', 'paused: scripted', 'scripted did alpha'],
    ]);
    const paused = project.journal('s').filter(entry => entry.kind === 'pause.started');
    expect(paused).toMatchObject([{ agent: 'scripted:second.yaml', limit: 'rate' }]);
  });
});

test('a stage has a list of its own', () => {
  const project = bundled.project({
    ...diary(),
    'pipelines/two.yaml': `
name: two
agent: scripted:first.yaml
stages:
  - { name: one, prompt: do one, runs: 1 }
  - { name: two, prompt: do two, runs: 1, agent: ["scripted:first.yaml", "${second}"] }
`,
    'first.yaml':
      'turns:\n  - { when: one, text: one }\n  - { when: two, limit: { kind: usage, retry_after: 3600 } }\n',
  });
  const ran = project.run(['run', 'two', '--session', 's']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.heard()).toHaveLength(1);
  expect(isChosen(project)).toMatchObject([{ key: 's1/i1', agent: second, from: 'scripted:first.yaml' }]);
});

describe('an agent of a list', () => {
  test('that no one is signed in to is stood in for, and tried again for the next task', () => {
    const project = bundled.project({
      ...doer,
      'tasks.md': tasks('alpha', 'beta'),
      'hookloop.yaml': hooks,
      'first.yaml': `turns:\n  - when: alpha\n    signed_out: please sign in\n${ticks('beta')}`,
    });
    const ran = run(project, 'scripted:first.yaml', second);
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    expect(ran.stderr).toContain('scripted cannot work: please sign in');
    expect(project.lines('~/effects').slice(1)).toEqual([
      ...['command did alpha', 'scripted starts beta', 'scripted did beta'],
    ]);
  });

  test('whose program is missing is said to be, and is no error where another is there', () => {
    const project = bundled.project({ ...doer, 'tasks.md': tasks('alpha'), 'hookloop.yaml': hooks });
    const ran = run(project, 'acp:no-such-program', second);
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    expect(ran.stderr).toMatch(/no-such-program.*; another agent of the list stands in for it/);
    expect(project.lines('~/effects')).toContain('command did alpha');
  });

  test('that is missing like all others ends the session before it begins', () => {
    const project = bundled.project({ 'tasks.md': tasks('alpha') });
    const ran = run(project, 'acp:no-such-program', 'scripted:none.yaml');
    expect([ran.exit, ran.stderr]).toEqual([69, expect.stringContaining('no-such-program')]);
    expect(run(project, 'acp:no-such-program').exit).toBe(ran.exit);
  });

  test('that no one knows is refused, wherever it stands', () => {
    const project = bundled.project({ 'tasks.md': tasks('alpha'), 'first.yaml': 'turns: []\n' });
    const ran = run(project, 'scripted:first.yaml', 'claud');
    expect([ran.exit, ran.stderr]).toEqual([64, expect.stringContaining('"claud" is not an agent')]);
    project.write('hookloop.yaml', 'agent: [scripted:first.yaml, claud]\n');
    const checked = project.run(['check']);
    expect([checked.exit, checked.stdout + checked.stderr]).toEqual([
      78,
      expect.stringContaining('hookloop.yaml:1:30'),
    ]);
    expect(run(project).exit).toBe(78);
  });

  test.each(['[]', '5', '{ a: b }', '[5]', "''", "['']"])('written as %s is an error', written => {
    const project = bundled.project({ 'hookloop.yaml': `agent: ${written}\n` });
    const { exit, stdout, stderr } = project.run(['check']);
    expect([exit, stdout + stderr]).toEqual([78, expect.stringContaining('hookloop.yaml:1:')]);
  });
});

test('after a crash the agent that had taken over goes on', async () => {
  const project = bundled.project({
    ...diary({ 1: 'kill -9 $PPID; sleep 5', 2: "touch good; sed -i 's/\\[ \\]/[x]/' tasks.md" }),
    'tasks.md': tasks('alpha'),
    'hookloop.yaml': hooks,
    'first.yaml': `turns:\n${limited('alpha', 'kind: usage, retry_after: 0.4')}${ticks('alpha')}`,
  });
  const killed = project.start([
    ...['run', '--session', 's', '--tasks', 'tasks.md', '--agent', 'scripted:first.yaml', '--agent', second],
  ]);
  expect((await killed.ended).signal).toBe('SIGKILL');
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  expect(project.lines('~/effects')).toEqual(['scripted starts alpha', 'command did alpha']);
  expect(project.heard()).toHaveLength(2);
  const [first, again] = project.heard();
  expect(again!.conversation).toBe(first!.conversation);
});
