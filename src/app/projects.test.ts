import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/program.ts';
import { locateSession } from '../session/paths.ts';
import { commandIn, knownProjects, projectId, rememberProject, toProject } from './projects.ts';

function createHome(): { home: string; env: { HOME: string }; folder: string; project(name: string): string } {
  const home = temporaryFolder('projects');
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const project = (name: string): string => {
    mkdirSync(join(home, name));
    return join(home, name);
  };
  return { home, env: { HOME: home }, folder: join(home, '.local/state/hookloop/projects'), project };
}

test('projects are remembered for the user alone, the last one first, each once', () => {
  const { env, folder, project } = createHome();
  const [a, b] = [project('a'), project('b')];
  for (const root of [a, b, a]) rememberProject(env, root);
  utimesSync(join(folder, projectId(b)), 1, 1);
  expect(knownProjects(env)).toEqual([a, b]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, projectId(a))).mode & 0o777).toBe(0o600);
});

test('of many projects the oldest are forgotten', () => {
  const { env, folder, project } = createHome();
  const root = project('a');
  rememberProject(env, root);
  for (let count = 0; count < 150; count += 1) {
    const file = join(folder, count.toString(16).padStart(16, '0'));
    writeFileSync(file, '/gone');
    utimesSync(file, count + 1, count + 1);
  }
  rememberProject(env, root);
  expect(readdirSync(folder)).toHaveLength(100);
  expect(knownProjects(env)).toEqual([root]);
});

test('what no one can have remembered is left aside, and a home that cannot be written stops no one', () => {
  const { home, env, folder, project } = createHome();
  rememberProject(env, project('a'));
  for (const [name, text] of [
    ['0000000000000000', home],
    ['1111111111111111', 'relative'],
    ['notes.txt', home],
  ] as const)
    writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, '2222222222222222'));
  symlinkSync('/dev/zero', join(folder, '3333333333333333'));
  expect(knownProjects(env)).toEqual([join(home, 'a')]);
  rmSync(join(home, 'a'), { recursive: true });
  expect(knownProjects(env)).toEqual([]);
  writeFileSync(join(home, 'file'), '');
  expect(() => rememberProject({ HOME: join(home, 'file') }, home)).not.toThrow();
  expect(knownProjects({})).toEqual([]);
});

test('a command names the project so that a shell takes it for one word', () => {
  const home = '/home/ada';
  expect(commandIn(toProject('/home/ada/code/app', home), 'hookloop runs')).toBe('hookloop runs -C ~/code/app');
  expect(commandIn(toProject('/srv/app', home), 'hookloop runs')).toBe('hookloop runs -C /srv/app');
  expect(commandIn(toProject("/home/ada/it's; rm", home), 'x')).toBe(`x -C '/home/ada/it'\\''s; rm'`);
});

test('the folder of a session tells its project and name', () => {
  expect(locateSession('/p/.hookloop/sessions/s')).toEqual({ root: '/p', name: 's' });
  expect(locateSession('/p/.hookloop/sessions/s/children/a-1/children/b-2')).toEqual({ root: '/p', name: 's/a-1/b-2' });
  for (const other of ['', '/p', 'p/.hookloop/sessions/s', '/p/.hookloop/sessions/', '/p/.hookloop/sessions/s/hooks/x'])
    expect(locateSession(other)).toBeUndefined();
});
