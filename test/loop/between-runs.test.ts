import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Notice } from '../../src/model/notice.ts';
import type { SessionView } from '../../src/model/view.ts';
import { encodeLine } from '../../src/session/file-store/journal-lines.ts';
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

test('hooks that have come or changed since the session last ran are named once, and count as they are now', () => {
  const project = bundled.project({
    ...diary(),
    'hookloop.yaml': hookFile('exit 3'),
    'config.toml': '[[agent.hooks]]\nevent = "after_turn"\ncommand = "true"\n',
  });
  expect(project.talk(['--prompt', 'go']).exit).toBe(1);
  const same = project.run(['resume', 's']);
  expect([same.exit, same.stderr]).toEqual([1, expect.not.stringContaining('changed since')]);
  project.write('.sauna/hooks.json', '["echo new >> ~/ran"]');
  project.write('.iteratr.hooks.yml', 'hooks: { session_start: [{ command: "true" }] }\n');
  project.write('config.toml', '');
  const changed = project.run(['resume', 's', '--quiet']);
  expect(changed.exit).toBe(1);
  const remark = changed.stderr.split('\n').filter(line => line.includes('changed since'));
  expect(remark).toHaveLength(1);
  const named = /the hooks of (.*); their current versions apply/.exec(remark[0]!)?.[1]?.split(', ');
  expect(named?.toSorted()).toEqual(['.iteratr.hooks.yml', '.sauna/hooks.json', 'config.toml (gone)']);
  expect(project.run(['resume', 's']).stderr).not.toContain('changed since');
});

test('a session does not go on without a gate that it had, or with another in its place, until a person accepts it', () => {
  const project = bundled.project({
    ...diary(),
    'hookloop.yaml': hookFile('exit 3'),
    '.sauna/hooks.json': '["sh gate.sh"]',
    'gate.sh': 'exit 1\n',
  });
  expect(project.talk(['--prompt', 'go']).exit).toBe(1);
  const journal = project.read('.hookloop/sessions/s/journal.jsonl');
  project.write('hookloop.yaml', hookFile('exit 0'));
  rmSync(project.pathOf('.sauna/hooks.json'));
  project.write('gate.sh', 'exit 0\n');
  const refused = project.run(['resume', 's']);
  expect(refused.exit).toBe(2);
  for (const part of ['hookloop.yaml:1', '.sauna/hooks.json:1', 'gate.sh', 'hookloop resume s --accept-changes'])
    expect(refused.stderr).toContain(part);
  expect(project.read('.hookloop/sessions/s/journal.jsonl')).toBe(journal);
  const accepted = project.run(['resume', 's', '--accept-changes']);
  expect([accepted.stderr, accepted.exit]).toEqual([accepted.stderr, 0]);
});

const wantsGood = 'test "$TASTE" = good';
const exporting = {
  '.claude/settings.json': JSON.stringify({
    hooks: {
      SessionStart: [{ hooks: [{ type: 'command', command: `echo 'export TASTE=good' >> "$CLAUDE_ENV_FILE"` }] }],
    },
  }),
};

test.each([
  ['writes', {}, 'echo "export TASTE=good"', 'test "$TASTE" != good'],
  ['changes', exporting, 'echo "export TASTE=bad"', wantsGood],
  ['empties', exporting, 'true', wantsGood],
])(
  'a session does not go on with an environment file that its agent %s, until a person accepts it',
  (_how, start, makes, gate) => {
    const project = bundled.project({
      ...start,
      ...diary({ 1: `${makes} > "$HOOKLOOP_SESSION_DIR/env.sh"; exit 3` }),
      'hookloop.yaml': JSON.stringify({
        hooks: { 'iteration.starting': [{ type: 'shell', command: `echo asked >> ~/asked; ${gate}`, block: true }] },
      }),
    });
    expect(project.talk(['--prompt', 'work'])).toMatchObject({ exit: 1 });
    const refused = project.run(['resume', 's']);
    expect([refused.exit, project.lines('~/asked')]).toEqual([2, ['asked']]);
    expect(refused.stderr).toMatch(
      /changed or gone since session s last ran: \.hookloop\/sessions\/s\/env\.sh.*--accept-changes/,
    );
    // What was accepted counts as it is now, and needs no second word.
    expect(project.run(['resume', 's', '--accept-changes']).exit).toBe(1);
    expect(project.lines('~/asked')).toEqual(['asked', 'asked']);
    expect(project.run(['resume', 's']).exit).toBe(1);
    expect(project.lines('~/asked')).toEqual(['asked', 'asked', 'asked']);
  },
);

test('what hookloop trust has accepted needs no further word', () => {
  const project = bundled.project({ ...diary(), '.sauna/hooks.json': '["sh gate.sh"]', 'gate.sh': 'exit 1\n' });
  expect(project.talk(['--prompt', 'go', '--max-retries', '0']).exit).toBe(1);
  project.write('gate.sh', 'exit 0\n');
  expect(project.run(['resume', 's']).exit).toBe(2);
  expect(project.run(['trust', '--yes']).exit).toBe(0);
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
});

test("an agent that rewrites its gate's script is refused by it, and the script is named", () => {
  const project = bundled.project({
    ...diary({ 1: 'echo exit 0 > gate.sh; sed -i "s/\\[ \\]/[x]/" tasks.md', 2: 'echo exit 1 > gate.sh' }),
    'tasks.md': '- [ ] one\n',
    '.sauna/hooks.json': '{ "hooks": ["sh gate.sh"], "max_retries": 1 }',
    'gate.sh': 'exit 1\n',
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect(ran.exit).toBe(1);
  expect(project.heard()[1]!.text).toContain('gate.sh has changed since this session began');
  expect(project.read('tasks.md')).toBe('- [ ] one\n');
});

test('a session that came with a project does not run on resume', () => {
  const project = bundled.project({ ...diary({ 1: 'exit 3' }) });
  expect(project.talk(['--prompt', 'go']).exit).toBe(1);
  const elsewhere = bundled.project({ ...diary(), 'x.md': '' });
  cpSync(project.pathOf('.hookloop'), elsewhere.pathOf('.hookloop'), { recursive: true });
  for (const args of [
    ['resume', 's'],
    ['resume', 's', '--accept-changes'],
  ]) {
    const refused = elsewhere.run(args);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toMatch(/nothing shows that you started session s here.*journal\.jsonl.*--accept-changes/);
  }
  expect(elsewhere.heard()).toEqual([]);
  // In its own place it goes on.
  expect(project.run(['resume', 's']).exit).toBe(0);
});

test('a file of exports that came with a project is not read', () => {
  const project = bundled.project({
    ...diary(),
    '.hookloop/sessions/s/env.sh': 'touch ~/pwned; export EVIL=1\n',
    '.sauna/hooks.json': '["env > ~/environment"]',
  });
  const ran = project.talk(['--prompt', 'go']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect([existsSync(project.pathOf('~/pwned')), project.read('~/environment').includes('EVIL')]).toEqual([
    false,
    false,
  ]);
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
