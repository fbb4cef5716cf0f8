import { expect, test } from 'vitest';
import { bundleForTests, diary, diaryAgent, eventually, noticesOf, type Project } from './project.ts';

const bundled = await bundleForTests();

const tick = 'sed -i "0,/\\[ \\]/s//[x]/" tasks.md';
const onDone = (command: string) => ({
  '.iteratr.hooks.yml': JSON.stringify({ hooks: { on_task_complete: [{ command }] } }),
});
const tasksIn = (project: Project): unknown =>
  JSON.parse(project.run(['task', 'list', '--session', 's', '--json']).stdout);

test('one iteration is one task: the first unticked, in a fresh conversation, taken again while it stays unticked', () => {
  const list =
    '# List\n- [x] done before\n- [ ] first\n  with details\n  - [ ] and a sub-task\n\n```\n- [ ] an example\n```\n- [ ] second\n';
  const project = bundled.project({
    ...diary({
      3: 'sed -i "s/- \\[ \\] first/- [x] first/" tasks.md',
      4: 'sed -i "s/- \\[ \\] second/- [x] second/" tasks.md',
    }),
    'tasks.md': list,
    '.sauna/hooks.json': '["echo gate $HOOK_TASK_CONTENT >> ~/order"]',
    ...onDone('echo completed {{task_content}} >> ~/order'),
  });
  const ran = project.talk(['--tasks', 'tasks.md', '--json']);
  expect([ran.stderr, ran.exit]).toEqual([
    expect.stringMatching(/^hookloop: iteration 1 leaves task c\w+ "first" open\n$/),
    0,
  ]);
  expect(project.lines('~/order')).toEqual([
    'gate first',
    'gate first',
    'completed first',
    'gate second',
    'completed second',
  ]);
  // The second is the reminder that its box is open, in the first's conversation.
  const [first, reminder, ...others] = project.heard();
  expect(reminder).toEqual({ ...first, text: 'The checks passed. Mark the task done, or say what is left.' });
  const heard = [first!, ...others];
  expect(heard.map(({ text }) => /this one:\n\n([\s\S]*?)\n\nIt is task/.exec(text)?.[1])).toEqual([
    'first\n  with details\n  - [ ] and a sub-task',
    'first\n  with details\n  - [ ] and a sub-task',
    'second',
  ]);
  for (const { text } of heard) {
    expect(text).toContain(project.pathOf('tasks.md'));
    expect(text).toContain('task_done');
  }
  expect(new Set(heard.map(({ conversation }) => conversation)).size).toBe(3);
  expect(project.read('tasks.md')).toBe(
    list.replace('- [ ] first', '- [x] first').replace('- [ ] second', '- [x] second'),
  );
  expect(noticesOf(ran).at(-1)).toMatchObject({
    stages: [{ iterations: 3, maxIterations: 7, reason: 'queue_empty' }],
    tasks: [{ status: 'done' }, { status: 'done' }, { status: 'done' }],
  });
});

test('tasks that are left at the limit fail the session, which names them', () => {
  const project = bundled.project({ ...diary({ 1: tick }), 'tasks.md': '- [ ] first\n- [ ] second "one"\n' });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.exit, project.heard().length]).toEqual([1, 7]);
  expect(ran.stderr.replaceAll(/\s+/g, ' ')).toMatch(
    /1 task is left after 7 iterations of stage work: c\w+ "second "one""/,
  );
  const short = bundled.project({ ...diary({ 0: tick }), 'tasks.md': '- [ ] first\n- [ ] second\n' });
  expect(short.talk(['--tasks', 'tasks.md', '--max-iterations', '1']).exit).toBe(1);
  expect(short.heard()).toHaveLength(1);
  const resumed = short.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  expect(short.heard()).toHaveLength(2);
});

test('a task that disappears from the file in its iteration fails the session, which names it', () => {
  const project = bundled.project({
    ...diary({ 1: 'sed -i "s/- \\[ \\] one/- x] one/" tasks.md', 2: tick, 3: tick }),
    'tasks.md': '- [ ] one\n- [ ] two\n',
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.exit, project.heard().length]).toEqual([1, 1]);
  expect(ran.stderr).toContain('task "one" is gone from tasks.md');
  project.write('tasks.md', '- [ ] one\n- [ ] two\n');
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  expect(project.heard()).toHaveLength(3);
});

