import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readJournal } from '../../src/journal/read.ts';
import type { SessionEntry } from '../../src/loop/recover.ts';
import { bundleForTests, eventually, type Project, processesOf } from './project.ts';

const bundled = await bundleForTests();

/** Every child says what it was told. */
const child = (more = ''): string => `
name: review
agent: "command:cat > ~/child-prompt; env > ~/child-env; pwd > ~/child-cwd; echo reviewed"
prompt: "review \${INPUTS.what}, write to \${SPAWN_OUTPUT_FILE}"
${more}`;

const parent = (spawn: string, point = 'iteration.completed'): Record<string, string> => ({
  'script.yaml': 'repeat: true\nturns: [{ text: parent at work }]\n',
  'hookloop.yaml': `hooks:\n  ${point}:\n    - { type: spawn, ${spawn} }\n    - { type: shell, await: true, command: 'echo "$LAST_HOOK_STATUS: $SPAWN_OUTPUT" >> ~/seen' }\n`,
});

const childEntries = (project: Project, path: string): SessionEntry[] => {
  const reading = readJournal(project.pathOf(`.hookloop/sessions/s/children/${path}/journal.jsonl`));
  return reading.kind === 'read' ? (reading.entries as SessionEntry[]) : [];
};

const childrenIn = (project: Project): string[] => {
  const folder = project.pathOf('.hookloop/sessions/s/children');
  return existsSync(folder) ? readdirSync(folder).sort() : [];
};

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

test('a child has neither the secrets of its parent nor its inputs in its environment, but what pass_env names', () => {
  const project = bundled.project({
    ...parent('pipeline: review, pass_env: [PASSED], inputs: { BASH_ENV: evil, told: "${ONLY_BY_INPUT}" }'),
    'pipelines/review.yaml': child(`pass_env: [PASSED_TOO, HOOKLOOP_SESSION]
hooks:
  on_iteration_complete:
    - { type: shell, command: "env > ~/hook-env", await: true }
`),
  });
  const secrets = {
    GITHUB_TOKEN: 'ghp_parent_only',
    AWS_SECRET_ACCESS_KEY: 'aws_parent_only',
    ANTHROPIC_API_KEY: 'sk-parent-only',
    SLACK_WEBHOOK: 'https://hooks.example/parent-only',
    ONLY_BY_INPUT: 'by-input-only',
    NODE_OPTIONS: '--no-warnings',
  };
  const ran = project.run(['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'work'], {
    env: {
      ...secrets,
      PASSED: 'one',
      PASSED_TOO: 'two',
      LC_TIME: 'C',
      XDG_DATA_HOME: '/data',
      https_proxy: 'http://p',
    },
  });
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  for (const file of ['~/child-env', '~/hook-env']) {
    const env = project.read(file);
    expect(env).not.toMatch(/parent.only|by-input-only|BASH_ENV|NODE_OPTIONS/);
    for (const line of ['PASSED=one', 'PASSED_TOO=two', 'LC_TIME=C', 'XDG_DATA_HOME=/data', 'https_proxy=http://p'])
      expect(env.split('\n')).toContain(line);
    expect(env).toContain('HOOKLOOP_SESSION=iteration.completed-1\n');
  }
  expect(project.read('~/child-env')).toMatch(/^SPAWN_OUTPUT_FILE=.*\/iteration\.completed-1\/output\.json$/m);
  const folder = '.hookloop/sessions/s/children/iteration.completed-1';
  expect(JSON.parse(project.read(`${folder}/inputs.json`))).toEqual({ BASH_ENV: 'evil', told: 'by-input-only' });
});

