import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Ran,
  run,
  runInjected,
  tellSkipped,
  whyNoInjection,
} from '../../src/session/file-store/fixtures/programs.ts';
import { bundleForTests, type Project } from './project.ts';

const bundled = await bundleForTests();

/** Paused twice in the first stage, handed over in the second. */
const files = {
  'pipelines/night.yaml': `
name: night
stages:
  - { name: one, prompt: do stage one, runs: 2, agent: "scripted:first.yaml" }
  - { name: two, prompt: do stage two, runs: 1, agent: ["scripted:first.yaml", "scripted:second.yaml"] }
`,
  'first.yaml': `
turns:
  - { when: stage two, limit: { kind: usage, retry_after: 3600 } }
  - { when: was cut off, text: worked }
  - when: stage one
    tools: [{ name: Bash, input: { command: echo begun >> ~/effects } }]
    limit: { kind: usage, retry_after: 0.05 }
`,
  'second.yaml': 'turns: [{ when: stage two, text: taken over }]\n',
  'hookloop.yaml': `
hooks:
  session.paused: [{ type: shell, await: true, command: echo paused >> ~/effects }]
  session.resumed: [{ type: shell, await: true, command: echo resumed >> ~/effects }]
`,
};

const args = ['run', 'night', '--session', 's', '--quiet'];

const programIn = (project: Project): string[] => [
  ...['env', `HOME=${project.home}`, process.execPath, bundled.program, '-C', project.project],
];

const runWithFault = (project: Project, call: string, when: number): Promise<Ran> =>
  runInjected(
    `${call}:signal=SIGKILL:when=${when}`,
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

/** What must be true of a session that has come to its end, however often it was killed on the way. */
function check(project: Project, told: string): void {
  const entries = entriesOf(project);
  const keysOf = (kind: string): string[] =>
    entries.flatMap(entry => (entry.kind === kind && 'key' in entry ? [entry.key!] : []));
  const eventsOf = (name: string): string[] =>
    entries.flatMap(entry => (entry.kind === 'event' && entry.event.name === name ? [entry.key!] : []));
  const pauses = keysOf('pause.started');
  expect([told, new Set(pauses).size]).toEqual([told, pauses.length]);
  expect([told, keysOf('pause.ended')]).toEqual([told, pauses]);
  expect([told, eventsOf('session.paused')]).toEqual([told, pauses.map(key => `${key}/paused`)]);
  expect([told, eventsOf('session.resumed')]).toEqual([told, pauses.map(key => `${key}/resumed`)]);
  const finished = keysOf('hook.finished');
  expect([told, new Set(finished).size]).toEqual([told, finished.length]);
  expect([told, finished.length]).toEqual([told, 2 * pauses.length]);
  const effects = project.lines('~/effects').filter(line => line !== 'begun');
  expect([told, effects.length - finished.length <= 1]).toEqual([told, true]);
  const chosen = entries.filter(entry => entry.kind === 'agent.chosen');
  expect([told, chosen.at(-1)]).toMatchObject([told, { key: 's1/i1', agent: 'scripted:second.yaml' }]);
  const said = entries.flatMap(entry => (entry.kind === 'agent.message' ? [entry.text] : []));
  expect([told, said.filter(text => text === 'taken over').length >= 1]).toEqual([told, true]);
  expect(entries.at(-1)).toMatchObject({ kind: 'session.closed', status: 'completed' });
}

/** Every n-th call is a kill point; with 1 all of them are, which takes minutes. */
const stride = Number(process.env['HOOKLOOP_SWEEP_STRIDE'] ?? 6);

test('without a crash the session is paused twice and handed over once', () => {
  const project = bundled.project(files);
  const ran = project.run(args);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  check(project, 'whole');
  expect(project.lines('~/effects')).toEqual(['begun', 'paused', 'resumed', 'begun', 'paused', 'resumed']);
});

describe.skipIf(tellSkipped('pauses under kill -9', whyNoInjection))(
  'a session with pauses, killed at any moment',
  () => {
    test.each(['pwrite64', 'fdatasync'])(
      'goes on when it dies in %s: each pause is told once, and the right agent works',
      async call => {
        let points = 0;
        for (let when = 1; ; when += stride) {
          const project = bundled.project(files);
          const killed = await runWithFault(project, call, when);
          if (killed.code === 0) break;
          points += 1;
          const hasBegun = entriesOf(project).length > 0;
          const resumed = await run([...programIn(project), 'resume', 's', '--quiet']);
          const told = `${call} ${when}: ${resumed.stderr}`;
          if (!hasBegun) continue;
          expect([told, resumed.code]).toEqual([told, 0]);
          check(project, told);
        }
        expect(points).toBeGreaterThan(3);
      },
      600_000,
    );
  },
);