test('a task that is reworded, or given up and then deleted, is not gone', () => {
  const project = bundled.project({
    ...diary({
      1: 'sed -i "s/- \\[ \\] one/- [x] one, in other words/" tasks.md',
      2: '~/hookloop task drop "$(~/hookloop task list --json | grep -o "c[0-9a-f]\\{10\\}" | sed -n 2p)" && sed -i /two/d tasks.md',
    }),
    'tasks.md': '- [ ] one\n- [ ] two\n- [x] three\n',
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.read('tasks.md')).toBe('- [x] one, in other words\n- [x] three\n');
});

test('a task marked done counts without its box, fires task.completed at once and only once', () => {
  const project = bundled.project({
    ...diary({
      1: `id=$(~/hookloop task list --json | grep -o "c[0-9a-f]\\{10\\}"); ~/hookloop task done $id --summary "all well"; cp ~/completed ~/at-once; ~/hookloop task done $id; ${tick}`,
    }),
    'tasks.md': '- [ ] only $(touch pwned) `x` "y"\n',
    ...onDone("echo {{task_content}} '{{task_content}}' >> ~/completed"),
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const line = 'only $(touch pwned) `x` "y"';
  expect(project.lines('~/at-once')).toEqual([`${line} ${line}`]);
  expect(project.lines('~/completed')).toEqual([`${line} ${line}`]);
});

test('the loop never ticks a box', () => {
  const project = bundled.project({
    ...diary({ 1: `~/hookloop task done $(~/hookloop task list --json | grep -o "c[0-9a-f]\\{10\\}")` }),
    'tasks.md': '- [ ] only\n',
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.read('tasks.md')).toBe('- [ ] only\n');
});

test('a refusal of task.completing reaches whoever marks the task', () => {
  const project = bundled.project({
    ...diary({
      1: '~/hookloop task add "write it"; ~/hookloop task done T1 > ~/first 2>&1; echo $? >> ~/first; touch good; ~/hookloop task done T1 > ~/second 2>&1; echo $? >> ~/second; ~/hookloop task done T9 > ~/third 2>&1; echo $? >> ~/third',
    }),
    '.sauna/hooks.json': '["echo not good enough; test -e good"]',
    ...onDone('echo completed {{task_id}} >> ~/completed'),
  });
  const ran = project.talk(['--prompt', 'go']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const [first, second, third] = ['~/first', '~/second', '~/third'].map(project.read);
  expect(first).toContain('not good enough');
  expect(first!.trim().split('\n').at(-1)).not.toBe('0');
  expect(second!.trim().split('\n').at(-1)).toBe('0');
  expect(third).toContain('there is no task T9');
  expect(project.lines('~/completed')).toEqual(['completed T1']);
  expect(tasksIn(project)).toEqual([{ id: 'T1', content: 'write it', status: 'done' }]);
});

test('hooks of tasks may change tasks themselves', () => {
  const project = bundled.project({
    ...diary({ 1: '~/hookloop task add one; ~/hookloop task done T1' }),
    ...onDone(
      'test {{task_id}} = T1 && ~/hookloop task add "follow-up of {{task_content}}" && ~/hookloop task done T2',
    ),
  });
  const ran = project.talk(['--prompt', 'go', '--json']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(tasksIn(project)).toEqual([
    { id: 'T1', content: 'one', status: 'done' },
    { id: 'T2', content: 'follow-up of one', status: 'done' },
  ]);
  const finished = noticesOf(ran).filter(notice => notice.type === 'hook.finished');
  expect(finished).toHaveLength(2);
});

test('a queue takes tasks that hooks and agents add, and drops what is dropped; many at once lose nothing', () => {
  const project = bundled.project({
    ...diary({
      1: 'for i in 1 2 3 4 5 6; do ~/hookloop task add "many" >> ~/ids & done; wait; ~/hookloop task done T1',
      2: 'for i in 2 3 4 5; do ~/hookloop task drop T$i --reason "no need"; done; ~/hookloop task start T6; ~/hookloop task done T6',
      3: '~/hookloop task done T7; cat > /dev/null',
    }),
    'q.yaml': 'name: q\nprompt: work on ${TASK_ID}\ntermination: { type: queue }\n',
    'hookloop.yaml':
      'hooks: { on_session_start: [{ type: shell, await: true, command: "~/hookloop task add from-a-hook" }] }\n',
  });
  const ran = project.talk(['./q.yaml', '--json']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/ids').sort()).toEqual(['T2', 'T3', 'T4', 'T5', 'T6', 'T7']);
  expect(project.heard().map(({ text }) => text)).toEqual(['work on T1', 'work on T2', 'work on T7']);
  expect(noticesOf(ran).at(-1)).toMatchObject({ stages: [{ reason: 'queue_empty', iterations: 3 }] });
});

test('--tasks with a pipeline feeds its queue stages', () => {
  const project = bundled.project({
    ...diary({ 2: tick, 3: tick }),
    'tasks.md': '- [ ] first\n- [ ] second\n',
    'p.yaml':
      'stages: [{ name: plan, prompt: think first }, { name: b, prompt: build it, termination: { type: queue } }]\n',
  });
  expect(project.talk(['p.yaml', '--tasks', 'tasks.md']).exit).toBe(0);
  expect(project.heard().map(({ text }) => text.split('\n').slice(0, 5))).toMatchObject([
    ['think first'],
    ['build it', '', expect.stringContaining('Your task in this iteration (c'), '', 'first'],
    ['build it', '', expect.anything(), '', 'second'],
  ]);
});

test('a person may work on the tasks while the session runs and after it', async () => {
  const project = bundled.project({ ...diary({ 1: 'touch ~/working; until test -e ~/go; do sleep 0.02; done' }) });
  const started = project.start([
    'run',
    '--agent',
    'command:sh ~/agent.sh {session}',
    '--session',
    's',
    '--prompt',
    'x',
  ]);
  await eventually(() => project.lines('~/conversations').length === 1);
  expect(project.run(['task', 'add', 'by a person']).stdout.trim()).toBe('T1');
  expect(tasksIn(project)).toEqual([{ id: 'T1', content: 'by a person', status: 'open' }]);
  project.write('~/go', '');
  expect((await started.ended).code).toBe(0);
  expect(project.run(['task', 'done', 'T1', '--session', 's']).exit).toBe(0);
  // No gate was asked: it is only said to be done.
  expect(tasksIn(project)).toEqual([{ id: 'T1', content: 'by a person', status: 'started' }]);
});

test('a checklist that disappears fails the session and still ends it properly', () => {
  const project = bundled.project({
    ...diary({ 1: 'rm tasks.md' }),
    'tasks.md': '- [ ] first\n',
    'hookloop.yaml': 'hooks: { session.ended: [{ type: shell, await: true, command: "echo ended >> ~/ends" }] }\n',
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.exit, project.lines('~/ends')]).toEqual([1, ['ended']]);
  expect(ran.stderr).toContain('tasks.md does not exist');
});

test('secrets in the texts of tasks stay out of the journal; the agent is told them, also after a crash', async () => {
  const secret = 'hunter2-hunter2';
  const env = { API_TOKEN: secret };
  const project = bundled.project({
    ...diary({
      1: `~/hookloop task add "log in with ${secret}"; echo x >> ~/first; while [ ! -e ~/go ]; do sleep 0.02; done`,
      2: tick,
      3: '~/hookloop task done T1',
    }),
    'tasks.md': `- [ ] use ${secret} here\n  and ${secret}\n`,
  });
  const started = project.start(['run', '--agent', diaryAgent, '--session', 's', '--tasks', 'tasks.md'], env);
  await eventually(() => project.lines('~/first').length > 0);
  started.process.kill('SIGKILL');
  await started.ended;
  project.write('~/go', '');
  const resumed = project.run(['resume', 's'], { env });
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  const [first, again, own] = project.heard();
  for (const { text } of [first!, again!]) expect(text).toContain(`use ${secret} here\n  and ${secret}`);
  expect(own!.text).toContain('log in with');
  const journal = project.read('.hookloop/sessions/s/journal.jsonl');
  expect(journal).toContain('log in with ***');
  expect(journal).not.toContain(secret);
});
