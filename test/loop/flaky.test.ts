import { expect, test } from 'vitest';
import { bundleForTests, diary, noticesOf } from './project.ts';

const bundled = await bundleForTests();

/** A check that fails until it has run so often. */
const passesAt = (run: number, last = 'exit 0', before = 'exit 4'): string =>
  `echo ran >> ~/ran; if [ $(wc -l < ~/ran) -ge ${run} ]; then ${last}; else echo not yet >&2; ${before}; fi`;

const gated = (gate: object, files: Readonly<Record<string, string>> = {}) =>
  bundled.project({
    ...diary(),
    'hookloop.yaml': JSON.stringify({ hooks: { 'task.completing': [{ name: 'check', ...gate }] } }),
    ...files,
  });

test('a flaky gate that passes after failing has passed, is marked, and the agent hears nothing of it', () => {
  const project = gated({ shell: passesAt(3), flaky: 2 });
  const ran = project.talk(['--prompt', 'build it', '--json']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/ran')).toHaveLength(3);
  expect(project.heard()).toHaveLength(1);
  const [finished, ...more] = noticesOf(ran).filter(notice => notice.type === 'hook.finished');
  expect(more).toEqual([]);
  expect(finished).toMatchObject({
    result: { verdict: { kind: 'passed' }, attempts: 3, flaky: 'check: exit code 4', decision: { kind: 'proceed' } },
  });
  expect(project.run(['show', 's']).stdout).toMatch(/check +passed +\S+, flaky, 3 tries/);
  expect(project.run(['log', 's']).stdout).toMatch(/hook check passed in .* 3 attempts, flaky: check: exit code 4/);
  const { hooks } = JSON.parse(project.run(['show', 's', '--json']).stdout) as { hooks: object[] };
  expect(hooks).toMatchObject([{ flaky: 'check: exit code 4', attempts: 3 }]);
  const [decision] = project.journal('s').flatMap(entry => (entry.kind === 'hook.finished' ? [entry.seq] : []));
  expect(project.run(['why', 's', String(decision)]).stdout.replaceAll(/\s+/g, ' ')).toContain(
    'passed in try 3 (flaky: check: exit code 4)',
  );
});

test('the summary of a session says how many of its hooks that passed are flaky', () => {
  const { stderr, stdout } = gated({ shell: passesAt(2), flaky: 1 }).talk(['--prompt', 'build it']);
  expect(stdout + stderr).toMatch(/Hooks: +1 run, 1 passed \(1 flaky\)\n/);
});

test('one that keeps failing is refused once, whatever its number of runs', () => {
  const project = gated({ shell: passesAt(99), flaky: 2 });
  const ran = project.talk(['--prompt', 'build it', '--max-retries', '1']);
  expect(ran.exit).toBe(1);
  expect(project.lines('~/ran')).toHaveLength(6);
  expect(project.heard()).toHaveLength(2);
  const results = project.journal('s').flatMap(entry => (entry.kind === 'hook.finished' ? [entry.result] : []));
  expect(results).toMatchObject([{ attempts: 3 }, { attempts: 3 }]);
  expect(results.some(result => 'flaky' in result)).toBe(false);
});

test.each([
  ['a timeout', passesAt(2, 'exit 0', 'sleep 60'), { timeout: '300ms' }],
  ['a crash', passesAt(2, 'exit 0', 'kill -SEGV $$'), {}],
])('%s counts as failing', (_, shell, more) => {
  const project = gated({ shell, flaky: 1, ...more });
  expect(project.talk(['--prompt', 'build it']).exit).toBe(0);
  expect(project.lines('~/ran')).toHaveLength(2);
});

test.each([
  [{ shell: 'true', flaky: 1, retries: 2 }, /flaky and retries do not go together/],
  [{ shell: 'true', flaky: 1, on_failure: 'retry' }, /flaky and on_failure: retry do not go together/],
  [{ type: 'shell', command: 'true', flaky: 1, retries: 2 }, /flaky and retries do not go together/],
  [{ shell: 'true', flaky: 0 }, /1/],
  [{ shell: 'true', flaky: 11 }, /10/],
  [{ shell: 'true', flaky: -1 }, /1/],
  [{ shell: 'true', flaky: 1.5 }, /whole|integer/],
  [{ shell: 'true', flaky: 'often' }, /number/],
  [{ deny: 'no', flaky: 1 }, /flaky/],
])('check says what is wrong with %j', (entry, words) => {
  const project = gated(entry);
  const ran = project.run(['check']);
  expect([ran.exit, ran.stdout + ran.stderr]).toEqual([78, expect.stringMatching(words)]);
  expect(ran.stdout + ran.stderr).toMatch(/hookloop\.yaml:\d+:\d+/);
});

test('list says how often it runs', () => {
  const project = gated({ shell: 'true', flaky: 2 });
  expect(project.run(['list']).stdout).toContain('runs up to 3 times, then blocks');
  expect(JSON.parse(project.run(['list', '--json']).stdout)).toMatchObject([{ flaky: 2 }]);
});
