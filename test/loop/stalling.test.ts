import { expect, test } from 'vitest';
import { list } from './checklist.ts';
import { bundleForTests, eventually, noticesOf, type Project } from './project.ts';

const bundled = await bundleForTests();

const gates = `tasks: { done: gates }
hooks:
  task.completing: [{ shell: 'true' }]
`;

const same = '{ name: Look, input: { at: 1 }, output: nothing }';
const other = '{ name: Look, input: { at: 2 }, output: nothing }';
const turn = (...tools: readonly string[]): string => `{ text: done, tools: [${tools.join(', ')}] }`;
const script = (...turns: readonly string[]): Record<string, string> => ({
  'script.yaml': `turns:\n${turns.map(each => `  - ${each}\n`).join('')}`,
});

const stallsIn = (project: Project) =>
  project
    .journal('s')
    .flatMap(entry => (entry.kind === 'event' && entry.event.name === 'session.stalling' ? [entry.event] : []));

const statuses = (project: Project): string[] =>
  (JSON.parse(project.run(['show', 's', '--json']).stdout).tasks as { status: string }[]).map(({ status }) => status);

const callsIn = (project: Project): number => project.journal('s').filter(({ kind }) => kind === 'agent.tool').length;

test.each([
  ['the same call three times in a row', [same, same, same, same, same], 3],
  ['two calls four times in turn', Array.from({ length: 6 }, () => [same, other]).flat(), 8],
])('%s cancels the turn; the agent hears why and may go on', (_, tools, calls) => {
  const project = bundled.project({
    ...list('one'),
    ...script(turn(...tools), `{ text: better, expect: 'You are making no progress' }`),
    'hookloop.yaml': gates,
  });
  const ran = project.session(['--tasks', 'tasks.md', '--json']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(callsIn(project)).toBe(calls);
  expect(stallsIn(project)).toMatchObject([{ evidence: expect.stringContaining('Look {"at":1}') }]);
  expect(noticesOf(ran).filter(({ type }) => type === 'session.stalling')).toHaveLength(1);
});

test('the second time the task is given up, and the next goes on', () => {
  const project = bundled.project({
    ...list('one', 'two'),
    ...script(turn(same, same, same), turn(same, same, same), '{ text: two }'),
    'hookloop.yaml': gates,
  });
  const ran = project.session(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([
    expect.stringContaining('failed: no progress: Look {"at":1} was called 3 times'),
    1,
  ]);
  expect(statuses(project)).toEqual(['failed', 'done']);
});

test.each([
  ['its result changes', Array.from({ length: 5 }, () => `{ name: Bash, input: { command: "date +%N; sleep 0.01" } }`)],
  [
    'it edits in between',
    Array.from({ length: 4 }, (_, at) => [
      same,
      `{ name: Write, input: { file_path: a.txt, content: "${at}" } }`,
    ]).flat(),
  ],
  [
    'its command changes a file',
    Array.from({ length: 5 }, () => `{ name: Bash, input: { command: "echo x >> log.txt" } }`),
  ],
  ['another call comes between', [same, same, other, same, same, other, other, same]],
])('an agent that repeats a call is not stalling where %s', (_, tools) => {
  const project = bundled.project({ ...list('one'), ...script(turn(...tools)), 'hookloop.yaml': gates });
  expect([project.session(['--tasks', 'tasks.md']).exit, stallsIn(project)]).toEqual([0, []]);
});

test('stall: off, and stages of a file that have a fixed length, are left alone', () => {
  const tools = Array.from({ length: 9 }, () => same);
  const off = bundled.project({ ...list('one'), ...script(turn(...tools)), 'hookloop.yaml': `stall: off\n${gates}` });
  expect([off.session(['--tasks', 'tasks.md']).exit, stallsIn(off)]).toEqual([0, []]);
  const fixed = bundled.project({
    ...script(turn(...tools)),
    'loops/look.yaml': 'prompt: look around\ntermination: { type: fixed, iterations: 1 }\n',
  });
  const ran = fixed.session(['look']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(stallsIn(fixed)).toEqual([]);
});

test('a hook that refuses session.stalling says what the agent hears, and one that aborts ends the session', () => {
  const files = {
    ...list('one'),
    ...script(turn(same, same, same), `{ text: ok, expect: 'ask the database instead' }`),
  };
  const told = bundled.project({
    ...files,
    'hookloop.yaml': `${gates}  session.stalling: [{ deny: ask the database instead }]\n`,
  });
  const ran = told.session(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const ended = bundled.project({
    ...files,
    'hookloop.yaml': `${gates}  session.stalling: [{ shell: 'exit 1', on_failure: abort }]\n`,
  });
  expect(ended.session(['--tasks', 'tasks.md']).exit).toBe(1);
  expect(ended.journal('s').at(-1)).toMatchObject({ kind: 'session.closed', status: 'failed' });
});

test('commands and conditions know what shows that there is no progress', () => {
  const project = bundled.project({
    ...list('one'),
    ...script(turn(same, same, same), '{ text: better }'),
    'hookloop.yaml': `${gates}  session.stalling: [{ shell: 'echo "$REASON: $EVIDENCE" >> ~/told', when: "EVIDENCE.contains('Look')" }]\n`,
  });
  expect(project.session(['--tasks', 'tasks.md']).exit).toBe(0);
  const [{ reason, evidence } = expect.fail('there is no sign')] = stallsIn(project);
  expect(project.lines('~/told')).toEqual([`${reason}: ${evidence}`]);
});

test('then: stop stops the session, and resume goes on with the same task', () => {
  const project = bundled.project({
    ...list('one'),
    ...script(turn(same, same, same), turn(same, same, same)),
    'hookloop.yaml': `stall: { then: stop }\n${gates}`,
  });
  expect(project.session(['--tasks', 'tasks.md']).exit).toBe(1);
  const shown = JSON.parse(project.run(['show', 's', '--json']).stdout);
  expect([shown.status, shown.reason]).toEqual(['stopped', expect.stringMatching(/^no progress: /)]);
  project.write('script.yaml', `turns: [{ text: ok, expect: 'You are making no progress' }]\n`);
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit, statuses(project)]).toEqual([resumed.stderr, 0, ['done']]);
});

test.each([
  ['approve', 0, ['done']],
  ['reject', 1, ['failed']],
])('then: ask puts it to a person, who may %s', async (word, exit, expected) => {
  const project = bundled.project({
    ...list('one'),
    ...script(turn(same, same, same), turn(same, same, same), '{ text: better }'),
    'hookloop.yaml': `stall: { then: ask }\n${gates}`,
  });
  const started = project.start(['run', '--agent', 'scripted:script.yaml', '--session', 's', '--tasks', 'tasks.md']);
  const asked = (): { id: string; question: string; expires: string | null }[] =>
    JSON.parse(project.run(['approvals', '--json']).stdout);
  await eventually(() => asked().length > 0);
  const [{ id, question, expires } = expect.fail('no one is asked')] = asked();
  expect(question).toContain('was called 3 times');
  // No one may be awake: without an end the session would wait for ever.
  expect(Date.parse(expires ?? '') - Date.now()).toBeLessThanOrEqual(3_600_000);
  expect(project.run([word, id]).exit).toBe(0);
  expect([(await started.ended).code, statuses(project)]).toEqual([exit, expected]);
});

test('then: ask gives the task up where no one can be asked', () => {
  const project = bundled.project({
    ...list('one', 'two'),
    ...script(turn(same, same, same), turn(same, same, same), '{ text: two }'),
    'hookloop.yaml': `stall: { then: ask }\n${gates}`,
  });
  const args = ['run', '--agent', 'scripted:script.yaml', '--session', 's', '--tasks', 'tasks.md'];
  expect([project.run(args, { env: { CI: '1' } }).exit, statuses(project)]).toEqual([1, ['failed', 'done']]);
});

test('summary, show and why tell of it', () => {
  const project = bundled.project({
    ...list('one', 'two'),
    ...script(turn(same, same, same), turn(same, same, same), '{ text: two }'),
    'hookloop.yaml': gates,
  });
  expect(project.session(['--tasks', 'tasks.md']).stderr).toMatch(/^No progress: +2 times$/m);
  const { stdout } = project.run(['show', 's']);
  expect(stdout).toContain('no progress: Look {"at":1} was called 3 times');
  const told = project.journal('s').find(entry => entry.kind === 'event' && entry.event.name === 'session.stalling')!;
  expect(project.run(['why', 's', String(told.seq)]).stdout).toContain('no progress: Look {"at":1}');
  const why = project.run(['why', 's']).stdout;
  expect(why).toMatch(/^Nothing was refused in session s, which failed: 1 task failed: "one" \(no progress/);
  expect(why).toContain(`\n  #${told.seq}  no progress: Look {"at":1} was called 3 times`);
});

test('three iterations on one task that change nothing and say the same are no progress', () => {
  const project = bundled.project({
    ...list('one', 'two'),
    'script.yaml': `repeat: true
turns:
  - { when: two, text: fine, tick: { file: tasks.md, task: two } }
  - { text: I cannot find it }
`,
  });
  const ran = project.session(['--tasks', 'tasks.md', '--max-iterations', '12']);
  expect([ran.stderr, ran.exit]).toEqual([
    expect.stringContaining('no progress: 3 iterations in a row changed nothing'),
    1,
  ]);
  expect(statuses(project)).toEqual(['failed', 'done']);
  expect(stallsIn(project)).toHaveLength(2);
});

test('a session that was cut off while it stalled goes on as if it had not been', () => {
  const project = bundled.project({
    ...list('one', 'two'),
    ...script(turn(same, same, same), turn(same, same, same), '{ text: two }'),
    'hookloop.yaml': `${gates}  session.stalling: [{ shell: 'test -e ~/once || { touch ~/once; kill -9 $PPID; sleep 5; }', await: true }]\n`,
  });
  const killed = project.session(['--tasks', 'tasks.md']);
  expect(killed.exit).not.toBe(0);
  project.write('script.yaml', `turns:\n  - ${turn(same, same, same)}\n  - { text: two }\n`);
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([expect.stringContaining('1 task failed'), 1]);
  expect([statuses(project), stallsIn(project).length]).toEqual([['failed', 'done'], 2]);
});
