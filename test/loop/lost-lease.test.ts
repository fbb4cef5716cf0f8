import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundleForTests, diary, diaryAgent, eventually, type Project, processesOf } from './project.ts';

/** As if another process had found its holder dead. */
function takeAway(project: Project): void {
  const folder = '.hookloop/sessions/s';
  const lock = readdirSync(project.pathOf(folder)).find(file => /^lock\.\d+$/.test(file))!;
  project.write(`${folder}/${lock}`, JSON.stringify({ pid: 4_000_001, startTime: 'long ago', since: '2026-01-01' }));
}

const bundled = await bundleForTests();
const stateFile = '.hookloop/sessions/s/state.json';
const said = '{ type: shell, command: echo x >> ~/ended, await: true }';

test('a session that another process has taken is left at once: its agent ends, and nothing more happens or is written', async () => {
  const project = bundled.project({
    ...diary({ 1: 'echo $$ > ~/at-work; sleep 600' }),
    'hookloop.yaml': `hooks: { session.ended: [${said}], session.failed: [${said}] }\n`,
  });
  const { ended, stderr } = project.start(['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'go']);
  await eventually(() => project.lines('~/at-work').length > 0);
  const state = project.read(stateFile);
  takeAway(project);
  expect(await ended).toEqual({ code: 75, signal: null });
  expect(stderr()).toContain('another process has taken over this session');
  expect(stderr()).not.toContain('resume');
  expect(processesOf(project)).toEqual([]);
  expect(project.lines('~/ended')).toEqual([]);
  expect(project.journal('s').map(({ kind }) => kind)).not.toContain('session.closed');
  expect(project.read(stateFile)).toBe(state);
});

test('one that is taken while its last hooks run is not said to be completed', async () => {
  const last = '{ type: shell, command: echo x >> ~/ending; sleep 600, await: true }';
  const project = bundled.project({ ...diary(), 'hookloop.yaml': `hooks: { session.ended: [${last}] }\n` });
  const { ended, stderr } = project.start(['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'go']);
  await eventually(() => project.lines('~/ending').length > 0);
  const state = project.read(stateFile);
  takeAway(project);
  expect(await ended).toEqual({ code: 75, signal: null });
  expect(stderr()).toContain('another process has taken over this session');
  expect(stderr()).not.toContain('Session s completed');
  expect(project.read(stateFile)).toBe(state);
});
