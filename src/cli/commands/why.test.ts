import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HookResult } from '../../model/index.ts';
import { runIn, type Timed, temporaryProject, writeSession } from '../../session/state/fixtures/project.ts';
import { closed, event, finished, ranHook, resumed, started } from '../../session/state/fixtures/records.ts';
import { textWidth } from '../print/text.ts';
import { why } from './why.ts';

const gates = 's0/i1/gates0';
const by = 'native:hooks.yaml#unit tests';
const refused: HookResult = {
  ...(finished(1, 'FAIL add.test.ts\n', 'revise') as Extract<HookResult, { status: 'finished' }>),
  decision: { kind: 'revise', reason: 'Tests fail.', by },
};
const about = { stage: 'build', iteration: 1, taskId: 'T1', content: 'Add numbers' };

const records: readonly Timed[] = [
  [0, started()],
  [1, event('tool.calling', { stage: 'build', iteration: 1, tool: 'Bash', input: { command: 'ls' } }, 's0/i1/e1')],
  [2, event('task.completing', about, gates)],
  ...ranHook(3, gates, 'lint', 'task.completing'),
  ...ranHook(4, gates, 'unit tests', 'task.completing', refused),
  [
    4,
    {
      ...{
        kind: 'event.decided',
        key: gates,
        event: 'task.completing',
        decision: { kind: 'revise', reason: 'Tests fail.', by },
      },
      skipped: [{ hook: 'native:hooks.yaml#docs', name: 'docs', why: 'no file matches docs/**' }],
    },
  ],
  [5, { kind: 'agent.told', key: `${gates}/told`, text: 'Hook "unit tests" refused this task.', hooks: [by] }],
  [6, { kind: 'agent.prompt', key: 's0/i1/fix0', text: 'Hook "unit tests" refused this task.' }],
  [7, { kind: 'agent.tool', key: 's0/i1/fix0/e2', tool: 'Edit', input: { file_path: 'add.ts' }, status: 'completed' }],
  [8, { kind: 'agent.message', key: 's0/i1/fix0', text: 'I fixed the sum.' }],
  [9, event('task.completing', about, 's0/i1/gates1')],
  [9, event('task.completed', about, 's0/i1/done')],
  [10, { kind: 'agent.message', key: 's0/i2/work', text: 'Something else.' }],
];

async function project(): Promise<string> {
  const root = temporaryProject();
  await writeSession(root, 'demo', records);
  return root;
}

test('without an id the last refusal of the last session is explained', async () => {
  const root = await project();
  const { exit, stdout, stderr } = await runIn(root, why, [], { columns: 80 });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(
    stdout.replaceAll(/\d\d:\d\d:\d\d/g, 'HH:MM:SS').replace(/\d{4}-\d\d-\d\d/, 'YYYY-MM-DD'),
  ).toMatchInlineSnapshot(`
    "#3 task.completing: refused by unit tests; the agent has to fix it
    task T1: Add numbers
    session demo, build 1, YYYY-MM-DD HH:MM:SS

    HOOKS
      + lint        passed 0.1s
      - unit tests  failed (exit code 1) -> revise 0.1s
          FAIL add.test.ts
        docs        skipped: no file matches docs/**

    THE AGENT WAS TOLD
      Hook "unit tests" refused this task.

    THEN
      HH:MM:SS  tool Edit add.ts
      HH:MM:SS  the agent said: I fixed the sum.
      HH:MM:SS  the hooks were asked again #13
      HH:MM:SS  the task is done #14

    MORE
      hookloop log demo --only agent,tools,hooks
    "
  `);
});

test('--json has the names of the contract', async () => {
  const { stdout } = await runIn(await project(), why, ['demo', '3', '--json']);
  const explained = JSON.parse(stdout);
  expect(explained).toMatchObject({
    ...{ session: 'demo', id: 3, event: 'task.completing', at: expect.any(String) },
    decision: { kind: 'revise', reason: 'Tests fail.', by },
    hooks: [
      { name: 'lint', status: 'finished', verdict: { kind: 'passed' } },
      { hook: by, name: 'unit tests', status: 'finished', verdict: { kind: 'failed' }, output: 'FAIL add.test.ts\n' },
      { name: 'docs', status: 'skipped', why: 'no file matches docs/**' },
    ],
    told: 'Hook "unit tests" refused this task.',
  });
  expect(explained.next.map(({ type, text }: { type: string; text: string }) => [type, text])).toEqual([
    ['agent.tool', 'Edit add.ts'],
    ['agent.message', 'I fixed the sum.'],
    ['task.completing', 'the hooks were asked again'],
    ['task.completed', 'the task is done'],
  ]);
});

