import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundleForTests, diary, diaryAgent, eventually, processesOf } from './project.ts';

const bundled = await bundleForTests();
const said = '{ type: shell, command: echo x >> ~/ended, await: true }';

test('a session that another process has taken is left at once: its agent ends, and nothing more happens or is written', async () => {
  const project = bundled.project({
    ...diary({ 1: 'echo $$ > ~/at-work; sleep 600' }),
    'hookloop.yaml': `hooks: { session.ended: [${said}], session.failed: [${said}] }\n`,
  });
  const { ended, stderr } = project.start(['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'go']);
  await eventually(() => project.lines('~/at-work').length > 0);
  const folder = '.hookloop/sessions/s';
  const lock = readdirSync(project.pathOf(folder)).find(file => /^lock\.\d+$/.test(file))!;
  project.write(`${folder}/${lock}`, JSON.stringify({ pid: 4_000_001, startTime: 'long ago', since: '2026-01-01' }));
  const state = project.read(`${folder}/state.json`);
  expect(await ended).toEqual({ code: 75, signal: null });
  expect(stderr()).toContain('another process has this session now');
  expect(stderr()).not.toContain('resume');
  expect(processesOf(project)).toEqual([]);
  expect(project.lines('~/ended')).toEqual([]);
  expect(project.journal('s').map(({ kind }) => kind)).not.toContain('session.closed');
  expect(project.read(`${folder}/state.json`)).toBe(state);
});
