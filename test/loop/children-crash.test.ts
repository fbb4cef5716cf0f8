import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { run, runInjected, tellSkipped, whyNoInjection } from '../../src/session/file-store/fixtures/programs.ts';
import { childEntries, childrenIn, parent, waiting } from './children.ts';
import { bundleForTests, eventually, processesOf } from './project.ts';

const bundled = await bundleForTests();

/** Zombies do not count: where no one reaps them they stay. */
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

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

test('a try that timed out before the crash is not gone on with: the one after it is', async () => {
  const project = bundled.project({
    ...parent('pipeline: slow, timeout: 3, on_failure: retry, retries: 1, retry_delay: 0'),
    'pipelines/slow.yaml':
      'agent: "command:echo x >> ~/tries; [ $(wc -l < ~/tries) != 1 ] || sleep 60; [ -e ~/go ] || sleep 60; echo at last"\nprompt: go on\n',
  });
  const started = project.start(['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'work']);
  await eventually(() => project.lines('~/tries').length === 2);
  started.process.kill('SIGKILL');
  await started.ended;
  project.write('~/go', '');
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  expect(project.lines('~/tries')).toHaveLength(3);
  expect(project.lines('~/seen')).toEqual(['success: at last']);
  const resumes = childrenIn(project).map(name =>
    childEntries(project, name).some(({ kind }) => kind === 'session.resumed'),
  );
  expect(resumes).toEqual([false, true]);
});

test('a second interrupt ends a stubborn child at once', async () => {
  const project = bundled.project({
    ...parent('pipeline: stubborn'),
    'pipelines/stubborn.yaml': `agent: "command:trap '' INT TERM; echo up > ~/up; while :; do sleep 0.1; done"\nprompt: go on\n`,
  });
  const started = project.start(['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'work']);
  await eventually(() => project.lines('~/up').length === 1);
  started.process.kill('SIGINT');
  await eventually(() => started.stderr().includes('press again'));
  started.process.kill('SIGINT');
  expect(await started.ended).toEqual({ code: 130, signal: null });
  await eventually(() => processesOf(project).length === 0);
});

describe.skipIf(tellSkipped('children under kill -9', whyNoInjection))('a parent killed at any moment', () => {
  /** Whoever has time takes every point. */
  const stride = Number(process.env['HOOKLOOP_CHILD_STRIDE'] ?? 3);

  test('goes on with its child: no finished work of either is done again', async () => {
    let points = 0;
    for (let when = 1; ; when += stride) {
      const project = bundled.project({
        ...parent('pipeline: two'),
        'pipelines/two.yaml':
          'agent: "command:echo $ITERATION >> ~/iterations; echo done $ITERATION"\nprompt: go on\ntermination: { type: fixed, iterations: 2 }\n',
      });
      const program = ['env', `HOME=${project.home}`, process.execPath, bundled.program, '-C', project.project];
      const folder = project.pathOf('.hookloop/sessions/s');
      const child = `${folder}/children/iteration.completed-1`;
      const paths = [folder, child].flatMap(path => [`${path}/journal.jsonl`, `${path}/inputs.json`, path]);
      const args = ['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'work', '--quiet'];
      const killed = await runInjected(`pwrite64:signal=SIGKILL:when=${when}`, paths, [...program, ...args]);
      if (killed.code === 0) break;
      points += 1;
      if (!existsSync(`${folder}/journal.jsonl`) || project.journal('s').length === 0) continue;
      const before = childEntries(project, 'iteration.completed-1');
      const done = before.filter(entry => entry.kind === 'step.done' && /^s0\/i\d+$/.test(entry.key)).length;
      const ran = project.lines('~/iterations').length;
      const resumed = await run([...program, 'resume', 's', '--quiet']);
      expect([when, resumed.stderr, resumed.code]).toEqual([when, resumed.stderr, 0]);
      // The iteration that was cut off may run once more, those before it do not.
      expect([when, project.lines('~/iterations').length - ran <= 2 - done]).toEqual([when, true]);
      expect(new Set(project.lines('~/seen'))).toEqual(new Set(['success: done 2']));
      const started = childrenIn(project).filter(name => childEntries(project, name).length > 0);
      expect([when, started.length]).toEqual([when, 1]);
    }
    expect(points).toBeGreaterThan(3);
  }, 300_000);
});
