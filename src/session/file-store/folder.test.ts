import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkSessionName, childFiles, iterationPaths, makeSessionName, sessionFiles } from '../paths.ts';
import { createFileStore } from './file-store.ts';
import { checkSessionFolder, createSessionFolder, furnishSessionFolder } from './folder.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-session-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const hostile = ['..', '.', '', 'a/b', 'a\\b', 'a\0b', '-rf', '_a', '.git', 'a.b', 'ä', 'a b', 'a\n', 'a'.repeat(65)];

describe('a session name', () => {
  test.each(['a', '0', 'release-20261115-221758', 'A_b-C', 'a'.repeat(64)])('%s is good', name =>
    expect(checkSessionName(name)).toEqual({ kind: 'good' }),
  );

  test.each([...hostile, 'x'.repeat(300)])('%j is refused, with a reason of one line', name => {
    const checked = checkSessionName(name);
    expect(checked).toMatchObject({ kind: 'bad' });
    if (checked.kind === 'bad') expect(checked.reason).toMatch(/^[\x20-\x7eä]{20,160}$/);
  });

  test.each(hostile)('%j never becomes a path', name => expect(() => sessionFiles(root, name)).toThrow(RangeError));

  test('is made from the pipeline and the time', () => {
    const now = new Date(2026, 10, 5, 7, 8, 9);
    expect(makeSessionName('release', now)).toBe('release-20261105-070809');
    expect(makeSessionName('release', now, 2)).toBe('release-20261105-070809-2');
    for (const name of [...hostile, 'x'.repeat(300), 'full workflow.v2'])
      expect(checkSessionName(makeSessionName(name, now, 10))).toEqual({ kind: 'good' });
    expect(makeSessionName('full workflow.v2', now)).toBe('full-workflow-v2-20261105-070809');
    expect(makeSessionName('..', now)).toBe('session-20261105-070809');
  });
});

test('paths are where the command line contract says', () => {
  const paths = sessionFiles('/p', 'night');
  const within = '/p/.hookloop/sessions/night';
  expect(paths).toMatchObject({
    folder: within,
    progress: `${within}/progress.md`,
    current: { context: `${within}/current/context.json`, status: `${within}/current/status.json` },
    children: `${within}/children`,
    hooks: `${within}/hooks`,
    inputs: `${within}/inputs.json`,
  });
  expect(iterationPaths(paths, { index: 0, id: 'plan' }, 1)).toEqual({
    folder: `${within}/stage-00-plan/iterations/001`,
    stageFolder: `${within}/stage-00-plan`,
    prompt: `${within}/stage-00-plan/iterations/001/prompt.md`,
    context: `${within}/stage-00-plan/iterations/001/context.json`,
    status: `${within}/stage-00-plan/iterations/001/status.json`,
    output: `${within}/stage-00-plan/iterations/001/output.md`,
  });
  expect(iterationPaths(paths, { index: 12, id: 'work' }, 1234).folder).toBe(`${within}/stage-12-work/iterations/1234`);
  expect(childFiles(paths, 'on_error', 3).folder).toBe(`${within}/children/on_error-3`);
  expect(childFiles(paths, 'on_error', 0, 2).folder).toBe(`${within}/children/on_error-0-2`);
  for (const id of ['..', 'a/b', '.git', '']) {
    expect(() => iterationPaths(paths, { index: 0, id }, 1)).toThrow(RangeError);
    expect(() => childFiles(paths, id, 1)).toThrow(RangeError);
  }
});

