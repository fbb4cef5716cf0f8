import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventResult } from '../src/model/index.ts';
import { createInstalled, installLibrary } from './installed.ts';
import { type Ran, root } from './program.ts';

const examples = readdirSync(join(root, 'examples')).filter(name => !name.startsWith('.'));
const installed = createInstalled('examples');

beforeAll(installed.install, 60_000);
afterAll(() => rmSync(installed.folder, { recursive: true, force: true }));

describe.each(examples)('example %s', name => {
  test('has hook files without problems', () => {
    const { exit, stdout, stderr } = createWorld(name).run('hookloop check');
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '', stderr: expect.stringMatching(/^no problems in/) });
  });

  test('explains itself in at most 25 lines', () => {
    const lines = readFileSync(join(root, 'examples', name, 'README.md'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.length).toBeLessThanOrEqual(25);
  });

  test('names schemas that are there', () => {
    const files = readdirSync(join(root, 'examples', name), { recursive: true, encoding: 'utf8' })
      .map(path => join(root, 'examples', name, path))
      .filter(path => /\.(ya?ml|toml)$|settings\.json$/.test(path));
    const named = files.flatMap(file => {
      const [, path] = /\$?schema(?:=|": "| )([^\s"]+)/.exec(readFileSync(file, 'utf8')) ?? [];
      return path === undefined ? [] : [resolve(dirname(file), path)];
    });
    expect(named.filter(path => !existsSync(path))).toEqual([]);
    const isData = (file: string): boolean => /\/agent\.yaml$/.test(file);
    // Loop and patterns show files as their systems write them.
    if (!['loop', 'patterns'].includes(name)) expect(named).toHaveLength(files.filter(file => !isData(file)).length);
  });
});

describe('native', () => {
  test('has tests of its hooks, which pass', () => {
    expect(createWorld('native').run('hookloop test')).toMatchObject({ exit: 0 });
  });

  test('sends the agent back until the tests of the project pass, and refuses the push', () => {
    const { run, read } = createWorld('native');
    run(`ln -s '${join(root, 'node_modules')}' node_modules`);
    const { exit, stderr } = run('hookloop run --tasks tasks.md --session first');
    expect({ exit, stderr }).toMatchObject({ exit: 0, stderr: expect.stringContaining('CI pushes, not you.') });
    expect(stderr).toMatch(/hook tests failed[\s\S]*hook tests passed/);
    expect(read('src/price.ts')).toContain('Math.round');
    expect(run('hookloop why').stdout).toContain('404.1 !== 404');
  });

  test('tells the agent of a bad edit and lets it go on', () => {
    const { dispatch, write } = createWorld('native');
    write('src/noisy.ts', 'console.log(1);\n');
    const { exit, feedback } = dispatch('file.edited', { file: 'src/noisy.ts' });
    expect({ exit, feedback }).toEqual({ exit: 0, feedback: expect.stringContaining('1:console.log(1);') });
    expect(dispatch('file.edited', { file: 'README.md' }).results).toMatchObject([{ status: 'skipped' }]);
  });
});

test('sauna: a failed gate sends the task back, and after the fix all gates pass', () => {
  const { dispatch, write } = createWorld('sauna');
  expect(dispatch('task.completing', { taskId: '7' })).toMatchObject({
    exit: 2,
    decision: { kind: 'revise', by: 'sauna:.sauna/hooks.json#gate[1]' },
    feedback:
      'Hook failed: sh test.sh\n\nexit code 1\n\nstdout:\ngreet.sh said: Helo, Ada!\n\nstderr:\nexpected: Hello, Ada!',
  });
  expect(dispatch('task.completing', { role: 'planner' }).results.map(({ status }) => status)).toEqual([
    'skipped',
    'skipped',
  ]);
  write('greet.sh', 'echo "Hello, $1!"\n');
  expect(dispatch('task.completing', {})).toMatchObject({ exit: 0, decision: { kind: 'proceed' } });
});

test('iteratr: piped output reaches the agent, failures stop nothing, and task texts are never run', () => {
  const { dispatch, read, has } = createWorld('iteratr');
  expect(dispatch('session_start', {}).feedback).toBe('Keep lines under 60 characters.\n');
  expect(dispatch('pre_iteration', { session: 'demo', iteration: 2 }).feedback).toBe('iteration 2 of demo\n');
  expect(dispatch('post_iteration', {})).toMatchObject({
    exit: 0,
    decision: { kind: 'proceed' },
    feedback: expect.stringMatching(/^\[Hook command failed: exit status 1\]\ntoo long: This line/),
  });
  expect(dispatch('iteration.failed', { error: '$(touch hacked)' }).feedback).toBe(
    'The last iteration failed: $(touch hacked)\n',
  );
  dispatch('on_task_complete', { task_id: '9', task_content: `b'; touch hacked; "$(touch hacked)` });
  dispatch('on_task_complete', { task_id: '7', task_content: 'a' });
  dispatch('session_end', {});
  expect(read('report.txt')).toBe(`7 a\n9 b'; touch hacked; "$(touch hacked)\n`);
  expect(has('hacked')).toBe(false);
});

test('nyzhi: commits wait for the test, edits are measured, tasks need a change log', () => {
  const { dispatch, write } = createWorld('nyzhi');
  const commit = { tool: 'Bash', input: { command: 'git add . && git commit -m done' } };
  expect(dispatch('pre_tool', commit)).toMatchObject({
    exit: 2,
    decision: {
      kind: 'block',
      reason: expect.stringContaining('exit code 1.\n$ sh test.sh\ntotal.txt: expected 42, found 41\n'),
    },
  });
  write('total.txt', '42\n');
  expect(dispatch('pre_tool', commit).exit).toBe(0);
  expect(dispatch('after_edit', { file: 'docs/guide.md' }).feedback).toMatch(/^\[hook\] wc -w \{file\} \(ok\)\n *3 /);
  expect(dispatch('after_edit', { file: 'total.txt' }).feedback).toBe('');
  expect(dispatch('task_completed', {})).toMatchObject({
    exit: 2,
    decision: { kind: 'block', reason: 'Write CHANGES.md before you finish.' },
  });
});

test('babysitter: all scripts run, and a script refuses a push with JSON', () => {
  const { dispatch, read } = createWorld('babysitter');
  const done = dispatch('on-run-complete', { runId: 'r1', duration: 45_000 });
  expect(done).toMatchObject({ exit: 0, results: [{}, { answer: { ok: true, notified: 'console' } }] });
  expect(done.stderr).toContain('[02-notify.sh] run r1 is complete\n');
  expect(JSON.parse(read('metrics.jsonl'))).toMatchObject({ runId: 'r1', status: 'completed', duration: 45_000 });
  const ended = (payload: object) => dispatch('on-iteration-end', { iteration: 2, ...payload }).stderr;
  expect(ended({})).toContain('[tell.sh] iteration 2 completed\n');
  expect(ended({ error: 'no tests' })).toContain('[tell.sh] iteration 2 failed: no tests\n');
  expect(dispatch('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'git push' } })).toMatchObject({
    exit: 2,
    decision: { kind: 'block', reason: 'Pushing is for people: ask one.' },
  });
  expect(dispatch('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } }).exit).toBe(0);
});

test('claude: the guard holds for tools of other agents, and is left to Claude where it is the agent', () => {
  const { dispatch, read } = createWorld('claude');
  const remove = { tool: 'run_shell_command', input: { command: 'rm -rf build' } };
  expect(dispatch('tool.calling', remove)).toMatchObject({
    exit: 2,
    decision: { kind: 'block', reason: 'rm -rf is not allowed here: move files to trash/ instead' },
  });
  expect(dispatch('tool.calling', { ...remove, agent: 'claude' })).toMatchObject({
    exit: 0,
    results: [{ status: 'skipped', why: 'claude runs this hook itself' }],
  });
  expect(dispatch('UserPromptSubmit', { prompt: 'hi' }).feedback).toBe('Write tests first. Use plain words.');
  dispatch('PostToolUse', { tool_name: 'write_file', tool_input: { path: 'a.ts' } });
  expect(JSON.parse(read('edits.jsonl'))).toMatchObject({ tool_name: 'Write', tool_input: { file_path: 'a.ts' } });
});

test('pipelines: the user file runs, pipeline files are listed, and a webhook without an address stops nothing', () => {
  const { dispatch, run, read } = createWorld('pipelines', { XDG_CONFIG_HOME: 'config' });
  dispatch('on_iteration_complete', { session: 'demo', stage: 'work', iteration: 1 });
  expect(read('log.txt')).toBe('demo work 1\n');
  dispatch('on_error', { session: 'demo', error: '$(touch hacked)' });
  expect(read('errors.txt')).toBe('demo: $(touch hacked)\n');
  const ended = dispatch('on_session_complete', { session: 'demo' });
  expect(ended.exit).toBe(0);
  expect(ended.stderr).toContain('its url is empty: no value for SLACK_WEBHOOK');
  const listed = JSON.parse(run('hookloop list --json').stdout) as { file: string; scope: string; runnable: boolean }[];
  expect(listed.map(({ file, scope, runnable }) => `${scope} ${file} ${runnable}`).sort()).toEqual([
    'pipeline pipelines/release.yaml true',
    'stage loops/work/loop.yaml true',
    'stage loops/work/loop.yaml true',
    'user config/agent-pipelines/hooks.yaml true',
    'user config/agent-pipelines/hooks.yaml true',
    'user config/agent-pipelines/hooks.yaml true',
  ]);
});

test('library: the built library obeys the hooks of its folder', async () => {
  await installLibrary(installed);
  expect(createWorld('library').run('node embed.mjs')).toEqual({
    exit: 0,
    stderr: '',
    stdout:
      'git push: proceed\ngit push --force: block\nHook "sh no-force.sh" refused this call of Bash: exit code 1.\n$ sh no-force.sh\nPushing with --force is not allowed.\nDo not repeat this call unchanged.\n',
  });
});

test('library: a program runs a session whose gate is a function', () => {
  expect(createWorld('library').run('node session.mjs')).toEqual({
    exit: 0,
    stderr: '',
    stdout: 'task.completing: block\nfile.edited: proceed\ntask.completing: proceed\ncompleted T1 is done\n',
  });
});

/** A copy of the example with a home of its own, and what can be done there. */
function createWorld(name: string, variables: Readonly<Record<string, string>> = {}) {
  const world = mkdtempSync(join(installed.folder, 'world-'));
  const [project, home] = [join(world, name), join(world, 'home')];
  cpSync(join(root, 'examples', name), project, { recursive: true });
  mkdirSync(join(project, '.git'));
  mkdirSync(home);
  const folders = Object.fromEntries(Object.entries(variables).map(([key, path]) => [key, join(project, path)]));
  const run = (command: string, input = ''): Ran =>
    installed.runShell(command, { cwd: project, home, input, env: folders });
  return {
    run,
    dispatch(event: string, payload: object): Ran & EventResult {
      const printed = run(`hookloop dispatch ${event}`, JSON.stringify(payload));
      return { ...printed, ...(JSON.parse(printed.stdout) as EventResult) };
    },
    read: (path: string) => readFileSync(join(project, path), 'utf8'),
    has: (path: string) => existsSync(join(project, path)),
    write: (path: string, text: string) => writeFileSync(join(project, path), text),
  };
}