test('of a known agent, its process alone gets the variables it signs in with', () => {
  const project = bundled.project({
    ...parent('pipeline: review'),
    'pipelines/review.yaml': `
agent: qwen
prompt: review it
hooks:
  on_session_start:
    - { type: shell, command: "env > ~/hook-env", await: true }
`,
  });
  project.write('node_modules/.bin/qwen', '#!/bin/sh\nenv > ~/agent-env\nexit 1\n', 0o755);
  project.run(['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'work'], {
    env: { OPENAI_API_KEY: 'sk-of-qwen', ANTHROPIC_API_KEY: 'sk-of-claude' },
  });
  expect(project.read('~/agent-env')).toContain('OPENAI_API_KEY=sk-of-qwen\n');
  expect(project.read('~/agent-env')).not.toContain('sk-of-claude');
  expect(project.read('~/hook-env')).not.toContain('sk-of-qwen');
  expect(project.lines('~/seen')[0]).toMatch(/^failed: /);
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
  ['pipeline: nowhere', 'no pipeline "nowhere"; looked at'],
  ['pipeline: broken', 'pipelines/broken.yaml:1'],
  ['pipeline: stranger', '"nobody" is not an agent'],
  ['pipeline: review, isolate: worktree', 'isolate: worktree needs a git repository with a commit'],
])('a child that cannot be is told with its reason: %s', (spawn, reason) => {
  const project = bundled.project({
    ...parent(`${spawn}, on_failure: abort`),
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

/** Zombies do not count: where nobody reaps them they stay. */
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

/** Its first iteration is done at once; the second waits for ~/go and says on whose behalf. */
const waiting = `
agent: "command:echo $ITERATION >> ~/iterations; [ $ITERATION = 1 ] || { echo $$ >> ~/waiting; while [ ! -e ~/go ]; do sleep 0.02; done; }; echo done $ITERATION"
termination: { type: fixed, iterations: 2 }
prompt: go on
`;

test('an interrupt reaches the child, whose last hooks run; resumed, both go on where they were', async () => {
  const project = bundled.project({
    ...parent('pipeline: waiting'),
    'pipelines/waiting.yaml': waiting,
    '~/.config/hookloop/hooks.yaml':
      'hooks:\n  session.ended:\n    - { type: shell, await: true, command: "echo $SESSION >> ~/ended" }\n',
  });
  const started = project.start(['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'work']);
  await eventually(() => project.lines('~/waiting').length === 1);
  started.process.kill('SIGINT');
  expect(await started.ended).toEqual({ code: 130, signal: null });
  expect(project.lines('~/ended')).toEqual(['iteration.completed-1', 's']);
  expect(processesOf(project)).toEqual([]);
  expect(childEntries(project, 'iteration.completed-1').at(-1)).toMatchObject({ status: 'interrupted' });
  project.write('~/go', '');
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  expect(project.lines('~/iterations')).toEqual(['1', '2', '2']);
  expect(project.lines('~/seen')).toEqual(['success: done 2']);
  expect(childrenIn(project)).toEqual(['iteration.completed-1']);
});

test('after kill -9 the child is resumed, not started anew, and what it left running has ended', async () => {
  const project = bundled.project({ ...parent('pipeline: waiting'), 'pipelines/waiting.yaml': waiting });
  const started = project.start(['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'work']);
  await eventually(() => project.lines('~/waiting').length === 1);
  started.process.kill('SIGKILL');
  await started.ended;
  const orphan = Number(project.lines('~/waiting')[0]);
  expect(isAlive(orphan)).toBe(true);
  const again = project.start(['resume', 's']);
  await eventually(() => project.lines('~/waiting').length === 2);
  expect(isAlive(orphan)).toBe(false);
  expect(project.run(['runs', '--json']).stdout).toContain('s/iteration.completed-1');
  project.write('~/go', '');
  const end = await again.ended;
  expect([again.stderr(), end]).toEqual([again.stderr(), { code: 0, signal: null }]);
  expect(project.lines('~/iterations')).toEqual(['1', '2', '2']);
  expect(project.lines('~/seen')).toEqual(['success: done 2']);
  const entries = childEntries(project, 'iteration.completed-1');
  expect(entries.filter(({ kind }) => kind === 'session.resumed')).toHaveLength(1);
  expect(childrenIn(project)).toEqual(['iteration.completed-1']);
});

test('a child that finished before the crash is not run again: its result counts', () => {
  const project = bundled.project({
    ...parent('pipeline: flaky, on_failure: retry, retries: 1, retry_delay: 0'),
    'pipelines/flaky.yaml':
      'agent: "command:echo x >> ~/tries; test $(wc -l < ~/tries) -ge 2 && echo second"\nprompt: go on\n',
  });
  expect(project.session(['--prompt', 'work']).exit).toBe(0);
  // As if it had died with the child at its end and nothing of that in its own journal.
  const path = '.hookloop/sessions/s/journal.jsonl';
  const lines = project.read(path).split('\n');
  const at = lines.findIndex(line => line.includes('"hook.finished"') && line.includes('child-finished'));
  expect(at).toBeGreaterThan(0);
  project.write(path, `${lines.slice(0, at).join('\n')}\n`);
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  expect(project.lines('~/tries')).toHaveLength(2);
  expect(project.lines('~/seen')).toEqual(['success: second', 'success: second']);
  expect(childrenIn(project)).toHaveLength(2);
});

test('work that failed and is done anew gets a new child', () => {
  const project = bundled.project({
    'script.yaml': 'repeat: true\nturns: [{ text: parent at work }]\n',
    'hookloop.yaml': `hooks:
  iteration.starting:
    - { type: spawn, pipeline: count }
  task.completing:
    - { type: shell, command: "test -e ~/good", block: true }
`,
    'pipelines/count.yaml': 'agent: "command:echo x >> ~/tries; echo counted"\nprompt: go on\n',
  });
  expect(project.session(['--prompt', 'work', '--max-retries', '0']).exit).toBe(1);
  expect(project.lines('~/tries')).toHaveLength(1);
  project.write('~/good', '');
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  expect(project.lines('~/tries')).toHaveLength(2);
  expect(childrenIn(project)).toEqual(['iteration.starting-1', 'iteration.starting-1-2']);
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
  const heir = bundled.project({ ...files, 'hookloop.yaml': spawn(', inherit_hooks: true') });
  heir.session(['--prompt', 'work']);
  expect(heir.lines('~/heard').filter(line => line === 'gate session.starting-0')).toHaveLength(5);
});

test('a child that nobody waits for gets some time at the end and is interrupted then', async () => {
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

/** A repository with one commit. */
const repository = (files: Readonly<Record<string, string>>): Project => {
  const project = bundled.project({ ...files, '.gitignore': '.hookloop\n' });
  const git = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', args, {
      cwd: project.project,
      env: { PATH: process.env['PATH'], HOME: project.home, GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
    });
    expect([stderr, status]).toEqual([stderr, 0]);
    return stdout;
  };
  project.write('~/.gitconfig', '[user]\n  name = t\n  email = t@example.invalid\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'all');
  return project;
};

test.each([
  ['cat README > ~/saw; pwd > ~/where', false],
  ['echo changed > README', true],
  ['echo new > new.txt', true],
  ['echo new > new.txt; git add -A; git commit -q -m new', true],
  ['echo new > new.txt; git checkout -q -b kept; git add -A; git commit -q -m new', false],
])(
  'a child in a worktree of its own that does "%s" leaves the project alone; its worktree is kept: %s',
  (does, kept) => {
    const project = repository({
      ...parent('pipeline: apart, isolate: worktree'),
      'pipelines/apart.yaml': `agent: ${JSON.stringify(`command:${does}; echo done`)}\nprompt: go on\n`,
      README: 'as committed\n',
    });
    const ran = project.session(['--prompt', 'work']);
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    expect(project.lines('~/seen')).toEqual(['success: done']);
    const folder = project.pathOf('.hookloop/sessions/s/children/iteration.completed-1/worktree');
    expect(existsSync(folder)).toBe(kept);
    expect(ran.stderr.includes(`its worktree ${folder} is kept`)).toBe(kept);
    expect(project.read('README')).toBe('as committed\n');
    expect(existsSync(project.pathOf('new.txt'))).toBe(false);
    if (existsSync(project.pathOf('~/where'))) expect(project.lines('~/where')).toEqual([folder]);
  },
);
