import { beforeAll, describe, expect, test } from 'vitest';
import { list, shown } from './checklist.ts';
import { bundleForTests, eventually, type Project, processesOf } from './project.ts';
import { asRepository } from './repository.ts';

const bundled = await bundleForTests();

const tasks = ['parser', 'docs', 'dates', 'windows', 'rewrite', 'rename', 'colours', 'release'];

const files = {
  ...list(...tasks),
  'src/app.txt': 'app\n',
  'check.sh': `echo "$TASK_CONTENT" >> ~/gates
test "$TASK_CONTENT" = colours && echo "colours: 3 tests failed" && exit 1
test -e "src/$TASK_CONTENT.txt" || { echo "src/$TASK_CONTENT.txt is missing"; exit 1; }
`,
  'hookloop.yaml': `agent: ["scripted:../home/first.yaml", "scripted:../home/second.yaml"]
limits: { cost: 20 USD, time: 10m, per_task: { cost: 1 USD } }
stall: { repeats: 3 }
tasks: { done: gates, on_failure: next }
max_retries: 1
hooks:
  task.completing: [sh check.sh]
  session.paused: ['echo "paused $KIND" >> ~/told']
  session.resumed: ['echo resumed >> ~/told']
  session.stalling: [{ shell: 'echo "stalling $TASK_CONTENT" >> ~/told', gate: false }]
  budget.reached: ['echo budget >> ~/told']
  session.ended: ['echo ended >> ~/told']
`,
};

/** Each step of the agent leaves a line behind, so that one that is repeated shows. */
const step = (name: string, cost = 0.1): string =>
  `{ name: Bash, input: { command: "echo ${name} >> ~/effects; echo ${name} >> src/${name}.txt" }, used: ${used(cost)} }`;
const used = (cost: number): string => `{ cost: ${cost}, input: 1000, output: 100 }`;
const look = `{ name: Look, input: { at: 1 }, output: nothing, used: ${used(0.2)} }`;
const turn = (expected: string, tools: readonly string[], more: string): string =>
  `  - { expect: "${expected}", tools: [${tools.join(', ')}], ${more} }\n`;
const script = (...turns: readonly string[]): string => `turns:\n${turns.join('')}`;

/** What the agent does in the first, the second and the third process of the night. */
const [evening, night, morning] = [
  script(turn('parser', [step('parser')], 'limit: { kind: usage, retry_after: 3, reason: 5-hour limit reached }')),
  script(
    turn('was cut off', [look], 'text: the parser is done'),
    turn('docs', [], 'limit: { kind: overload, reason: Overloaded }'),
    turn('docs', [step('docs')], 'text: did docs'),
    turn('dates', [look, look, look, look, look], 'text: never said'),
    turn('You are making no progress', [step('dates')], 'text: did dates'),
    turn('windows', [look, look, look, look], 'text: never said'),
    turn('You are making no progress', [look, look, look, look], 'text: never said'),
    turn(
      'rewrite',
      [0.5, 0.85, 1.2, 9].map(cost => step('rewrite', cost)),
      'text: never said',
    ),
    turn('rename', [step('rename'), '{ name: Bash, input: { command: sleep 60 } }'], 'text: never said'),
  ),
  script(
    turn('was cut off', [], 'limit: { kind: rate, retry_after: 1, reason: too many requests }'),
    turn('rename', [look], 'text: rename was done already'),
    turn('colours', [step('colours')], 'text: did colours'),
    turn('3 tests failed', [look], 'text: they are fine'),
    turn('release', [look], 'text: I think it is done'),
    turn('src/release.txt is missing', [step('release', 0.3)], 'text: did release'),
  ),
] as const;

/** Whether a hook of the event is on record as finished. */
function isTold(project: Project, event: string): boolean {
  try {
    return project.journal('s').some(entry => entry.kind === 'hook.finished' && entry.event === event);
  } catch {
    return false;
  }
}

/** Starts it, and kills it with -9 as soon as the condition holds. */
async function killedWhen(project: Project, args: readonly string[], condition: () => boolean): Promise<void> {
  const started = project.start(args);
  await eventually(() => condition() || started.process.exitCode !== null, 60_000);
  expect([started.stderr(), started.process.exitCode]).toEqual([started.stderr(), null]);
  started.process.kill('SIGKILL');
  expect(await started.ended).toEqual({ code: null, signal: 'SIGKILL' });
}