describe('the session folder', () => {
  test('is new, only for its user, and has a progress file', () => {
    const paths = sessionFiles(root, 'night');
    expect(createSessionFolder(paths)).toEqual({ kind: 'created' });
    furnishSessionFolder(paths);
    expect([paths.folder, join(root, '.hookloop/sessions'), paths.current.folder].map(modeOf)).toEqual([
      ...['700', '700', '700'],
    ]);
    expect(modeOf(paths.progress)).toBe('600');
    expect(readFileSync(paths.progress, 'utf8')).toBe('# Progress of night\n\n');
    expect(readdirSync(paths.folder).sort()).toEqual(['current', 'progress.md']);
    expect(checkSessionFolder(paths)).toEqual({ kind: 'found' });
  });

  test('that exists is reported and left as it is', () => {
    const paths = sessionFiles(root, 'night');
    createSessionFolder(paths);
    writeFileSync(paths.progress, 'learned');
    expect(createSessionFolder(paths)).toEqual({ kind: 'exists' });
    expect(readFileSync(paths.progress, 'utf8')).toBe('learned');
  });

  test('does not show in git, and neither does the file that hides it', () => {
    execFileSync('git', ['init', '-q'], { cwd: root });
    createSessionFolder(sessionFiles(root, 'night'));
    mkdirSync(join(root, '.hookloop/pipelines'));
    writeFileSync(join(root, '.hookloop/pipelines/a.yaml'), 'prompt: Do it.');
    const status = execFileSync('git', ['status', '--porcelain', '-uall'], { cwd: root, encoding: 'utf8' });
    expect(status).toBe('?? .hookloop/pipelines/a.yaml\n');
  });

  test('leaves a .gitignore that is there alone', () => {
    mkdirSync(join(root, '.hookloop'));
    writeFileSync(join(root, '.hookloop/.gitignore'), 'mine');
    expect(createSessionFolder(sessionFiles(root, 'night'))).toEqual({ kind: 'created' });
    expect(readFileSync(join(root, '.hookloop/.gitignore'), 'utf8')).toBe('mine');
  });

  test('of a child stands inside its parent', () => {
    const parent = sessionFiles(root, 'night');
    createSessionFolder(parent);
    const child = childFiles(parent, 'on_error', 1);
    expect([createSessionFolder(child), createSessionFolder(child)]).toEqual([{ kind: 'created' }, { kind: 'exists' }]);
    expect(modeOf(child.folder)).toBe('700');
  });

  test.each(['.hookloop', '.hookloop/sessions', '.hookloop/sessions/night'])(
    'is refused where %s is a link, and nothing is written behind it',
    async link => {
      const elsewhere = join(root, 'elsewhere');
      mkdirSync(join(elsewhere, 'sessions/night'), { recursive: true });
      mkdirSync(join(root, link, '..'), { recursive: true });
      symlinkSync(elsewhere, join(root, link));
      const paths = sessionFiles(root, 'night');
      expect(createSessionFolder(paths)).toEqual({ kind: 'failed', reason: expect.stringContaining('is a link') });
      expect(readdirSync(elsewhere, { recursive: true }).sort()).toEqual(['sessions', 'sessions/night']);
      expect(checkSessionFolder(paths).kind).toMatch(/failed|absent/);
      expect(await createFileStore({ root, state: undefined, cache: undefined }).list()).toEqual([]);
    },
  );

  test('is unsafe where a link above it leads to a real session folder elsewhere', () => {
    const other = join(root, 'other');
    mkdirSync(join(other, '.hookloop/sessions/night'), { recursive: true });
    symlinkSync(join(other, '.hookloop'), join(root, '.hookloop'));
    expect(checkSessionFolder(sessionFiles(root, 'night'))).toMatchObject({ kind: 'failed' });
  });

  test('works where the project itself is reached through a link', () => {
    const project = join(root, 'project');
    mkdirSync(project);
    symlinkSync(project, join(root, 'link'));
    expect(createSessionFolder(sessionFiles(join(root, 'link'), 'night'))).toEqual({ kind: 'created' });
    expect(checkSessionFolder(sessionFiles(join(root, 'link'), 'night'))).toEqual({ kind: 'found' });
  });

  test('that cannot be made says why', () => {
    writeFileSync(join(root, '.hookloop'), 'a file');
    expect(createSessionFolder(sessionFiles(root, 'night'))).toMatchObject({ kind: 'failed' });
    writeFileSync(join(root, 'x'), '');
    expect(checkSessionFolder(sessionFiles(join(root, 'x'), 'night'))).toMatchObject({ kind: 'failed' });
    expect(checkSessionFolder(sessionFiles(join(root, 'none'), 'night'))).toEqual({ kind: 'absent' });
  });

  test.skipIf(process.getuid?.() === 0)('that may not be made says so', () => {
    chmodSync(root, 0o500);
    const made = createSessionFolder(sessionFiles(root, 'night'));
    chmodSync(root, 0o700);
    expect(made).toMatchObject({ kind: 'failed', reason: expect.stringContaining('permission denied') });
  });
});

test('sessions are listed with the one that changed last first; links and foreign things are left aside', async () => {
  const store = createFileStore({ root, state: undefined, cache: undefined });
  expect(await store.list()).toEqual([]);
  for (const [name, seconds] of [
    ['old', 1000],
    ['new', 3000],
    ['middle', 2000],
  ] as const) {
    const paths = sessionFiles(root, name);
    createSessionFolder(paths);
    writeFileSync(join(paths.folder, 'journal.jsonl'), '');
    utimesSync(join(paths.folder, 'journal.jsonl'), seconds, seconds);
  }
  createSessionFolder(sessionFiles(root, 'unborn'));
  const sessions = join(root, '.hookloop/sessions');
  symlinkSync(join(sessions, 'old'), join(sessions, 'link'));
  mkdirSync(join(sessions, '.git'));
  writeFileSync(join(sessions, 'file'), '');
  expect((await store.list()).map(({ name, changedMs }) => [name, changedMs])).toEqual([
    ['new', 3_000_000],
    ['middle', 2_000_000],
    ['old', 1_000_000],
    ['unborn', null],
  ]);
  expect(existsSync(join(sessions, 'link'))).toBe(true);
});
