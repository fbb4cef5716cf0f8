import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Ran,
  run,
  runInjected,
  tellSkipped,
  whyNoInjection,
} from '../../src/session/file-store/fixtures/programs.ts';
import { list } from './checklist.ts';
import { bundleForTests, type Project } from './project.ts';

const bundled = await bundleForTests();

const spend = (cost: number): string => `{ name: Spend, input: { upTo: ${cost} }, used: { cost: ${cost} } }`;
const look = '{ name: Look, input: { at: 1 }, output: nothing }';

/** The first task makes no progress, is prompted and given up; the second spends more than the session may, until the limit is raised. */
const files = {
  ...list('stuck', 'costly'),
  'script.yaml': `
turns:
  - { when: no progress, text: tried again, tools: [${look}, ${look}, ${look}, ${look}] }
  - { when: stuck, text: tried, tools: [${look}, ${look}, ${look}, ${look}] }
  - { when: costly, text: worked, tools: [${spend(0.6)}, ${spend(1.2)}] }
`,
  'hookloop.yaml': `
limits: { cost: 1 }
tasks: { done: gates }
hooks:
  task.completing: [{ shell: 'true' }]
  session.stalling: [{ type: shell, await: true, command: echo stalling >> ~/effects }]
  budget.reached: [{ type: shell, await: true, command: 'echo budget >> ~/effects' }]
`,
};

const begin = ['run', '--agent', 'scripted:script.yaml', '--session', 's', '--tasks', 'tasks.md', '--quiet'];
const goOn = ['resume', 's', '--quiet'];
const raised = [...goOn, '--max-cost', '9'];

const programIn = (project: Project): string[] => [
  ...['env', `HOME=${project.home}`, process.execPath, bundled.program, '-C', project.project],
];

const ranIn = (project: Project, args: readonly string[]): Promise<Ran> => run([...programIn(project), ...args]);

const killedIn = (project: Project, args: readonly string[], when: number): Promise<Ran> =>
  runInjected(
    `pwrite64:signal=SIGKILL:when=${when}`,
    [join(project.project, '.hookloop/sessions/s/journal.jsonl')],
    [...programIn(project), ...args],
  );

function entriesOf(project: Project): ReturnType<Project['journal']> {
  try {
    return project.journal('s');
  } catch {
    return [];
  }
}

const closedIn = (project: Project): unknown => entriesOf(project).findLast(({ kind }) => kind === 'session.closed');

const budgetStop = { status: 'stopped', reason: expect.stringMatching(/^budget: the session spent/) };

/** What must be true of the session when it has come to its end, wherever it was killed. `kills`: how often. */
function check(project: Project, told: string, kills: number): void {
  const entries = entriesOf(project);
  const eventsOf = (name: string) =>
    entries.flatMap(entry => (entry.kind === 'event' && entry.event.name === name ? [entry] : []));
  // Each process that does not go on with a task says so: that of a kill right behind the record says it once more.
  const failures = entries.flatMap(entry => (entry.kind === 'task.failed' ? [`${entry.id} in ${entry.inRun}`] : []));
  expect([told, failures.length - 1 <= kills, new Set(failures).size]).toEqual([told, true, failures.length]);
  expect([told, eventsOf('session.stalling').length, new Set(failures.map(one => one.split(' ')[0])).size]).toEqual([
    ...[told, 2, 1],
  ]);
  const budgets = eventsOf('budget.reached').map(({ event: { level, scope, limit } }) => `${level} ${scope} ${limit}`);
  expect([told, budgets]).toEqual([told, ['reached session 1']]);
  for (const kind of ['hook.finished', 'step.done'] as const) {
    const keys = entries.flatMap(entry =>
      entry.kind === kind && (kind === 'hook.finished' || /\/t\d+$/.test(entry.key)) ? [entry.key] : [],
    );
    expect([told, new Set(keys).size]).toEqual([told, keys.length]);
  }
  const effects = project.lines('~/effects');
  expect([told, effects.filter(line => line === 'stalling').length - 2 <= kills]).toEqual([told, true]);
  const { tasks, usage } = JSON.parse(project.run(['show', 's', '--json']).stdout);
  expect([told, tasks.map(({ status }: { status: string }) => status)]).toEqual([told, ['failed', 'done']]);
  // A report and the call that it came with are two records, and a kill may come between them.
  const calls = entries.filter(entry => entry.kind === 'agent.tool' && entry.tool === 'Spend').length;
  expect([told, Math.abs(usage.costs[0].amount - 0.6 * calls) < 0.6 * kills + 0.001]).toEqual([told, true]);
  expect(entries.at(-1)).toMatchObject({ kind: 'session.closed', status: 'failed' });
}

/** Every n-th call is a kill point; with 1 all of them are, which takes minutes. */
const stride = Number(process.env['HOOKLOOP_SWEEP_STRIDE'] ?? 6);

test('without a crash the task without progress is given up, and the other done when the limit is raised', async () => {
  const project = bundled.project(files);
  const first = await ranIn(project, begin);
  expect([first.stderr, first.code, closedIn(project)]).toMatchObject([first.stderr, 1, budgetStop]);
  const again = await ranIn(project, goOn);
  expect([again.stderr, again.code, closedIn(project)]).toMatchObject([again.stderr, 1, budgetStop]);
  const last = await ranIn(project, raised);
  expect([last.stderr, last.code]).toEqual([last.stderr, 1]);
  check(project, 'whole', 0);
  expect(project.lines('~/effects')).toEqual(['stalling', 'stalling', 'budget']);
});

describe.skipIf(tellSkipped('budgets under kill -9', whyNoInjection))('a session killed at any moment', () => {
  test('stalls as often and spends as much as it would, and stops at its budget', async () => {
    let points = 0;
    for (let when = 2; ; when += stride) {
      const project = bundled.project(files);
      const killed = await killedIn(project, begin, when);
      if (killed.code === 1) break;
      points += 1;
      if (entriesOf(project).length === 0) continue;
      const resumed = await ranIn(project, goOn);
      const told = `run ${when}: ${resumed.stderr}`;
      expect([told, resumed.code, closedIn(project)]).toMatchObject([told, 1, budgetStop]);
      await ranIn(project, raised);
      check(project, told, 1);
    }
    expect(points).toBeGreaterThan(3);
  }, 600_000);

  test('goes on with the limit that it was resumed with', async () => {
    let points = 0;
    for (let when = 2; ; when += stride) {
      const project = bundled.project(files);
      await ranIn(project, begin);
      const killed = await killedIn(project, raised, when);
      if (killed.code === 1) break;
      points += 1;
      const resumed = await ranIn(project, when === 2 ? raised : goOn);
      check(project, `resume ${when}: ${resumed.stderr}`, 1);
    }
    expect(points).toBeGreaterThan(1);
  }, 600_000);
});
