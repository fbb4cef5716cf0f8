import { expect, test } from 'vitest';
import type { Notice } from '../../src/model/notice.ts';
import { childEntries, childrenIn, waiting } from './children.ts';
import { bundleForTests, diary, diaryAgent, eventually, noticesOf, type Project } from './project.ts';

const bundled = await bundleForTests();

const twice = ['--prompt', 'work', '--max-iterations', '2'];
/** The second turn of the agent waits, so that the first iteration is over when the session dies. */
const agent = diary({ 2: 'echo x >> ~/second; while [ ! -e ~/go ]; do sleep 0.02; done' });

const begin = (project: Project) => project.start(['run', '--agent', diaryAgent, '--session', 's', '--json', ...twice]);

/** Kills the session in its second iteration, and resumes it. */
async function resumedAfterCrash(project: Project, isReady: () => boolean) {
  const started = begin(project);
  await eventually(() => project.lines('~/second').length > 0 && isReady());
  started.process.kill('SIGKILL');
  await started.ended;
  project.write('~/go', '');
  const resumed = project.run(['resume', 's', '--json']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  return noticesOf(resumed);
}

const hooksOf = (notices: readonly Notice[]): unknown[][] =>
  notices.flatMap((notice): unknown[][] =>
    notice.type === 'hook.started'
      ? [[notice.type, notice.event, notice.iteration, notice.attempt]]
      : notice.type === 'hook.finished'
        ? [[notice.type, notice.event, notice.iteration]]
        : [],
  );

test('a child that no one waits for goes on when its parent is resumed, although its iteration is over', async () => {
  const project = bundled.project({
    ...agent,
    'hookloop.yaml':
      'hooks:\n  iteration.completed:\n    - { type: spawn, pipeline: waiting, await: false, when: "ITERATION == 1" }\n',
    'pipelines/waiting.yaml': waiting,
  });
  const notices = await resumedAfterCrash(project, () => project.lines('~/waiting').length > 0);
  expect(childrenIn(project)).toEqual(['iteration.completed-1']);
  const entries = childEntries(project, 'iteration.completed-1');
  expect(entries.filter(({ kind }) => kind === 'session.resumed')).toHaveLength(1);
  expect(entries.at(-1)).toMatchObject({ kind: 'session.closed', status: 'completed' });
  expect(project.lines('~/iterations')).toEqual(['1', '2', '2']);
  expect(hooksOf(notices)).toEqual([
    ['hook.started', 'iteration.completed', 1, 2],
    ['hook.finished', 'iteration.completed', 1],
  ]);
  const [started] = project.journal('s').filter(entry => entry.kind === 'hook.started' && entry.attempt === 2);
  expect(started).toMatchObject({ cause: 'crash' });
});

test('so does any other hook that no one waits for, with the event it was told; a finished one does not', async () => {
  const project = bundled.project({
    ...agent,
    'hookloop.yaml': `hooks:
  iteration.completed:
    - { type: shell, await: false, when: "ITERATION == 1", command: 'echo "$ITERATION $CHANGED_FILES" >> ~/long; while [ ! -e ~/go ]; do sleep 0.02; done' }
    - { type: shell, await: false, command: 'echo $ITERATION >> ~/short' }
`,
    '~/turn-1.sh': 'echo made > made.txt',
  });
  const isReady = () =>
    project.lines('~/long').length > 0 && project.journal('s').some(({ kind }) => kind === 'hook.finished');
  await resumedAfterCrash(project, isReady);
  expect(project.lines('~/long')).toEqual(['1 made.txt', '1 made.txt']);
  expect(project.lines('~/short')).toEqual(['1', '2']);
  const again = project.run(['resume', 's']);
  expect(again.stderr).toContain('finished');
});

test('one whose hook file is gone is told of', async () => {
  const project = bundled.project({
    ...agent,
    'hookloop.yaml': `hooks: { iteration.completed: [{ type: shell, await: false, command: 'echo x >> ~/long; sleep 60' }] }\n`,
  });
  const started = begin(project);
  await eventually(() => project.lines('~/second').length > 0 && project.lines('~/long').length > 0);
  started.process.kill('SIGKILL');
  await started.ended;
  project.write('~/go', '');
  project.write('hookloop.yaml', 'hooks: {}\n');
  const resumed = project.run(['resume', 's']);
  expect(resumed.exit).toBe(0);
  expect(resumed.stderr).toMatch(
    /warning: hook .*sleep 60 \(iteration.completed\) was cut off; .*: no hook file has it/,
  );
});

test('a hook that is repeated after a crash is the second attempt for whoever watches', async () => {
  const project = bundled.project({
    ...diary(),
    '.sauna/hooks.json': JSON.stringify(['echo x >> ~/second; test -e ~/go || sleep 60']),
  });
  const notices = await resumedAfterCrash(project, () => true);
  const gates = hooksOf(notices).filter(([type]) => type === 'hook.started');
  expect(gates).toEqual([
    ['hook.started', 'task.completing', 1, 2],
    ['hook.started', 'task.completing', 2, 1],
  ]);
});

test('a hook that ends when the session is elsewhere is told of where it began', () => {
  const project = bundled.project({
    ...diary({ 2: 'touch ~/go; while [ ! -e ~/late ]; do sleep 0.02; done' }),
    'hookloop.yaml': `hooks: { iteration.completed: [{ type: shell, await: false, when: "ITERATION == 1", command: 'while [ ! -e ~/go ]; do sleep 0.02; done; touch ~/late; exit 3' }] }\n`,
  });
  const ran = project.talk(twice);
  expect(ran.exit).toBe(0);
  expect(ran.stderr).toMatch(/work 2: iteration starts[\s\S]*work 1: hook .* failed in .*: exit code 3/);
  expect(project.run(['log', 's']).stdout).toMatch(/\[work 2\][\s\S]*\[work 1\] hook .* failed in .*: exit code 3/);
});
