import { expect, test } from 'vitest';
import { fillPrompt, perspectiveAt, promptVariables } from './fill-prompt.ts';
import { howTaskIsDone, promptPlan, taskPrompt, tasksPlan } from './short-forms.ts';

const variables = promptVariables({
  session: 'night',
  stage: 'look',
  iteration: 3,
  maxIterations: 25,
  perspectives: ['security', 'speed'],
  context: '/s/current/context.json',
  status: '/s/current/status.json',
  progress: '/s/progress.md',
  output: '/s/out.md',
  inputs: { files: 'a.ts\nb.ts', depth: 2, list: ['x'], look: 'the input wins', 'odd.name': 'odd', __proto__x: 1 },
  fromStage: { look: ['/p'], 'plan-1': ['/s/1.md', '/s/2.md'] },
});

test('every variable is filled in', () => {
  const names = ['CTX', 'STATUS', 'PROGRESS', 'PROGRESS_FILE', 'OUTPUT', 'OUTPUT_PATH', 'SESSION', 'SESSION_NAME'];
  const more = ['STAGE', 'ITERATION', 'INDEX', 'MAX_ITERATIONS', 'PERSPECTIVE'];
  expect([...names, ...more].map(name => fillPrompt(`\${${name}}`, variables))).toEqual([
    ...['/s/current/context.json', '/s/current/status.json', '/s/progress.md', '/s/progress.md'],
    ...['/s/out.md', '/s/out.md', 'night', 'night', 'look', '3', '2', '25', 'security'],
  ]);
});

test('inputs are filled in by name: texts as they are, other values as JSON', () => {
  const text = '${INPUTS.files}|${INPUTS.depth}|${INPUTS.list}|${INPUTS.look}|${INPUTS.plan-1}|${INPUTS.odd.name}';
  expect(fillPrompt(text, variables)).toBe('a.ts\nb.ts|2|["x"]|the input wins|/s/1.md\n/s/2.md|odd');
});

test.each([
  '$SESSION',
  '${UNKNOWN}',
  '${INPUTS.none}',
  '${session}',
  '${SESSION:-x}',
  '${toString}',
  '${CONSTRUCTOR}',
  '${__proto__}',
  '$${',
])('%s stays as it is', text => expect(fillPrompt(text, variables)).toBe(text));

test('a value is data: what looks like a variable or a pattern in it is not filled in', () => {
  const values = { A: '${B} $& $1 $$ ${A}', B: 'filled' };
  expect(fillPrompt('${A}-${B}', values)).toBe('${B} $& $1 $$ ${A}-filled');
});

test('perspectives come one after another and then from the first again', () => {
  expect([1, 2, 3, 4, 5].map(iteration => perspectiveAt(['a', 'b', 'c'], iteration))).toEqual([
    'a',
    'b',
    'c',
    'a',
    'b',
  ]);
  expect(perspectiveAt([], 1)).toBe('');
});

test('a long prompt is filled in in linear time', () => {
  const started = performance.now();
  fillPrompt('${A${INPUTS.'.repeat(200_000), { A: 'x' });
  expect(performance.now() - started).toBeLessThan(10_000);
});

test('--prompt is one builder stage with one iteration unless more are allowed', () => {
  expect(promptPlan('Do ${X}.')).toMatchObject({
    name: 'prompt',
    stages: [{ role: 'builder', prompt: 'Do ${X}.', termination: { type: 'fixed', iterations: 1 } }],
  });
  expect(promptPlan('x', 4).stages[0]!.termination).toEqual({ type: 'fixed', iterations: 4 });
});

test('--tasks is one builder queue with five iterations to spare', () => {
  expect(tasksPlan({ unticked: 3 }).stages).toMatchObject([
    { role: 'builder', prompt: taskPrompt, termination: { type: 'queue', max: 8 } },
  ]);
  expect(tasksPlan({ unticked: 3, maxIterations: 2 }).stages[0]!.termination).toEqual({ type: 'queue', max: 2 });
});

test('the prompt of --tasks names the task and says how to mark it', () => {
  const named = { TASK: 'Fix it', TASK_ID: 'c12', TASKS_FILE: 'todo.md', PROGRESS: 'p.md' };
  const filled = fillPrompt(taskPrompt, { ...named, TASK_DONE: howTaskIsDone('c12', false) });
  expect(filled).toMatch(/^Do this task.*\n\nFix it\n\nIt is task c12 of todo\.md.*\[ \].*\[x\].*task_done.*"c12"/s);
  expect(filled).not.toContain('${');
});
