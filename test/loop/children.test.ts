import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { child, childEntries, childrenIn, parent } from './children.ts';
import { bundleForTests, processesOf } from './project.ts';

const bundled = await bundleForTests();

test('a child runs in a folder of its own, with its inputs in a file, and its last output is SPAWN_OUTPUT', () => {
  const project = bundled.project({
    ...parent('pipeline: review, inputs: { what: "${SESSION} ${ITERATION}", deep: [{ x: "${STAGE}" }, 7] }'),
    'pipelines/review.yaml': child(),
  });
  const ran = project.session(['--prompt', 'work']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/seen')).toEqual(['success: reviewed']);
  expect(childrenIn(project)).toEqual(['iteration.completed-1']);
  const folder = project.pathOf('.hookloop/sessions/s/children/iteration.completed-1');
  expect(JSON.parse(readFileSync(`${folder}/inputs.json`, 'utf8'))).toEqual({ what: 's 1', deep: [{ x: 'work' }, 7] });
  expect(project.read('~/child-prompt')).toContain(`review s 1, write to ${folder}/output.json`);
  expect(project.read('~/child-cwd').trim()).toBe(project.project);
  expect(readFileSync(`${folder}/progress.md`, 'utf8')).toContain('# Progress of iteration.completed-1');
  expect(ran.stderr + ran.stdout).toContain('s/iteration.completed-1: child pipeline completed');
  expect(project.run(['show', 's']).stdout).toContain('s/iteration.completed-1');
});

test('inputs are data: what stands in a value is neither filled in again nor run', () => {
  const name = '$(touch ~pwned) ${SESSION} \'" `touch pwned`';
  const project = bundled.project({
    ...parent('pipeline: review, inputs: { what: "${CHANGED_FILES}", ok: { "k ${STAGE}": "${SESSION}" } }'),
    'script.yaml': JSON.stringify({
      turns: [{ text: 'made', tools: [{ name: 'Write', input: { file_path: name, content: 'x' } }] }],
    }),
    'pipelines/review.yaml': child(),
  });
  const ran = project.session(['--prompt', 'work']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.read('~/child-prompt')).toContain(`review ${name}, write to`);
  expect(readdirSync(project.project).filter(file => file.includes('pwned') && file !== name)).toEqual([]);
  const inputs = project.read('.hookloop/sessions/s/children/iteration.completed-1/inputs.json');
  expect(JSON.parse(inputs)).toEqual({ what: name, ok: { 'k ${STAGE}': 's' } });
});

test('output.json is SPAWN_OUTPUT where a child writes it; one that is too large fails the child', () => {
  const project = bundled.project({
    ...parent('pipeline: "${P}"'),
    'hookloop.yaml': `hooks:
  iteration.completed:
    - { type: spawn, pipeline: good }
    - { type: shell, await: true, command: 'echo "$LAST_HOOK_STATUS: $SPAWN_OUTPUT" >> ~/seen' }
    - { type: spawn, pipeline: huge }
    - { type: shell, await: true, command: 'echo "$LAST_HOOK_STATUS: $SPAWN_OUTPUT" >> ~/seen' }
`,
    'pipelines/good.yaml':
      'agent: "command:echo \'{\\"score\\": 9}\' > $SPAWN_OUTPUT_FILE; echo said"\nprompt: go on\n',
    'pipelines/huge.yaml':
      'agent: "command:head -c 1100000 /dev/zero | tr \'\\\\0\' x > $SPAWN_OUTPUT_FILE"\nprompt: go on\n',
  });
  const ran = project.session(['--prompt', 'work']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/seen')).toEqual(['success: {"score": 9}', 'failed: output.json is larger than 1 MiB']);
  expect(childrenIn(project)).toEqual(['iteration.completed-1', 'iteration.completed-1-2']);
});

test('a failed child is tried again in a folder of its own, and its failure can end the session', () => {
  const project = bundled.project({
    ...parent('pipeline: flaky, on_failure: retry, retries: 2, retry_delay: 0'),
    'pipelines/flaky.yaml':
      'agent: "command:echo x >> ~/tries; test $(wc -l < ~/tries) -ge 3 && echo third"\nprompt: go on\n',
    'pipelines/bad.yaml': 'agent: "command:echo no use >&2; exit 3"\nprompt: go on\n',
  });
  const ran = project.session(['--prompt', 'work']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/seen')).toEqual(['success: third']);
  expect(childrenIn(project)).toEqual([1, 2, 3].map(n => `iteration.completed-1${n === 1 ? '' : `-${n}`}`));
  project.write(
    'hookloop.yaml',
    'hooks:\n  iteration.completed:\n    - { type: spawn, pipeline: bad, on_failure: abort }\n',
  );
  const aborted = project.run(['run', '--agent', 'scripted:script.yaml', '--session', 't', '--prompt', 'work']);
  expect(aborted.exit).toBe(1);
  expect(aborted.stderr).toContain('no use');
});

test.each([
  ['pipeline: nowhere', 'pipelines/nowhere.yaml has changed since this session began'],
  ['pipeline: broken', 'pipelines/broken.yaml:1'],
  ['pipeline: stranger', '"nobody" is not an agent'],
  ['pipeline: review, isolate: worktree', 'isolate: worktree needs a git repository with a commit'],
])('a child that cannot be is told with its reason: %s', (spawn, reason) => {
  const project = bundled.project({
    ...parent(`${spawn}, on_failure: abort`),
    // Before anything runs it is there; later it is not.
    'pipelines/nowhere.yaml': child(),
    '.iteratr.hooks.yml': 'hooks: { pre_iteration: [{ command: rm pipelines/nowhere.yaml }] }\n',
    'pipelines/review.yaml': child(),
    'pipelines/broken.yaml': 'stages: 7\n',
    'pipelines/stranger.yaml': 'agent: nobody\nprompt: go on\n',
  });
  const ran = project.session(['--prompt', 'work']);
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain(reason);
  expect(childrenIn(project)).toEqual([]);
});

test('a child that takes too long ends with all its processes', async () => {
  const project = bundled.project({
    ...parent('pipeline: slow, timeout: 1'),
    'pipelines/slow.yaml': `agent: "command:echo up > ~/up; setsid sleep 77 & sleep 78"\nprompt: go on\n`,
  });
  const ran = project.session(['--prompt', 'work']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/up')).toEqual(['up']);
  expect(project.lines('~/seen')).toEqual(['failed: ']);
  expect(processesOf(project)).toEqual([]);
  expect(childEntries(project, 'iteration.completed-1').at(-1)).toMatchObject({ status: 'interrupted' });
});

test('children of children of children end at the fifth', () => {
  const project = bundled.project({
    ...parent('pipeline: deep'),
    'pipelines/deep.yaml': `
agent: "command:echo x >> ~/depth; echo deep"
prompt: go on
hooks:
  on_session_start:
    - { type: spawn, pipeline: deep, await: true }
`,
  });
  const ran = project.session(['--prompt', 'work']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/depth')).toHaveLength(5);
  const deepest = `iteration.completed-1${'/children/on_session_start-0'.repeat(4)}`;
  const finished = childEntries(project, deepest).find(entry => entry.kind === 'hook.finished');
  expect(JSON.stringify(finished)).toContain('child pipelines nest at most 5 deep');
});

test("a child hears its own hooks and the user's, the project's only with inherit_hooks", () => {
  const files = {
    'script.yaml': 'repeat: true\nturns: [{ text: at work }]\n',
    'pipelines/plain.yaml': `
prompt: go on
hooks:
  on_iteration_complete:
    - { type: shell, command: "echo own $SESSION >> ~/heard", await: true }
`,
    '.sauna/hooks.json': JSON.stringify(['echo gate $HOOKLOOP_SESSION >> ~/heard']),
    '~/.config/hookloop/hooks.yaml':
      'hooks:\n  session.ended:\n    - { type: shell, await: true, command: "echo user $SESSION >> ~/heard" }\n',
  };
  const spawn = (more: string): string =>
    `hooks:\n  session.starting:\n    - { type: spawn, pipeline: plain${more} }\n`;
  const alone = bundled.project({ ...files, 'hookloop.yaml': spawn('') });
  const ran = alone.session(['--prompt', 'work']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const [own, user] = ['own session.starting-0', 'user session.starting-0'];
  expect(alone.lines('~/heard')).toEqual([own, user, 'gate s', 'user s']);
  const heir = bundled.project({ ...files, 'hookloop.yaml': spawn(', inherit_hooks: true, gate: false') });
  heir.session(['--prompt', 'work']);
  expect(heir.lines('~/heard').filter(line => line === 'gate session.starting-0')).toHaveLength(5);
});

test('a child that no one waits for gets some time at the end and is interrupted then', async () => {
  const project = bundled.project({
    'script.yaml': 'repeat: true\nturns: [{ text: at work }]\n',
    'hookloop.yaml': `hooks:
  iteration.completed:
    - { type: spawn, pipeline: quick, await: false }
    - { type: spawn, pipeline: slow, await: false }
`,
    'pipelines/quick.yaml': 'agent: "command:sleep 0.3; echo quick"\nprompt: go on\n',
    'pipelines/slow.yaml': 'agent: "command:sleep 60"\nprompt: go on\n',
  });
  const ran = project.session(['--prompt', 'work']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const ends = childrenIn(project).map(name => childEntries(project, name));
  const byPipeline = Object.fromEntries(
    ends.map(entries => [
      entries[0]?.kind === 'session.started' ? entries[0].plan.name : '',
      entries.at(-1)?.kind === 'session.closed' ? (entries.at(-1) as { status: string }).status : '',
    ]),
  );
  expect(byPipeline).toEqual({ quick: 'completed', slow: 'interrupted' });
  expect(processesOf(project)).toEqual([]);
});
