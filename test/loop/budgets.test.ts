import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { list } from './checklist.ts';
import { bundleForTests, diary, eventually, noticesOf, type Project } from './project.ts';

const bundled = await bundleForTests();

/** Ends a task's turn by its gates, so that scripts need not tick boxes. */
const gates = `tasks: { done: gates }
hooks:
  task.completing: [{ shell: 'true' }]
  budget.reached: [{ shell: 'echo "$STAGE $(cat)" >> ~/told' }]
`;

/** `level scope unit` of each budget event that a hook was told of. */
const told = (project: Project): string[] =>
  project.lines('~/told').map(line => {
    const { level, scope, unit } = JSON.parse(line.slice(line.indexOf('{')));
    return `${level} ${scope} ${unit}`;
  });

const statuses = (project: Project): string[] =>
  (JSON.parse(project.run(['show', 's', '--json']).stdout).tasks as { status: string }[]).map(({ status }) => status);

/** A turn with tools after each of which its conversation has cost so much. */
const costing = (...costs: readonly number[]): string =>
  `{ text: done, tools: [${costs.map((cost, at) => `{ name: Note, input: { at: ${at} }, used: { cost: ${cost}, input: ${at}, output: 1 } }`).join(', ')}] }`;

const script = (...turns: readonly string[]): Record<string, string> => ({
  'script.yaml': `turns:\n${turns.map(turn => `  - ${turn}\n`).join('')}`,
});

