import { expect, test } from 'vitest';
import { bundleForTests, diary } from './project.ts';

const bundled = await bundleForTests();

test('a hook that refuses every end of a turn is let go after 100 times, though the agent makes progress in each', async () => {
  const project = bundled.project({
    'script.yaml':
      'repeat: true\nturns: [{ text: worked, tools: [{ name: Write, input: { file_path: a.txt, content: x } }] }]\n',
    'hookloop.yaml':
      'hooks: { turn.ending: [{ type: shell, block: true, command: "echo x >> ~/asked; echo more; test $(wc -l < ~/asked) -gt 150" }] }\n',
  });
  const started = project.start(['run', '--agent', 'scripted:script.yaml', '--prompt', 'go', '--quiet']);
  expect([(await started.ended).code, project.lines('~/asked').length]).toEqual([0, 101]);
  expect(started.stderr()).toContain("the agent's turn was sent back 100 times; now it may end");
}, 60_000);

const ownTask = `echo "$HOOK_TASK_ID" >> ~/gated; test -n "$HOOK_TASK_ID" || exit 0; ~/hookloop task done $HOOK_TASK_ID > ~/said 2>&1; echo "exit code $?" >> ~/said`;

test.each([
  ['at the end of a turn', ['--tasks', 'tasks.md'], 'sed -i "s/\\[ \\]/[x]/" tasks.md'],
  ['when the agent marks it', ['--prompt', 'go'], '~/hookloop task add it; ~/hookloop task done T1'],
])(
  'a gate that marks its own task as done is told that its gates decide, and does not wait for itself: %s',
  (_, args, work) => {
    const project = bundled.project({
      ...diary({ 0: work }),
      'tasks.md': '- [ ] only\n',
      '.sauna/hooks.json': JSON.stringify([{ command: ownTask, timeout: 10 }]),
    });
    const ran = project.talk(args);
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    expect(project.lines('~/gated')[0]).toMatch(/^[Tc]\w+$/);
    expect(project.lines('~/said')).toEqual([expect.stringContaining('its gates decide'), 'exit code 2']);
    const tasks = JSON.parse(project.run(['task', 'list', '--session', 's', '--json']).stdout);
    expect(tasks).toMatchObject([{ status: 'done' }]);
  },
);

test('gates of tasks that are marked at once run one after another, but those that a gate asks for at once', () => {
  const gate =
    'echo "in $HOOK_TASK_ID" >> ~/gated; test "$HOOK_TASK_ID" != T1 || ~/hookloop task done T2; sleep 0.1; echo "out $HOOK_TASK_ID" >> ~/gated';
  const project = bundled.project({
    ...diary({
      1: 'for i in 1 2 3 4; do ~/hookloop task add it; done; ~/hookloop task done T1; ~/hookloop task done T3 & ~/hookloop task done T4; wait',
    }),
    '.sauna/hooks.json': JSON.stringify([{ command: gate, timeout: 8 }]),
  });
  const ran = project.talk(['--prompt', 'go']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const tasks = JSON.parse(project.run(['task', 'list', '--session', 's', '--json']).stdout) as { status: string }[];
  expect(tasks.map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done']);
  const [first, second, third, fourth, ...more] = project.lines('~/gated').filter(line => /T\d$/.test(line));
  expect([first, second, third, fourth]).toEqual(['in T1', 'in T2', 'out T2', 'out T1']);
  const [one, other] = more[0] === 'in T3' ? ['T3', 'T4'] : ['T4', 'T3'];
  expect(more).toEqual([`in ${one}`, `out ${one}`, `in ${other}`, `out ${other}`]);
}, 30_000);