describe('a night in which the agent is limited, overloaded, stalls and overspends, and the machine dies twice', () => {
  let project: ReturnType<typeof asRepository>;
  let ended: ReturnType<Project['run']>;

  beforeAll(async () => {
    project = asRepository(bundled.project(files));
    project.write(
      '~/second.yaml',
      'repeat: true\nturns: [{ limit: { kind: usage, retry_after: 3600, reason: weekly limit } }]\n',
    );
    project.write('~/first.yaml', evening);
    await killedWhen(project, ['run', '--tasks', 'tasks.md', '--session', 's'], () =>
      isTold(project, 'session.paused'),
    );
    project.write('~/first.yaml', night);
    await killedWhen(project, ['resume', 's'], () => project.lines('~/effects').includes('rename'));
    project.write('~/first.yaml', morning);
    ended = project.run(['resume', 's']);
  }, 120_000);

  test('ends with every task done or honestly failed, and with 1', () => {
    expect([ended.stderr, ended.exit]).toEqual([
      expect.stringContaining('3 tasks failed: "windows" (no progress), "rewrite" (budget), "colours" (hook'),
      1,
    ]);
    expect(shown(project)).toEqual({
      ...{ parser: 'done', docs: 'done', dates: 'done', rename: 'done', release: 'done' },
      ...{ windows: 'failed', rewrite: 'failed', colours: 'failed' },
    });
    expect(project.read('tasks.md').match(/\[x\] \w+/g)).toEqual(
      ['parser', 'docs', 'dates', 'rename', 'release'].map(task => `[x] ${task}`),
    );
  });

  test('repeats nothing: no step of the agent, no gate, no hook', () => {
    expect(project.lines('~/effects')).toEqual([
      ...['parser', 'docs', 'dates', 'rewrite', 'rewrite', 'rewrite', 'rename', 'colours', 'release'],
    ]);
    expect(project.lines('~/gates')).toEqual([
      ...['parser', 'docs', 'dates', 'rename', 'colours', 'colours', 'release', 'release'],
    ]);
    expect(project.lines('~/told')).toEqual([
      ...['paused usage', 'resumed', 'paused overload', 'resumed'],
      ...['stalling dates', 'stalling windows', 'stalling windows', 'budget', 'budget'],
      ...['paused rate', 'resumed', 'ended'],
    ]);
    const finished = project.journal('s').flatMap(entry => (entry.kind === 'hook.finished' ? [entry.key] : []));
    expect(finished.filter((key, at) => finished.indexOf(key) !== at)).toEqual([]);
  });

  test('leaves no process behind', () => {
    expect(processesOf(project)).toEqual([]);
  });

  test('counts all that was spent, across the processes', () => {
    const { usage, runs } = JSON.parse(project.run(['show', 's', '--json']).stdout);
    expect([runs, usage.costs[0].amount]).toEqual([3, expect.closeTo(2.6)]);
  });

  test('show says at first sight what was done, what failed and why, what it cost and what to do next', () => {
    const said = project.run(['show', 's']).stdout;
    expect(said).toMatch(/paused for \d.* · in 3 processes · .* · \$2\.60/);
    expect(said).toMatch(/TASKS\n {2}\[x\] 1 {2}parser\n/);
    expect(said).toMatch(/\[!\] 4 {2}windows\n +no progress: Look \{"at":1\} was called 3 times in a row/);
    expect(said).toMatch(/\[!\] 5 {2}rewrite\n +budget: the task spent 1\.2 USD, and may spend 1 USD\n/);
    expect(said).toMatch(/\[!\] 7 {2}colours\n +hook "sh check\.sh" \(hookloop\.yaml:\d+\) failed \(exit code 1\)/);
    expect(said).toMatch(/TIME LINE\n {2}\.\.\. \d+ earlier: hookloop log s\n/);
    expect(said).toContain('task failed: rewrite');
    expect(said).toMatch(/hookloop resume s +tries the failed tasks again\n/);
    expect(said).toMatch(/hookloop diff s +what it changed\n/);
  });

  test('log tells it in order, with what the agent was told', () => {
    const said = project.run(['log', 's']).stdout;
    const story = [
      'usage limit of scripted: 5-hour limit reached',
      'session s continues in process',
      'session goes on after a pause of',
      'task done: parser',
      'scripted is overloaded: Overloaded',
      'task done: docs',
      'no progress: Look {"at":1} was called 3 times',
      'the agent was told:',
      'You are making no progress',
      'task done: dates',
      'task failed: windows',
      'budget of the task reached: 1.2 of 1 USD',
      'task failed: rewrite',
      'session s continues in process',
      'rate limit of scripted: too many requests',
      'task done: rename',
      'colours: 3 tests failed',
      'task failed: colours',
      'task done: release',
      'session closed: failed, 3 tasks failed',
    ];
    let from = 0;
    for (const sentence of story) {
      const at = said.indexOf(sentence, from);
      expect([sentence, at]).toEqual([sentence, expect.toSatisfy((found: number) => found >= from)]);
      from = at + sentence.length;
    }
  });

  test('why, runs and diff agree', () => {
    const why = project.run(['why', 's']).stdout;
    expect(why).toContain('task: release');
    expect(why).toContain('src/release.txt is missing');
    expect(why).toContain('the task is done');
    expect(project.run(['runs']).stdout).toContain('5 of 8, 3 failed');
    const { files: changed } = JSON.parse(project.run(['diff', 's', '--json']).stdout) as { files: { path: string }[] };
    expect(changed.map(({ path }) => path)).toEqual([
      ...['colours', 'dates', 'docs', 'parser', 'release', 'rename', 'rewrite'].map(name => `src/${name}.txt`),
      'tasks.md',
    ]);
    expect(project.git('status', '--porcelain', '--', ':!src', ':!tasks.md')).toBe('');
  });

  test('undo puts the morning back as it was before the night', () => {
    expect(project.run(['undo', 's', '--yes']).exit).toBe(0);
    expect(project.git('status', '--porcelain')).toBe('');
  });
});
