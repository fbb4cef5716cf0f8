import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundleForTests, diary, diaryAgent, eventually, type Project, processesOf } from './project.ts';

const bundled = await bundleForTests();

const begin = (project: Project, args: readonly string[]) =>
  project.start(['run', '--agent', diaryAgent, '--session', 's', ...args]);

/** Kills the session as soon as the file is there, and sees that what it had started is still running. */
async function killAt(project: Project, args: readonly string[], file: string): Promise<void> {
  const started = begin(project, args);
  await eventually(() => project.lines(file).length > 0);
  started.process.kill('SIGKILL');
  await started.ended;
}

const resumed = (project: Project) => {
  const ran = project.run(['resume', 's']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(processesOf(project)).toEqual([]);
  expect(project.journal('s').at(-1)).toMatchObject({ kind: 'session.closed', status: 'completed' });
};

/** Slow the first time, so that there is a moment to kill it in. */
const slowOnce = (name: string) =>
  `echo ${name} >> ~/${name}; test -e ~/${name}-again || { touch ~/${name}-again; sleep 300; }; true`;

test.each([
  ['hook', { '.iteratr.hooks.yml': JSON.stringify({ hooks: { pre_iteration: [{ command: slowOnce('slow') }] } }) }, {}],
  ['turn', {}, { 1: slowOnce('slow') }],
  ['gate', { '.sauna/hooks.json': JSON.stringify([slowOnce('slow')]) }, {}],
  ['fix', { '.sauna/hooks.json': '["test -e ~/slow"]' }, { 2: slowOnce('slow') }],
])(
  'killed in a %s: resume ends the orphan, goes on there and repeats nothing that was finished',
  async (_, files, turns) => {
    const project = bundled.project({
      ...diary(turns),
      'hookloop.yaml': `hooks: { on_session_start: [{ type: shell, await: true, command: 'echo start >> ~/starts' }], session.ended: [{ type: shell, await: true, command: 'echo end >> ~/ends' }] }\n`,
      ...files,
    });
    await killAt(project, ['--prompt', 'go'], '~/slow');
    expect(processesOf(project).length).toBeGreaterThan(0);
    const heard = project.heard().length;
    resumed(project);
    const isTurn = Object.keys(turns).length > 0;
    expect([project.lines('~/starts'), project.lines('~/ends')]).toEqual([['start'], ['end']]);
    expect(project.lines('~/slow')).toEqual(isTurn ? ['slow'] : ['slow', 'slow']);
    const cut = project.journal('s').filter(entry => 'cause' in entry && entry.cause === 'crash');
    expect(cut.length).toBeGreaterThan(0);
    const told = project.heard();
    if (isTurn) {
      expect(told).toHaveLength(heard + 1);
      expect(told.at(-1)!.text).toMatch(/^The session was cut off/);
      expect(told.at(-1)!.conversation).toBe(told.at(-2)!.conversation);
    } else expect(told).toHaveLength(1);
  },
);

test('killed in the delay between iterations or before a retry: what was done stays done', async () => {
  const delayed = bundled.project({
    ...diary({ 1: 'echo x >> ~/worked' }),
    'loop.yaml': 'prompt: do it\ntermination: { type: fixed, iterations: 2 }\ndelay: 1\nname: d\n',
    '.iteratr.hooks.yml':
      'hooks: { post_iteration: [{ command: "echo post {{iteration}} | tee -a ~/posts", pipe_output: true }] }\n',
  });
  const started = begin(delayed, ['./loop.yaml']);
  const isDone = (key: string) => delayed.journal('s').some(entry => entry.kind === 'step.done' && entry.key === key);
  await eventually(() => delayed.lines('~/posts').length > 0 && isDone('s0/i1'));
  started.process.kill('SIGKILL');
  await started.ended;
  resumed(delayed);
  expect(delayed.lines('~/posts')).toEqual(['post 1', 'post 2']);
  expect(delayed.heard().map(({ text }) => text)).toEqual(['do it', 'post 1\n\n\ndo it', 'post 2\n']);
  const retried = bundled.project({
    ...diary(),
    'hookloop.yaml': `hooks: { on_session_start: [{ type: shell, await: true, on_failure: retry, retries: 1, retry_delay: 30, command: 'echo try >> ~/tries; test -e ~/good' }] }\n`,
  });
  await killAt(retried, ['--prompt', 'go'], '~/tries');
  retried.write('~/good', '');
  resumed(retried);
  expect(retried.lines('~/tries')).toEqual(['try', 'try']);
});

test('tasks and what waits for the agent are as before the crash', async () => {
  const project = bundled.project({
    ...diary({
      1: '~/hookloop task add one; ~/hookloop task add two; ~/hookloop task done T1; echo x >> ~/ready; test -e ~/again || { touch ~/again; sleep 300; }',
    }),
    '.iteratr.hooks.yml':
      'hooks: { on_task_complete: [{ command: "echo {{task_id}} >> ~/completed; echo completed {{task_id}}", pipe_output: true }] }\n',
  });
  await killAt(project, ['--prompt', 'go', '--max-iterations', '2'], '~/ready');
  project.run(['task', 'done', 'T2', '--session', 's']);
  resumed(project);
  expect(project.lines('~/completed')).toEqual(['T1', 'T2']);
  const told = project.heard().map(({ text }) => text);
  expect(told[1]).toMatch(/^The session was cut off/);
  expect(told.join('\n').match(/completed T\d/g)).toEqual(['completed T1', 'completed T2']);
});

test('a failed session goes on with the iteration that failed: same task, told the same again', () => {
  const project = bundled.project({
    ...diary({ 0: 'sed -i "0,/\\[ \\]/s//[x]/" tasks.md' }),
    'tasks.md': '- [ ] first\n- [ ] second\n',
    '.sauna/hooks.json': '{"hooks":["test -e ~/good || test $HOOK_TASK_CONTENT = first"],"max_retries":0}',
    '.iteratr.hooks.yml':
      'hooks: { post_iteration: [{ command: "echo post {{iteration}}", pipe_output: true }], on_task_complete: [{ command: "echo {{task_content}} >> ~/completed" }], session_end: [{ command: "echo end >> ~/ends" }] }\n',
  });
  expect(project.talk(['--tasks', 'tasks.md']).exit).toBe(1);
  expect([project.lines('~/completed'), project.read('tasks.md')]).toEqual([['first'], '- [x] first\n- [ ] second\n']);
  project.write('~/good', '');
  resumed(project);
  const told = project.heard().map(({ text }) => text.replace(/\n\nIt is task[\s\S]*/, ''));
  const second = 'post 1\n\n\nDo this task, and only this one:\n\nsecond';
  expect([told[0], told[1], told[3]]).toEqual(['Do this task, and only this one:\n\nfirst', second, 'post 2\n']);
  expect(told[2]).toMatch(
    /^post 1\n\nWhen this task was last worked on, its checks refused it:[\s\S]*exit code 1[\s\S]*one:\n\nsecond$/,
  );
  expect([project.lines('~/completed'), project.lines('~/ends')]).toEqual([
    ['first', 'second'],
    ['end', 'end'],
  ]);
});

test('a stage that is only told of again has the time of its work, in its line and in the summary', () => {
  const project = bundled.project({
    ...diary({ 1: 'sleep 0.2' }),
    'hookloop.yaml':
      "hooks: { stage.completed: [{ type: shell, await: true, on_failure: abort, command: 'test -e ~/fine' }] }\n",
  });
  const workedMs = (): number => JSON.parse(project.read('.hookloop/sessions/s/state.json')).stages[0].durationMs;
  expect(project.talk(['--prompt', 'go']).exit).toBe(1);
  const firstMs = workedMs();
  project.write('~/fine', '');
  const again = project.run(['resume', 's']);
  expect([again.stderr, again.exit]).toEqual([again.stderr, 0]);
  expect(again.stderr).toMatch(/stage completed in (?!0\.[01] s)/);
  expect(Math.abs(workedMs() - firstMs)).toBeLessThan(150);
});

test('a task that was given up is not taken again', () => {
  const project = bundled.project({
    ...diary({ 0: 'grep -q "^second" ~/heard-$turn && sed -i "s/\\[ \\] second/[x] second/" tasks.md' }),
    'tasks.md': '- [ ] first\n- [ ] second\n',
    '.sauna/hooks.json': '{"hooks":["test $HOOK_TASK_CONTENT = second"],"max_retries":0}',
  });
  expect(project.talk(['--tasks', 'tasks.md']).exit).toBe(1);
  const [{ id }] = JSON.parse(project.run(['task', 'list', '--session', 's', '--json']).stdout);
  expect(project.run(['task', 'drop', id, '--session', 's']).exit).toBe(0);
  resumed(project);
});

test('a finished session says so, one that is unknown is wrong usage, a damaged journal is told with its line', () => {
  const project = bundled.project(diary());
  expect(project.talk(['--prompt', 'go']).exit).toBe(0);
  const again = project.run(['resume', 's']);
  expect([again.exit, again.stderr]).toEqual([0, expect.stringContaining('is finished')]);
  expect([project.run(['resume', 't']).exit, project.run(['resume', '../s']).exit]).toEqual([64, 64]);
  const journal = project.pathOf('.hookloop/sessions/s/journal.jsonl');
  const lines = readFileSync(journal, 'utf8').split('\n');
  lines[3] = lines[3]!.replace('"kind"', '"knid"');
  writeFileSync(journal, lines.join('\n'));
  const damaged = project.run(['resume', 's']);
  expect([damaged.exit, damaged.stderr]).toEqual([65, expect.stringMatching(/damaged in line 4.*hookloop repair s/)]);
  rmSync(journal);
  expect(project.run(['resume', 's']).exit).not.toBe(0);
});

test('a finished session says so also where its agent is gone', () => {
  const project = bundled.project({ 'agent.sh': '#!/bin/sh\ncat > ~/heard; echo done\n' });
  chmodSync(project.pathOf('agent.sh'), 0o755);
  const ran = project.run(['run', '--session', 's', '--prompt', 'go', '--agent', 'command:./agent.sh']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  rmSync(project.pathOf('agent.sh'));
  const again = project.run(['resume', 's']);
  expect([again.exit, again.stderr]).toEqual([0, expect.stringContaining('is finished')]);
});

test('a torn last line is no damage', async () => {
  const project = bundled.project(diary({ 1: slowOnce('slow') }));
  await killAt(project, ['--prompt', 'go'], '~/slow');
  appendFileSync(project.pathOf('.hookloop/sessions/s/journal.jsonl'), '0123abcd {"seq":99,"ki');
  resumed(project);
});

test('a folder whose maker died before the first record becomes a whole session', () => {
  const project = bundled.project({ 'diary.sh': 'cat "$PROGRESS" > ~/seen; echo done' });
  mkdirSync(project.pathOf('.hookloop/sessions/s'), { recursive: true });
  const ran = project.run(['run', '--session', 's', '--prompt', 'go', '--agent', 'command:sh diary.sh']);
  expect([ran.exit, project.lines('~/seen')]).toEqual([0, ['# Progress of s', '']]);
});

test('of many processes on one session one runs; the others are told who holds it', async () => {
  const project = bundled.project(diary({ 0: 'echo x >> ~/worked; until test -e ~/go; do sleep 0.05; done' }));
  const runs = Array.from({ length: 6 }, () => begin(project, ['--prompt', 'go']));
  await eventually(() => project.lines('~/worked').length > 0, 30_000);
  const holder = project.journal('s')[0]!;
  const pid = 'run' in holder ? holder.run.pid : 0;
  const busy = project.run(['resume', 's']);
  expect([busy.exit, busy.stderr]).toEqual([75, expect.stringContaining(`(pid ${pid})`)]);
  runs.find(({ process: child }) => child.pid === pid)!.process.kill('SIGKILL');
  const codes = await Promise.all(runs.map(async ({ ended }) => (await ended).code));
  expect(codes.filter(code => code === 64)).toHaveLength(5);
  const resumes = Array.from({ length: 14 }, () => project.start(['resume', 's']));
  const ends: (number | null)[] = [];
  const ended = resumes.map(async resume => ends.push((await resume.ended).code));
  // The session goes on for as long as others ask for it.
  await eventually(() => project.lines('~/conversations').length === 2 && ends.length === 13, 60_000);
  expect(new Set(ends)).toEqual(new Set([75]));
  project.write('~/go', '');
  await Promise.all(ended);
  expect(project.lines('~/conversations')).toHaveLength(2);
  expect(ends.at(-1)).toBe(0);
  expect(project.journal('s').filter(({ kind }) => kind === 'session.resumed')).toHaveLength(1);
}, 120_000);
