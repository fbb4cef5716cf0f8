import { expect, test } from 'vitest';
import { bundleForTests, diary, noticesOf } from './project.ts';

const bundled = await bundleForTests();
const gates = (hooks: unknown): Record<string, string> => ({ '.sauna/hooks.json': JSON.stringify(hooks) });

test('the first gate that fails goes back into the same conversation, and all run again from the first', () => {
  const failing = `echo second >> ~/ran; echo "it's \\"broken\\" $HOME"; echo why >&2; test -e fixed || exit 7`;
  const project = bundled.project({
    ...diary({ 2: 'touch fixed' }),
    ...gates([
      'echo first >> ~/ran; echo noise of the first',
      { command: failing, name: 'strict' },
      'echo third >> ~/ran',
    ]),
  });
  const ran = project.talk(['--prompt', 'build it']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/ran')).toEqual(['first', 'second', 'first', 'second', 'third']);
  const [first, fix, ...more] = project.heard();
  expect(more).toEqual([]);
  expect(first!.text).toBe('build it');
  expect(fix!.conversation).toBe(first!.conversation);
  expect(fix!.text).toBe(
    `Hook failed: ${failing}\n\nexit code 7\n\nstdout:\nit's "broken" ${project.home}\n\nstderr:\nwhy`,
  );
});

test.each([
  [{ hooks: ['echo ran >> ~/ran; exit 3'], max_retries: 1 }, [], 2],
  [['echo ran >> ~/ran; exit 3'], ['--max-retries', '0'], 1],
  [{ hooks: ['echo ran >> ~/ran; exit 3'], max_retries: 1 }, ['--max-retries', '2'], 3],
  [['echo ran >> ~/ran; exit 3'], [], 4],
])('gates %j with %j run so often and then halt the session: %d', (hooks, args, runs) => {
  const project = bundled.project({ ...diary(), ...gates(hooks) });
  const ran = project.talk(['--prompt', 'build it', '--json', ...args]);
  expect(ran.exit).toBe(1);
  expect(project.lines('~/ran')).toHaveLength(runs);
  expect(project.heard()).toHaveLength(runs);
  const isLast = noticesOf(ran).flatMap(notice => (notice.type === 'hook.finished' ? [notice.noFixLeft ?? false] : []));
  expect(isLast).toEqual([...Array(runs - 1).fill(false), true]);
  const fixed = project.run(['log', 's']).stdout.match(/the agent fixes it|has no fix attempt left/g);
  expect(fixed).toEqual([...Array(runs - 1).fill('the agent fixes it'), 'has no fix attempt left']);
  const summary = noticesOf(ran).at(-1)!;
  expect(summary).toMatchObject({ type: 'session.summary', status: 'failed', resume: 'hookloop resume s' });
  const reason = 'reason' in summary ? summary.reason : '';
  for (const part of ['echo ran >> ~/ran; exit 3', '.sauna/hooks.json', 'exit code 3', 'iteration 1 of stage work'])
    expect(reason).toContain(part);
  expect(reason).toContain(runs === 1 ? 'ran 1 time, with 0 fix attempts' : `ran ${runs} times, with ${runs - 1} fix`);
});

test('the counter starts anew for each task, and the halt names the task', () => {
  const project = bundled.project({
    ...diary({ 0: 'grep -q "^Do this task" ~/heard-$turn && sed -i "0,/\\[ \\]/s//[x]/" tasks.md' }),
    ...gates({
      hooks: [
        'case "$HOOK_TASK_CONTENT" in third*) exit 1; esac; echo ran >> ~/ran; test $(($(wc -l < ~/ran) % 2)) = 0',
      ],
      max_retries: 1,
    }),
    'tasks.md': '- [ ] first\n- [ ] second\n- [ ] third "$(touch pwned)" \'quote\n',
    '.iteratr.hooks.yml': 'hooks: { on_task_complete: [{ command: "echo {{task_content}} >> ~/completed" }] }\n',
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect(ran.exit).toBe(1);
  expect(ran.stderr.replaceAll(/\s+/g, ' ')).toMatch(/on task "third "\$\(touch pwned\)" 'quote"/);
  expect(ran.stderr).toContain('ran 2 times, with 1 fix attempt');
  expect(project.lines('~/completed')).toEqual(['first', 'second']);
});

test('planners have no gates, by role and by name; a task that they finish meets those of the builder', () => {
  const project = bundled.project({
    ...diary({ 1: '~/hookloop task add "a task" && ~/hookloop task done T1' }),
    ...gates(['echo "$HOOK_TASK_ID" >> ~/ran']),
    'p.yaml':
      'stages: [{ name: plan, prompt: think first }, { name: x, role: planner, prompt: think more }, { name: b, prompt: build it }]\n',
    '.a5c/hooks/keep': '',
    'hookloop.yaml': 'hooks: { plan.completed: [{ type: shell, await: true, command: "echo $STAGE >> ~/planned" }] }\n',
  });
  const ran = project.talk(['p.yaml']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/ran')).toEqual(['T1', '']);
  expect(project.lines('~/planned')).toEqual(['plan', 'x']);
});

test('nyzhi and Claude hooks that refuse the completion are gates like any other', () => {
  const project = bundled.project({
    ...diary({ 0: 'touch done-$turn' }),
    'config.toml':
      '[[agent.hooks]]\nevent = "task_completed"\ncommand = "test -e done-2 || { echo too few; exit 2; }"\n',
    '.claude/settings.json': JSON.stringify({
      hooks: {
        TaskCompleted: [{ hooks: [{ type: 'command', command: 'test -e done-3 || { echo not yet >&2; exit 2; }' }] }],
      },
    }),
  });
  const ran = project.talk(['--prompt', 'build it']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const heard = project.heard();
  expect(heard.map(({ text }) => text)).toEqual([
    'build it',
    expect.stringContaining('too few'),
    expect.stringContaining('not yet'),
  ]);
  expect(new Set(heard.map(({ conversation }) => conversation)).size).toBe(1);
});

test('--no-hooks runs none, not even gates', () => {
  const project = bundled.project({ ...diary(), ...gates(['echo ran >> ~/ran; exit 1']) });
  const ran = project.talk(['--prompt', 'x', '--no-hooks']);
  expect([ran.exit, project.lines('~/ran')]).toEqual([0, []]);
});

test('a broken file that may hold a gate stops everything before it begins', () => {
  const project = bundled.project({ ...diary(), '.sauna/hooks.json': '["true", 7]' });
  const ran = project.talk(['--prompt', 'x']);
  expect([ran.exit, project.heard()]).toEqual([78, []]);
  expect(ran.stderr).toContain('.sauna/hooks.json:1:10');
  expect(project.run(['resume', 's']).exit).toBe(78);
});

test('a gate that fails counts the same at the end of a run and in runs', () => {
  const project = bundled.project({
    ...diary(),
    'hookloop.yaml': 'hooks:\n  iteration.completed: [{ type: shell, await: true, command: "false", name: broken }]\n',
    ...gates(['test -e ~/once || { touch ~/once; false; }']),
  });
  const ran = project.talk(['--prompt', 'x', '--json']);
  const summary = noticesOf(ran).find(notice => notice.type === 'session.summary');
  const counted = summary?.hooks.map(({ runs, failed, refused }) => ({ runs, failed, refused }));
  expect(counted).toEqual([
    { runs: 2, failed: 0, refused: 1 },
    { runs: 1, failed: 1, refused: 0 },
  ]);
  const [session] = JSON.parse(project.run(['runs', '--json']).stdout);
  expect(session).toMatchObject({ hookRuns: 3, hooksFailed: 1, hooksRefused: 1 });
});

test('a native gate tells the agent everything, with the whole of a long output in the session', () => {
  const project = bundled.project({
    ...diary({ 2: 'touch fixed' }),
    'hookloop.yaml':
      'hooks:\n  task.completing:\n    - { type: shell, name: Unit tests, command: "test -e fixed || { seq 1 20000; exit 1; }", block: true }\n',
  });
  const ran = project.talk(['--prompt', 'build it']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const fix = project.heard()[1]!.text;
  expect(fix).toMatch(/^Hook "Unit tests" refused this task: exit code 1\.\n\$ test -e fixed \|\| .*\n1\n2\n/);
  expect(fix).toMatch(/\n20000\nFix this, then finish the task again\.$/);
  const path = /more lines: (\.hookloop\/sessions\/s\/hooks\/0001-unit-tests\.txt)\)/.exec(fix)![1]!;
  expect(project.lines(path)).toContain('10000');
});

const printed = 'echo "FAIL adds up"; echo "  at add.ts" >&2; exit 3';
const toml = `[[agent.hooks]]\nevent = "task_completed"\ncommand = ${JSON.stringify(printed)}\nblock = true\n`;
const claude = {
  hooks: { TaskCompleted: [{ hooks: [{ type: 'command', command: printed, onFailure: 'block' }] }] },
};
const native = (entry: unknown) => JSON.stringify({ hooks: { 'task.completing': [entry] } });

test.each([
  ['native', 'hookloop.yaml', native({ shell: printed, name: 'unit tests' }), 'unit tests'],
  ['native, as a text', 'hookloop.yaml', native(printed), printed],
  ['native, long form', 'hookloop.yaml', native({ type: 'shell', command: printed }), printed],
  ['nyzhi', '.nyzhi/config.toml', toml, printed],
  ['Claude-style', '.claude/settings.json', JSON.stringify(claude), printed],
])('a gate of %s tells the agent its name, command, end and output, and what to do', (_dialect, file, text, name) => {
  const project = bundled.project({ ...diary(), [file]: text });
  project.talk(['--prompt', 'build it', '--max-retries', '1']);
  expect(project.heard()[1]?.text).toBe(
    `Hook "${name}" refused this task: exit code 3.\n$ ${printed}\nFAIL adds up\n  at add.ts\nFix this, then finish the task again.`,
  );
});

test.each([
  [{ deny: 'Not on a Friday.' }, 'Not on a Friday.'],
  [
    { shell: 'sleep 9', timeout: '100ms' },
    'Hook "sleep 9" refused this task: timed out after 0.1 s.\n$ sleep 9\nFix this',
  ],
  [{ shell: './nowhere.sh' }, 'Hook "./nowhere.sh" refused this task: exit code 127.\n$ ./nowhere.sh\n'],
  [{ webhook: 'http://127.0.0.1:1/', retries: 0 }, 'Hook "webhook 127.0.0.1:1" refused this task: could not start: '],
])('%j tells the agent who said no, and why', (entry, told) => {
  const project = bundled.project({ ...diary(), 'hookloop.yaml': native(entry) });
  project.talk(['--prompt', 'build it', '--max-retries', '1']);
  expect(project.heard()[1]?.text).toContain(told);
});
