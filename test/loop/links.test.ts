import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleForTests, diary, diaryAgent, eventually, type Project } from './project.ts';

const bundled = await bundleForTests();
const folder = '.hookloop/sessions/first';
const run = ['run', '--session', 'first', '--agent', diaryAgent, '--prompt', 'go'];

/** A project that brings a link along where a session would write. */
function withLink(project: Project, name: string): { target: string; content(): unknown } {
  const outside = project.pathOf('~/outside');
  mkdirSync(outside, { recursive: true });
  const isFolder = !/\.(json|jsonl|md)$/.test(name);
  const target = join(outside, isFolder ? 'folder' : 'file');
  if (isFolder) mkdirSync(target);
  else writeFileSync(target, 'precious, and without a newline');
  const path = project.pathOf(`${folder}/${name}`);
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) renameSync(path, `${path}.kept`);
  symlinkSync(target, path);
  return { target, content: () => (isFolder ? readdirSync(target) : readFileSync(target, 'utf8')) };
}

const places = [
  ...['holder.json', 'journal.jsonl', 'state.json', 'progress.md', 'inputs.json', 'current', 'current/status.json'],
  ...['current/context.json', 'hooks', 'children', 'children/on_iteration_complete-1', 'stage-00-work'],
  ...['stage-00-work/iterations', 'stage-00-work/iterations/001', 'stage-00-work/iterations/001/output.md'],
];

test.each(places)('a link at %s of a folder that a project brings along is not followed by run', name => {
  const project = bundled.project({ ...diary() });
  const { content } = withLink(project, name);
  const before = content();
  const ran = project.run(run);
  expect(content()).toEqual(before);
  expect(ran.exit).not.toBe(0);
  expect(ran.stderr).toMatch(
    /is a link, and in the folder of a session links are not followed|session first already exists/,
  );
  expect(project.heard()).toEqual([]);
});

test('what a crash has left of a link of ours does not stand in the way of resume', async () => {
  const project = bundled.project({ ...diary({ 1: 'test -e ~/again || { touch ~/again; sleep 300; }' }) });
  const started = project.start(run);
  await eventually(() => existsSync(project.pathOf('~/again')));
  started.process.kill('SIGKILL');
  await started.ended;
  const current = project.pathOf(`${folder}/current`);
  symlinkSync(readlinkSync(join(current, 'context.json')), join(current, 'context.json.4711-3-6982687965972.tmp'));
  expect(project.run(['resume', 'first'])).toMatchObject({ exit: 0 });
});

test.each(places)('nor by resume of a session that was cut off: %s', async name => {
  const project = bundled.project({ ...diary({ 1: 'test -e ~/again || { touch ~/again; sleep 300; }' }) });
  const started = project.start(run);
  await eventually(() => existsSync(project.pathOf('~/again')));
  started.process.kill('SIGKILL');
  await started.ended;
  const { content } = withLink(project, name);
  const before = content();
  const ran = project.run(['resume', 'first']);
  expect(content()).toEqual(before);
  expect([ran.exit, ran.stderr]).toEqual([
    1,
    expect.stringContaining(`${folder}/${name} is a link, and in the folder of a session links are not followed`),
  ]);
});

test('a journal that is a link is neither shown nor changed', () => {
  const project = bundled.project({ ...diary() });
  const { content } = withLink(project, 'journal.jsonl');
  for (const args of [
    ['show', 'first'],
    ['log', 'first'],
    ['task', 'add', 'x', '--session', 'first'],
    ['repair', 'first', '--yes'],
  ]) {
    const ran = project.run(args);
    expect(`${ran.stdout}${ran.stderr}`).not.toContain('precious');
    expect(content()).toBe('precious, and without a newline');
  }
});

test('a journal that is a second name of another file is not written', () => {
  const project = bundled.project({ ...diary(), '~/precious': 'without a newline' });
  mkdirSync(project.pathOf(folder), { recursive: true });
  linkSync(project.pathOf('~/precious'), project.pathOf(`${folder}/journal.jsonl`));
  expect(project.run(['resume', 'first'])).toMatchObject({ exit: 1, stderr: expect.stringContaining('hard link') });
  expect(project.read('~/precious')).toBe('without a newline');
});
