import { expect, test } from 'vitest';
import type { Notice } from '../../src/model/notice.ts';
import { bundleForTests, diary, diaryAgent, eventually, type Project, processesOf } from './project.ts';

const bundled = await bundleForTests();

const loop = 'name: d\nprompt: do it\ntermination: { type: fixed, iterations: 2 }\n';
/** Says that it works, until it is let go. */
const held = 'echo x >> ~/works; until test -e ~/go; do sleep 0.02; done';
const gate = JSON.stringify(['echo x >> ~/gates']);

const begin = (project: Project) =>
  project.start(['run', './loop.yaml', '--agent', diaryAgent, '--session', 's', '--json']);
const summaryOf = (notices: readonly Notice[]) => notices.find(({ type }) => type === 'session.summary');

test('a session that is asked to stop ends at once, exits 1, leaves nothing behind, and goes on where it was', async () => {
  const project = bundled.project({ ...diary({ 1: held }), 'loop.yaml': loop });
  const started = begin(project);
  await eventually(() => project.lines('~/works').length > 0);
  const asked = project.run(['stop', 's']);
  expect(asked).toMatchObject({
    exit: 0,
    stdout: 'Session s is stopped.\nContinue with: hookloop resume s\n',
    stderr: '',
  });
  expect(await started.ended).toEqual({ code: 1, signal: null });
  expect(processesOf(project)).toEqual([]);
  expect(project.journal('s').at(-1)).toMatchObject({ kind: 'session.closed', status: 'stopped' });
  expect(JSON.parse(project.run(['show', 's', '--json']).stdout)).toMatchObject({ status: 'stopped' });
  project.write('~/go', '');
  expect(project.run(['resume', 's', '--quiet'])).toMatchObject({ exit: 0 });
  expect(project.journal('s').at(-1)).toMatchObject({ kind: 'session.closed', status: 'completed' });
});

test.each([
  ['turn', []],
  ['task', ['x']],
] as const)('stop --after %s lets the agent finish that first', async (after, gates) => {
  const project = bundled.project({ ...diary({ 1: held }), 'loop.yaml': loop, '.sauna/hooks.json': gate });
  const started = begin(project);
  await eventually(() => project.lines('~/works').length > 0);
  expect(project.run(['stop', 's', '--after', after]).exit).toBe(0);
  project.write('~/go', '');
  expect(await started.ended).toEqual({ code: 1, signal: null });
  expect(project.lines('~/gates')).toEqual(gates);
  const turns = project.lines('~/works').length;
  expect(project.journal('s').at(-1)).toMatchObject({ status: 'stopped' });
  expect(project.run(['resume', 's', '--quiet'])).toMatchObject({ exit: 0 });
  expect(project.lines('~/gates')).toEqual(['x', 'x']);
  expect(project.lines('~/works')).toHaveLength(turns);
});

test('without a name it is the only session that is running; where none is, nothing is stopped', async () => {
  const project = bundled.project({ ...diary({ 1: held }), 'loop.yaml': loop });
  expect(project.run(['stop'])).toMatchObject({ exit: 64, stderr: expect.stringContaining('no session is running') });
  const started = begin(project);
  await eventually(() => project.lines('~/works').length > 0);
  expect(project.run(['stop'])).toMatchObject({ exit: 0, stdout: expect.stringContaining('Session s is stopped.') });
  expect(await started.ended).toEqual({ code: 1, signal: null });
  expect(project.run(['stop']).exit).toBe(64);
});

test('a session that is not running is not stopped, and one that no one knows is named', async () => {
  const project = bundled.project({ ...diary(), 'loop.yaml': loop });
  expect((await begin(project).ended).code).toBe(0);
  expect(project.run(['stop', 's'])).toMatchObject({ exit: 1, stderr: 'hookloop stop: session s is not running\n' });
  expect(project.run(['stop', 'x'])).toMatchObject({ exit: 64 });
  expect(project.run(['stop', 's', '--after', 'noon']).stderr).toContain('write turn or task');
});

test('what is stopped says so at its end, with the command that goes on', async () => {
  const project = bundled.project({ ...diary({ 1: held }), 'loop.yaml': loop });
  const started = begin(project);
  await eventually(() => project.lines('~/works').length > 0);
  project.run(['stop', 's']);
  await started.ended;
  const notices = started
    .stdout()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Notice);
  expect(summaryOf(notices)).toMatchObject({ status: 'stopped', resume: 'hookloop resume s' });
});