test.each([['3'], ['#3'], ['5'], ['#7'], ['8'], ['9']])(
  '%s alone is an id of the last session, by whatever entry of the decision has it',
  async id => {
    const { stdout } = await runIn(await project(), why, [id, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ session: 'demo', id: 3 });
  },
);

test('a number is a session where one has that name', async () => {
  const root = await project();
  await writeSession(root, '3', [
    [0, started()],
    [1, closed('completed')],
  ]);
  expect(await runIn(root, why, ['3'])).toMatchObject({
    exit: 0,
    stdout: 'Nothing was refused in session 3. hookloop log 3 shows every event.\n',
  });
  expect(JSON.parse((await runIn(root, why, ['3', '--json'])).stdout)).toMatchObject({ session: '3', id: null });
});

test('an event that nothing refused is explained by its id', async () => {
  const { stdout } = await runIn(await project(), why, ['demo', '2'], { columns: 80 });
  expect(stdout).toContain('#2 tool.calling: allowed\nBash ls\n');
  expect(stdout).toContain('no hook is for this event');
});

test.each([
  [
    ['demo', '99'],
    '#99 is not in session demo, whose ids end at #15; refusals are #3; hookloop log demo shows every id',
  ],
  [['demo', '1'], '#1 is not a decision of demo; refusals are #3; hookloop log demo shows every id'],
  [['demo', 'x'], "x is not an id: ids look like 12 or '#12'"],
  [['dem'], 'there is no session named dem; did you mean demo?'],
])('%j is refused with what to type', async (argv, message) => {
  const { exit, stdout, stderr } = await runIn(await project(), why, argv);
  expect({ exit, stdout }).toEqual({ exit: 64, stdout: '' });
  expect(stderr).toContain(message);
});

test('what a hook decided once its session went on counts, and before that nothing is decided', async () => {
  const ran = ranHook(3, gates, 'unit tests', 'task.completing', refused);
  const stopped: readonly Timed[] = [[0, started()], [2, event('task.completing', about, gates)], ran[0]!];
  const root = temporaryProject();
  await writeSession(root, 'halted', [...stopped, [5, closed('stopped')]]);
  await writeSession(root, 'resumed', [...stopped, [5, closed('stopped')], [6, resumed(2)], ...ran]);
  expect((await runIn(root, why, ['halted', '2'])).stdout).toContain('#2 task.completing: not decided\n');
  for (const id of [[], ['2']])
    expect((await runIn(root, why, ['resumed', ...id])).stdout).toContain('task.completing: refused by unit tests');
});

test('where no session has run, it says so', async () => {
  const root = temporaryProject();
  mkdirSync(join(root, '.hookloop', 'sessions'), { recursive: true });
  expect(await runIn(root, why, [])).toMatchObject({
    exit: 64,
    stderr: expect.stringContaining('no session has run here yet'),
  });
});

test.each([60, 100, 160])(
  'no line is wider than %i columns, and foreign text cannot steer the terminal',
  async columns => {
    const root = temporaryProject();
    const evil = `\x1b]0;evil\x07\u202e ${'a long text that goes on '.repeat(20)}`;
    await writeSession(root, 'demo', [
      [0, started()],
      [1, event('task.completing', { ...about, content: evil, stage: evil }, gates)],
      ...ranHook(2, gates, evil, 'task.completing', finished(1, evil, 'block')),
      [3, { kind: 'agent.told', key: `${gates}/told`, text: evil, hooks: [] }],
      [4, { kind: 'agent.message', key: 's0/i1/fix0', text: evil }],
    ]);
    const { exit, stdout } = await runIn(root, why, [], { columns });
    expect(exit).toBe(0);
    expect(stdout).not.toMatch(/[\x1b\x07\u202e]/);
    for (const line of stdout.split('\n')) expect(textWidth(line), line).toBeLessThanOrEqual(columns);
  },
);
