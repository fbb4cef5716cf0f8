import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SessionView } from '../../src/history/view.ts';
import { encodeLine } from '../../src/journal/line.ts';
import type { Notice } from '../../src/model/notice.ts';
import { bundleForTests, diary, diaryAgent, eventually, noticesOf, type Project } from './project.ts';

const bundled = await bundleForTests();
const folder = '.hookloop/sessions/s';

/** In the first turn it waits to be killed. */
const slow = 'echo x >> ~/slow; test -e ~/again || { touch ~/again; sleep 300; }';

async function killInTurn(project: Project, args: readonly string[]): Promise<void> {
  const started = project.start(['run', '--agent', diaryAgent, '--session', 's', ...args]);
  await eventually(() => project.lines('~/slow').length > 0);
  started.process.kill('SIGKILL');
  await started.ended;
}

/** As if all that the journal tells had happened so much earlier. */
function setBack(project: Project, byMs: number): void {
  const earlier = (at: string): string => new Date(Date.parse(at) - byMs).toISOString();
  const lines = project.journal('s').map(entry => encodeLine({ ...entry, at: earlier(entry.at) }));
  writeFileSync(project.pathOf(`${folder}/journal.jsonl`), Buffer.concat(lines));
}

const dayMs = 24 * 60 * 60 * 1000;

test.each(['killed', 'failed'])('the day after it was %s does not count as time of the session', async how => {
  const project = bundled.project({
    ...diary({ 1: how === 'killed' ? slow : 'exit 1' }),
    'hookloop.yaml': `hooks: { session.ended: [{ type: shell, await: true, command: 'echo "$(cat)" >> ~/ends' }] }\n`,
  });
  if (how === 'killed') await killInTurn(project, ['--prompt', 'go']);
  else expect(project.talk(['--prompt', 'go']).exit).toBe(1);
  setBack(project, dayMs);
  const ran = project.run(['resume', 's', '--json']);
  expect([ran.stderr, ran.exit]).toEqual(['', 0]);
  const summary = noticesOf(ran).at(-1) as Extract<Notice, { type: 'session.summary' }>;
  const shown = JSON.parse(project.run(['show', 's', '--json']).stdout) as SessionView;
  for (const { durationMs, stages } of [summary, shown])
    for (const spentMs of [durationMs, ...stages.map(stage => stage.durationMs)]) {
      expect(spentMs).toBeGreaterThan(0);
      expect(spentMs).toBeLessThan(dayMs / 2);
    }
  const { duration } = JSON.parse(project.lines('~/ends').at(-1)!);
  expect(duration).toBeLessThan(dayMs / 2);
});

test('a queue with tasks left gets as many iterations again, with further numbers, as often as it is resumed', () => {
  const project = bundled.project({
    ...diary({ 0: 'test $turn = 2 || sed -i "0,/\\[ \\]/s//[x]/" tasks.md' }),
    'tasks.md': '- [ ] first\n- [ ] second\n- [ ] third\n- [ ] fourth\n',
  });
  const first = project.talk(['--tasks', 'tasks.md', '--max-iterations', '2']);
  expect([first.exit, project.heard().length]).toEqual([1, 2]);
  expect(first.stderr).toContain('3 tasks are left after 2 iterations');
  const second = project.run(['resume', 's']);
  expect([second.exit, project.heard().length]).toEqual([1, 4]);
  expect(second.stderr).toContain('1 task is left after 4 iterations');
  const third = project.run(['resume', 's', '--json']);
  expect([third.stderr, third.exit, project.heard().length]).toEqual(['', 0, 5]);
  const begun = project
    .journal('s')
    .flatMap(entry => (entry.kind === 'event' && entry.event.name === 'iteration.starting' ? [entry.event] : []));
  expect(begun.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4, 5]);
  expect(project.read(`${folder}/stage-00-work/iterations/005/prompt.md`)).toContain('fourth');
});