test('a task that spends more than it may is cancelled and fails, the next goes on, and the session ends with 1', () => {
  const project = bundled.project({
    ...list('one', 'two'),
    ...script(costing(0.5, 0.85, 1.2, 9), costing(0.1)),
    'hookloop.yaml': `limits: { per_task: { cost: 1 USD } }\n${gates}`,
  });
  const ran = project.session(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([expect.stringContaining('budget: the task spent 1.2 USD'), 1]);
  expect(statuses(project)).toEqual(['failed', 'done']);
  expect(told(project)).toEqual(['warning task cost', 'reached task cost']);
  const calls = project.journal('s').filter(({ kind }) => kind === 'agent.tool');
  expect(calls).toHaveLength(4);
  expect(JSON.parse(project.run(['show', 's', '--json']).stdout).status).toBe('failed');
});

test('a session that has spent its budget stops, says what was spent, and goes on when the limit is raised', () => {
  const project = bundled.project({
    ...list('one', 'two'),
    ...script(costing(0.5), costing(0.3, 0.6, 2), costing(0.2)),
    'hookloop.yaml': `limits: { cost: 1 }\n${gates}`,
  });
  const ran = project.session(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([
    expect.stringMatching(/budget: the session spent 1\.1 USD, and may spend 1 USD/),
    1,
  ]);
  const shown = JSON.parse(project.run(['show', 's', '--json']).stdout);
  expect([shown.status, shown.reason]).toEqual(['stopped', expect.stringMatching(/^budget: /)]);
  expect(statuses(project)).toEqual(['done', 'started']);
  const again = project.run(['resume', 's']);
  expect([again.exit, project.journal('s').filter(({ kind }) => kind === 'agent.prompt').length]).toEqual([1, 2]);
  project.write('hookloop.yaml', `limits: { cost: 3 USD }\n${gates}`);
  const raised = project.run(['resume', 's']);
  expect([raised.stderr, raised.exit]).toEqual([expect.not.stringContaining('budget:'), 0]);
  expect(told(project)).toEqual(['warning session cost', 'reached session cost']);
});

test('summary, show and why tell what was spent of each budget, and why a task failed', () => {
  const project = bundled.project({
    ...list('one', 'two'),
    ...script(costing(0.5, 1.2), costing(0.1)),
    'hookloop.yaml': `limits: { cost: 5 USD, turns: 40, per_task: { cost: 1 USD } }\n${gates}`,
  });
  const ran = project.session(['--tasks', 'tasks.md']);
  expect(ran.stderr).toMatch(/^Spent: +1\.3 of 5 USD, 2 of 40 turns$/m);
  const { stdout } = project.run(['show', 's']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('spent 1.3 of 5 USD, 2 of 40 turns');
  expect(stdout).toMatch(/\[!\] 1 {2}one\n +budget: the task spent 1\.2 USD/);
  const shown = JSON.parse(project.run(['show', 's', '--json']).stdout);
  expect(shown.tasks).toMatchObject([{ status: 'failed', reason: expect.stringMatching(/^budget: /) }, {}]);
  expect(shown.budgets).toMatchObject([
    { scope: 'session', unit: 'cost', limit: 5 },
    { unit: 'turns', spent: 2 },
  ]);
  const reached = project.journal('s').find(entry => entry.kind === 'event' && entry.event.name === 'budget.reached');
  const why = project.run(['why', 's', String(reached!.seq)]);
  expect([why.stderr, why.stdout]).toEqual([
    why.stderr,
    expect.stringContaining('budget of the task reached: 1.2 of 1 USD'),
  ]);
});

test('an option goes before the file, and resume takes it as well', () => {
  const project = bundled.project({
    ...list('one', 'two', 'three'),
    ...script(
      '{ text: a, usage: { input: 900, output: 200 } }',
      '{ text: b, usage: { input: 900, output: 200 } }',
      '{ text: c, usage: { input: 1, output: 1 } }',
    ),
    'hookloop.yaml': `limits: { tokens: 1M }\n${gates}`,
  });
  const ran = project.session(['--tasks', 'tasks.md', '--max-tokens', '2k']);
  expect([ran.stderr, ran.exit]).toEqual([expect.stringContaining('2200 tokens, and may spend 2000 tokens'), 1]);
  expect(statuses(project)).toEqual(['done', 'done', 'started']);
  expect(project.run(['resume', 's', '--max-tokens', '50k']).exit).toBe(0);
});

test('what a task is told to have spent at the end of its turn does not fail it where its gates pass', () => {
  const project = bundled.project({
    ...list('one'),
    ...script('{ text: a, usage: { input: 900, output: 200 } }'),
    'hookloop.yaml': `limits: { per_task: { tokens: 1000 } }\n${gates}`,
  });
  expect([project.session(['--tasks', 'tasks.md']).exit, statuses(project)]).toEqual([0, ['done']]);
  expect(told(project)).toEqual(['reached task tokens']);
});

test('a fix turn is a turn, the last turn that there may be is not cancelled, and one more is not begun', () => {
  const project = bundled.project({
    ...list('one', 'two'),
    'script.yaml': 'repeat: true\nturns: [{ text: tried }]\n',
    'hookloop.yaml': `limits: { per_task: { turns: 2 } }
tasks: { done: gates }
hooks: { task.completing: [{ shell: 'test "$TASK_CONTENT" != one' }] }
`,
  });
  const ran = project.session(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([expect.stringContaining('budget: the task had 2 turns, and may have 2'), 1]);
  expect(statuses(project)).toEqual(['failed', 'done']);
  expect(project.journal('s').filter(({ kind }) => kind === 'agent.prompt')).toHaveLength(3);
});

test('a turn that takes more time than there is left is cancelled', () => {
  const project = bundled.project({
    'script.yaml': 'turns: [{ text: late, delay: 60 }]\n',
    'hookloop.yaml': `limits: { time: 700ms }\n${gates}`,
  });
  const ran = project.session(['--prompt', 'go']);
  expect([ran.stderr, ran.exit]).toEqual([expect.stringContaining('budget: the session spent'), 1]);
  expect(told(project)).toEqual(['warning session time', 'reached session time']);
});

test('tokens cost what prices say where the agent tells no cost', () => {
  const project = bundled.project({
    ...list('one', 'two'),
    ...script('{ text: a, usage: { input: 1000000, output: 100000 } }', '{ text: b }'),
    'hookloop.yaml': `limits: { cost: 2 USD }\nprices: { input: 1.25, output: 10 }\n${gates}`,
  });
  const ran = project.session(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([expect.stringContaining('the session spent 2.25 USD'), 1]);
});

test('an agent that does not report what is limited is stopped after its first turn', () => {
  const project = bundled.project({ ...diary(), 'hookloop.yaml': `limits: { cost: 2 USD }\n` });
  const ran = project.talk(['--prompt', 'go', '--max-iterations', '3']);
  expect([ran.stderr, ran.exit]).toEqual([expect.stringContaining('command does not report a cost in USD'), 1]);
  expect(project.heard()).toHaveLength(1);
});

test.each([
  ['too much to be true', '{"input_tokens":1e308,"output_tokens":1e308}', 'does not report its tokens'],
  ['less than nothing', '{"input_tokens":-5,"output_tokens":1}', 'does not report its tokens'],
])('an agent that reports %s reports nothing, and the session can still be resumed', (_, usage, words) => {
  const project = bundled.project({ 'agent.sh': `printf '{"usage":${usage}}' > "$STATUS"\n` });
  const run = ['run', '--agent', 'command:sh agent.sh', '--prompt', 'x', '--session', 's', '--quiet'];
  const ran = project.run([...run, '--max-tokens', '1000']);
  expect([ran.exit, ran.stderr]).toEqual([1, expect.stringContaining(words)]);
  expect(JSON.parse(project.run(['show', 's', '--json']).stdout).status).toBe('stopped');
});

test('tokens are whole numbers, whatever an agent reports', () => {
  const project = bundled.project({
    'agent.sh': `printf '{"usage":{"input_tokens":1.6,"output_tokens":0.7}}' > "$STATUS"\n`,
    'hookloop.yaml': `hooks: { 'task.completing': [{ when: TOKENS == 3, shell: 'touch ~/held' }] }`,
  });
  const ran = project.run(['run', '--agent', 'command:sh agent.sh', '--prompt', 'x', '--session', 's', '--quiet']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(existsSync(project.pathOf('~/held'))).toBe(true);
});

test('usage that goes backwards never lowers what was spent', () => {
  const project = bundled.project({
    ...list('one'),
    ...script(costing(0.9, 0.1, 0.25)),
    'hookloop.yaml': `limits: { cost: 1 USD }\n${gates}`,
  });
  const ran = project.session(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([expect.stringContaining('the session spent 1.05 USD'), 1]);
});

test.each([
  ['counts from nothing again', 0.1],
  ['counts on', 0.4],
])('all sessions of a day share its budget, also after kill -9 of an agent that %s', async (_, cost) => {
  const project = bundled.project({
    ...script(costing(0.4)),
    'slow.yaml':
      'turns: [{ text: x, tools: [{ name: Note, used: { cost: 0.3 } }, { name: Bash, input: { command: "touch busy; sleep 60" } }] }]\n',
    'hookloop.yaml': `limits: { per_day: { cost: 1 USD } }\n`,
  });
  const run = (name: string) =>
    project.run(['run', '--agent', 'scripted:script.yaml', '--session', name, '--prompt', 'go']);
  expect(run('a').exit).toBe(0);
  const killed = project.start(['run', '--agent', 'scripted:slow.yaml', '--session', 'k', '--prompt', 'go']);
  await eventually(() => readdirSync(project.project).includes('busy'));
  killed.process.kill('SIGKILL');
  await killed.ended;
  project.write('slow.yaml', `turns: [{ text: y, tools: [{ name: Note, used: { cost: ${cost} } }] }]\n`);
  expect(project.run(['resume', 'k']).exit).toBe(0);
  // 0.4 and 0.3 + 0.1 are spent: what was told before the kill counts, and once.
  expect(JSON.parse(project.run(['show', 'k', '--json']).stdout).usage.costs).toEqual([
    { amount: expect.closeTo(0.4), currency: 'USD' },
  ]);
  expect(run('b').exit).toBe(1);
  const c = run('c');
  expect([c.exit, c.stderr]).toEqual([1, expect.stringContaining("today's sessions of this project spent 1.2 USD")]);
  expect(project.journal('c').filter(({ kind }) => kind === 'agent.prompt')).toHaveLength(0);
});

test('conditions and hooks know cost, tokens, turns and context', () => {
  const project = bundled.project({
    ...script(
      '{ text: a, tools: [{ name: Note, used: { cost: 2.5, input: 10, output: 5, context: 50000, context_size: 200000 } }, { name: Late }] }',
    ),
    'hookloop.yaml': `hooks:
  tool.calling: [{ shell: 'echo "$COST $TOKENS $TURNS $CONTEXT_PERCENT" >> ~/env', when: "COST > 2.0 && TOKENS >= 15 && CONTEXT_PERCENT == 25" }]
  session.ended: [{ shell: 'echo "$TURNS" >> ~/env', when: "TURNS > 0" }]
`,
  });
  expect(project.session(['--prompt', 'go']).exit).toBe(0);
  expect(project.lines('~/env')).toEqual(['2.500000 15 0 25', '1']);
});

test('hooks and conditions tell a warning from the end of a budget', () => {
  const project = bundled.project({
    ...list('one'),
    ...script(costing(0.85, 1.2)),
    'hookloop.yaml': `limits: { cost: 1 USD }
tasks: { done: gates }
hooks:
  task.completing: [{ shell: 'true' }]
  budget.reached:
    - { shell: 'echo "$LEVEL $SCOPE" >> ~/levels' }
    - { shell: 'echo "only $LEVEL" >> ~/levels', when: "LEVEL == 'reached' && SCOPE == 'session'" }
`,
  });
  expect(project.session(['--tasks', 'tasks.md']).exit).toBe(1);
  expect(project.lines('~/levels')).toEqual(['warning session', 'reached session', 'only reached']);
});

test('run --json tells of budgets as of any event', () => {
  const project = bundled.project({
    ...script(costing(0.9)),
    'hookloop.yaml': `limits: { cost: 1 USD }\n`,
  });
  const ran = project.session(['--prompt', 'go', '--json']);
  expect(noticesOf(ran).filter(({ type }) => type === 'budget.reached')).toMatchObject([
    { level: 'warning', scope: 'session', unit: 'cost', spent: 0.9, limit: 1 },
  ]);
});

test.each([
  ['codex', 'limits: { cost: 5 USD }', [], 78, 'codex does not report its cost, so the limit of 5 USD cannot be kept'],
  ['codex', '', ['--max-cost', '5'], 64, 'write prices: { input: USD, output: USD }'],
  ['gemini', 'limits: { per_day: { cost: 1 } }', [], 78, 'gemini does not report its cost'],
])('%s with %j and %j is refused before anything runs', (agent, yaml, options, exit, text) => {
  const programs = { codex: 'codex-acp', gemini: 'gemini' } as Record<string, string>;
  const project = bundled.project({ 'hookloop.yaml': `${yaml}\n` });
  project.write(`node_modules/.bin/${programs[agent]}`, '#!/bin/sh\ntouch ~/started\n', 0o755);
  const ran = project.run(['run', '--agent', agent, '--prompt', 'go', ...options]);
  expect([ran.exit, ran.stderr]).toEqual([exit, expect.stringContaining(text)]);
  expect(readdirSync(project.home)).not.toContain('started');
});

test('resume refuses a limit on what the agent never reports, and leaves no trace of it', () => {
  const project = bundled.project({ 'hookloop.yaml': 'limits: { turns: 1 }\n' });
  project.write('node_modules/.bin/codex-acp', '#!/bin/sh\nexit 1\n', 0o755);
  expect(project.run(['run', '--agent', 'codex', '--prompt', 'go', '--session', 's']).exit).toBe(1);
  const before = project.journal('s').length;
  const refused = project.run(['resume', 's', '--max-cost', '5']);
  expect([refused.exit, refused.stderr]).toEqual([64, expect.stringContaining('codex does not report its cost')]);
  expect(project.journal('s')).toHaveLength(before);
});

test.each([
  ['--max-cost', '-5', 'is not above 0'],
  ['--max-cost', '0', 'is not above 0'],
  ['--max-cost', '5 EUR', 'the currency EUR is unknown'],
  ['--max-cost', '1e99', 'is more than'],
  ['--max-cost', 'NaN', 'is no cost'],
  ['--max-tokens', '1.5', 'is no whole number'],
  ['--max-tokens', '5 bags', 'the unit bags is unknown'],
  ['--max-time', 'soon', 'is no time'],
  ['--max-time', '9999999d', 'is more than 366d'],
  ['--max-turns', '', 'an empty text'],
])('%s %s is refused with 64', (option, value, text) => {
  const project = bundled.project({ 'script.yaml': 'turns: []\n' });
  const ran = project.session(['--prompt', 'go', `${option}=${value}`]);
  expect([ran.exit, ran.stderr]).toEqual([64, expect.stringContaining(text)]);
});

test.each([
  ['limits: { cost: -1 }', 1, 17],
  ['limits: { cost: 5 EUR }', 1, 17],
  ['limits: { tokens: .nan }', 1, 19],
  ['limits: { time: .inf }', 1, 17],
  ['limits:\n  per_task: { turns: 0 }', 2, 22],
  ['limits: { per_day: { tokens: 2Q } }', 1, 30],
  ['limits: { money: 3 }', 1, 11],
  ['limits: 5', 1, 9],
  ['prices: { input: -1, output: 2 }', 1, 18],
  ['prices: { input: 1 }', 1, 9],
  ['stall: { repeats: 1 }', 1, 19],
  ['stall: { then: maybe }', 1, 16],
  ['stall: never', 1, 8],
  ['tasks: { on_failure: retry }', 1, 22],
])('%j is an error at its place, and nothing runs', (yaml, line, column) => {
  const project = bundled.project({ 'script.yaml': 'turns: [{ text: x }]\n', 'hookloop.yaml': `${yaml}\n` });
  const checked = project.run(['check']);
  expect([checked.exit, checked.stdout + checked.stderr]).toEqual([78, expect.stringContaining('^')]);
  expect(checked.stdout + checked.stderr).toContain(`${line}:${column}`);
  expect(project.session(['--prompt', 'go']).exit).toBe(78);
});
