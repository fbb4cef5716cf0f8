import { expect, test } from 'vitest';
import { child, parent } from './children.ts';
import { bundleForTests, diary, type Project } from './project.ts';

const bundled = await bundleForTests();

const yaml = (file: object): Record<string, string> => ({ 'hookloop.yaml': JSON.stringify(file) });

const reported = (project: Project, ...args: string[]): object[] =>
  (JSON.parse(project.run(['report', '--shadow', '--json', ...args]).stdout) as { refusals: object[] }).refusals;

test('a gate in shadow runs and is recorded; it refuses nothing, tells the agent nothing and proves nothing', () => {
  const project = bundled.project({
    ...diary(),
    ...yaml({
      hooks: {
        'task.completing': [{ shell: 'echo ran >> ~/ran; echo far too long; exit 1', name: 'size', mode: 'shadow' }],
      },
    }),
  });
  const ran = project.talk(['--prompt', 'build it']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/ran')).toHaveLength(1);
  expect(project.heard()).toHaveLength(1);
  const [result] = project.journal('s').flatMap(entry => (entry.kind === 'hook.finished' ? [entry.result] : []));
  expect(result).toMatchObject({ decision: { kind: 'proceed' }, shadow: { kind: 'block' } });
  expect(result).not.toHaveProperty('feedback');
  expect(ran.stderr).toContain('would have refused');
  expect(ran.stdout + ran.stderr).toMatch(/Hooks: +1 run, 1 in shadow would have refused\n/);
  expect(project.run(['show', 's']).stdout).toMatch(/size +failed \(exit 1\) -> would block +\S+, shadow/);
  expect(project.run(['show', 's', '--json']).stdout).toMatch(/"hooksFailed": ?0,\s*"hooksRefused": ?0/);
  expect(reported(project)).toMatchObject([
    {
      session: 's',
      event: 'task.completing',
      name: 'size',
      would: 'block',
      reason: expect.stringContaining('too long'),
    },
  ]);
  expect(reported(project, 's')).toHaveLength(1);
  const text = project.run(['report', '--shadow']).stdout;
  expect(text).toContain('Hooks in shadow would have refused 1 time in this project.');
  expect(project.run(['why', 's']).stdout).toContain('Nothing was refused');
});

test.each([
  ['aborts', { shell: 'exit 1', on_failure: 'abort' }, 'abort'],
  ['denies', { deny: 'not here' }, 'block'],
])('a hook in shadow that %s decides nothing about a tool call of an agent over the protocol', (_, entry, would) => {
  const project = bundled.project({
    'script.yaml': 'turns: [{ text: x, tools: [{ name: Bash, input: { command: touch made } }] }]\n',
    ...yaml({ hooks: { 'tool.calling': [{ ...entry, mode: 'shadow' }] } }),
  });
  expect(project.session(['--prompt', 'go']).exit).toBe(0);
  expect(project.lines('made')).toEqual([]);
  expect(reported(project)).toMatchObject([{ would, about: { tool: 'Bash', input: { command: 'touch made' } } }]);
});

test('mode: shadow at the top is for all hooks of the file and of those it takes in, and for no others', () => {
  const project = bundled.project({
    ...yaml({ mode: 'shadow', extends: ['./more.yaml'], hooks: { 'tool.calling': [{ deny: 'one' }] } }),
    'more.yaml': JSON.stringify({ hooks: { 'tool.calling': [{ deny: 'two' }] } }),
    '.claude/settings.json': JSON.stringify({
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'echo three >&2; exit 2' }] }] },
    }),
  });
  const ran = project.run(['dispatch', 'tool.calling', '--json'], {
    input: '{"tool":"Bash","input":{"command":"ls"}}',
  });
  expect(JSON.parse(ran.stdout)).toMatchObject({ decision: { kind: 'block', reason: 'three' } });
  expect(reported(project)).toMatchObject([{ reason: 'two' }, { reason: 'one' }]);
  expect(project.run(['list']).stdout.match(/shadow: decides nothing/g)).toHaveLength(2);
});

test('in shadow no one is asked, and a later hook does not hear of it', () => {
  const project = bundled.project({
    ...yaml({
      hooks: {
        'tool.calling': [
          { ask: 'May it?', mode: 'shadow' },
          { type: 'webhook', url: 'http://127.0.0.1:9/', await: true, question: 'And this?', mode: 'shadow' },
          { shell: 'echo "[$LAST_HOOK_STATUS]" >> ~/ran' },
        ],
      },
    }),
  });
  const ran = project.run(['dispatch', 'tool.calling', '--json'], {
    input: '{"tool":"Bash","input":{"command":"ls"}}',
  });
  expect(JSON.parse(ran.stdout)).toMatchObject({ decision: { kind: 'proceed' } });
  expect(project.lines('~/ran')).toEqual(['[]']);
  expect(reported(project)).toMatchObject([{ reason: 'May it?' }, { reason: 'And this?' }]);
});

test('in a call of an agent’s own hooks it decides nothing, and the report knows the agent', () => {
  const project = bundled.project(
    yaml({ hooks: { 'tool.calling': [{ deny: 'no shell', tool: 'Bash', mode: 'shadow' }] } }),
  );
  project.run(['trust', '--yes']);
  const input = JSON.stringify({
    ...{ hook_event_name: 'PreToolUse', session_id: 'their-own', cwd: project.project },
    ...{ tool_name: 'Bash', tool_input: { command: 'ls' } },
  });
  const ran = project.run(['hook', 'claude'], { input });
  expect([ran.exit, ran.stdout]).toEqual([0, expect.not.stringContaining('no shell')]);
  expect(reported(project)).toMatchObject([{ agent: 'claude', session: 'their-own', id: null, reason: 'no shell' }]);
  expect(project.run(['report', '--shadow']).stdout).toContain('in claude');
});

test('what was seen in a child session is in the report of its session and of the project', () => {
  const { 'hookloop.yaml': own, ...files } = parent('pipeline: review, inherit_hooks: true, when: "STAGE == \'work\'"');
  const project = bundled.project({
    ...files,
    'hookloop.yaml': own!.replace(
      'hooks:',
      "hooks:\n  stage.starting: [{ deny: 'not this', mode: shadow, name: seen }]",
    ),
    'pipelines/review.yaml': child(),
  });
  const ran = project.session(['--prompt', 'work']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const inChild = { session: 's/iteration.completed-1', name: 'seen', id: expect.any(Number) };
  for (const args of [[], ['s']])
    expect(reported(project, ...args)).toMatchObject([{ session: 's', name: 'seen' }, inChild]);
  expect(reported(project, 's/iteration.completed-1')).toMatchObject([inChild]);
});

test('report needs to know what to report', () => {
  const project = bundled.project({});
  expect(project.run(['report'])).toMatchObject({ exit: 64, stderr: expect.stringContaining('--shadow') });
  expect(project.run(['report', '--shadow']).stdout).toBe(
    'Hooks in shadow would have refused nothing in this project.\n',
  );
});