const hookFile = (command: string) =>
  JSON.stringify({ hooks: { 'session.starting': [{ type: 'shell', await: true, on_failure: 'abort', command }] } });

test('hook files that have changed since the session last ran are named once, and count as they are now', () => {
  const project = bundled.project({
    ...diary(),
    'hookloop.yaml': hookFile('exit 3'),
    '.sauna/hooks.json': '["true"]',
    'config.toml': '[[agent.hooks]]\nevent = "after_turn"\ncommand = "true"\n',
  });
  expect(project.talk(['--prompt', 'go']).exit).toBe(1);
  const same = project.run(['resume', 's']);
  expect([same.exit, same.stderr]).toEqual([1, expect.not.stringContaining('changed since')]);
  project.write('hookloop.yaml', hookFile('echo new >> ~/ran; exit 4'));
  project.write('.sauna/hooks.json', '[]');
  project.write('.iteratr.hooks.yml', 'hooks: { session_start: [{ command: "true" }] }\n');
  const changed = project.run(['resume', 's', '--quiet']);
  expect([changed.exit, project.lines('~/ran')]).toEqual([1, ['new']]);
  const remark = changed.stderr.split('\n').filter(line => line.includes('changed since'));
  expect(remark).toHaveLength(1);
  const named = /the hooks of (.*); they count as they are now/.exec(remark[0]!)?.[1]?.split(', ');
  expect(named?.toSorted()).toEqual(['.iteratr.hooks.yml', '.sauna/hooks.json (gone)', 'hookloop.yaml']);
  expect(project.run(['resume', 's']).stderr).not.toContain('changed since');
});

interface State {
  status: string;
  reason?: string;
  pid: number;
  at: string;
  stages: { stage: string; status: string; iterations: number; reason?: string }[];
}

const stateIn = (project: Project, path: string): State => JSON.parse(project.read(path));
const standing = ({ status, stages }: State) => [status, ...stages.map(stage => `${stage.stage} ${stage.status}`)];

test('state.json tells where the session stands: while it runs, at its end, and after it was resumed', async () => {
  const keep = `cp "$HOOKLOOP_SESSION_DIR/state.json" ~/state-$turn`;
  const project = bundled.project({
    ...diary({ 0: keep, 2: `${keep}; ${slow}`, 3: `${keep}; exit 1` }),
    'p.yaml':
      'name: p\nstages:\n  - { name: one, prompt: do it }\n  - { name: two, prompt: do it }\n  - { name: three, prompt: do it }\n',
  });
  await killInTurn(project, ['./p.yaml']);
  const [first, second] = [stateIn(project, '~/state-1'), stateIn(project, '~/state-2')];
  expect(first).toMatchObject({ session: 's', pipeline: 'p', pid: expect.any(Number) });
  expect(standing(first)).toEqual(['running', 'one running', 'two waiting', 'three waiting']);
  expect(standing(second)).toEqual(['running', 'one completed', 'two running', 'three waiting']);
  expect(second.stages[0]).toMatchObject({ iterations: 1, reason: 'max_iterations' });
  const failed = project.run(['resume', 's']);
  expect(failed.exit).toBe(1);
  const again = stateIn(project, '~/state-3');
  expect(standing(again)).toEqual(['running', 'one completed', 'two running', 'three waiting']);
  expect([again.pid === second.pid, again.at > second.at]).toEqual([false, true]);
  const end = stateIn(project, `${folder}/state.json`);
  expect(standing(end)).toEqual(['failed', 'one completed', 'two failed', 'three skipped']);
  expect(end.reason).toContain('iteration 1 of stage two failed');
  expect(project.run(['resume', 's']).exit).toBe(0);
  const done = stateIn(project, `${folder}/state.json`);
  expect(standing(done)).toEqual(['completed', 'one completed', 'two completed', 'three completed']);
  expect([done.reason, stateIn(project, '~/state-5').status]).toEqual([undefined, 'running']);
});
