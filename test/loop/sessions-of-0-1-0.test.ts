import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { StoredEntry } from '../../src/model/record.ts';
import { decodeLine, encodeLine } from '../../src/session/file-store/journal-lines.ts';
import { createLogEntries } from '../../src/session/log-entries.ts';
import { bundleForTests, type Project, processesOf } from './project.ts';

/** What hookloop 0.1.0 wrote, and what it told of it: see the README there. */
const fixtures = fileURLToPath(new URL('../fixtures/sessions-0.1.0', import.meta.url));
const bundled = await bundleForTests();
const child = 'parent/on_iteration_complete-1';
const names = ['completed', 'crashed', 'interrupted', 'failed', 'parent', child];

test('runs tells them as 0.1.0 did', () => {
  const told = JSON.parse(toldBy010('runs.json')) as object[];
  const now = JSON.parse(tell(withSessions(), ['runs', '--json'])) as object[];
  const byName = (list: object[]) => Object.fromEntries(list.map(one => [(one as { session: string }).session, one]));
  expect(now).toHaveLength(5);
  expect(byName(now)).toMatchObject(byName(told));
});

test.each(names)('show and log tell %s as 0.1.0 did', name => {
  const project = withSessions();
  const file = name.replace('/', '-');
  const shown: unknown = JSON.parse(tell(project, ['show', name, '--json']));
  expect(shown).toMatchObject(JSON.parse(toldBy010(`${file}.show.json`)) as object);
  const { status } = shown as { status: string };
  expect(tell(project, ['show', name]).split('\n')[0]).toBe(`${name}  ${status}`);
  // 0.1.0 printed the records themselves.
  const records = linesOf(here(toldBy010(`${file}.log.jsonl`), project.project)) as StoredEntry[];
  expect(linesOf(tell(project, ['log', name, '--json']))).toMatchObject(records.flatMap(createLogEntries()));
});

test('none of them is damaged', () => {
  const project = withSessions();
  for (const name of names.filter(name => name !== child))
    expect(project.run(['repair', name, '--yes']), name).toMatchObject({ exit: 0 });
});

const open = ['crashed', 'interrupted', 'failed'] as const;

test.each(open)('%s does not go on unseen, and one sentence says why and what to do', name => {
  const project = withSessions();
  const before = project.journal(name);
  for (const more of [[], ['--accept-changes']]) {
    const refused = project.run(['resume', name, ...more]);
    const why = `nothing shows that you started session ${name} here (versions before 0.2 did not note it). Its journal decides which agent runs (scripted:script.yaml) and which hooks: look at ${project.pathOf(`.hookloop/sessions/${name}/journal.jsonl`)}, then run in a terminal: hookloop resume ${name} --accept-changes`;
    expect(refused).toEqual({ exit: 2, stdout: '', stderr: `hookloop resume: nothing was run: ${why}\n` });
  }
  expect(project.journal(name)).toEqual(before);
});

test.each(open)('%s goes on in a terminal, once a person has looked at it', name => {
  const project = withSessions();
  // The agent manages this time, and takes no time.
  project.write('again', '');
  project.write('script.yaml', project.read('script.yaml').replace('fail: it cannot be done', 'text: done'));
  const before = project.journal(name);
  const { printed, exit } = inTerminal(project, ['resume', name, '--accept-changes']);
  expect([printed, exit]).toEqual([printed, 0]);
  const entries = project.journal(name);
  expect(entries.slice(0, before.length)).toEqual(before);
  expect(entries[before.length]).toMatchObject({ kind: 'session.resumed', run: { number: 2 } });
  expect(entries.at(-1)).toMatchObject({ kind: 'session.closed', status: 'completed' });
  expect(processesOf(project, name)).toEqual([]);
  const [shown] = (JSON.parse(tell(project, ['runs', '--json'])) as { session: string }[]).filter(
    ({ session }) => session === name,
  );
  expect(shown).toMatchObject({ status: 'completed', runs: 2, iterations: 1 });
});

test.each(['completed', 'parent'])('%s is completed: nothing is left to do, and nothing is done', name => {
  const project = withSessions();
  const before = project.journal(name);
  const ran = project.run(['resume', name]);
  const why = `session ${name} is finished; hookloop show ${name} shows how it went`;
  expect(ran).toEqual({ exit: 0, stdout: '', stderr: `hookloop resume: ${why}\n` });
  expect(project.journal(name)).toEqual(before);
});

const toldBy010 = (file: string): string => readFileSync(join(fixtures, 'told', file), 'utf8');

/** A project with these sessions, as if 0.1.0 had run in it. */
function withSessions(): Project {
  const project = bundled.project({});
  const sessions = project.pathOf('.hookloop/sessions');
  cpSync(join(fixtures, 'project'), project.project, { recursive: true });
  cpSync(join(fixtures, 'sessions'), sessions, { recursive: true, verbatimSymlinks: true });
  for (const path of readdirSync(sessions, { recursive: true, encoding: 'utf8' }).map(name => join(sessions, name)))
    if (statSync(path).isFile()) moveHere(path, project.project);
  return project;
}

function moveHere(path: string, root: string): void {
  const text = readFileSync(path, 'utf8');
  if (!path.endsWith('.jsonl')) {
    writeFileSync(path, here(text, root));
    return;
  }
  const lines = text.split('\n').slice(0, -1);
  const entries = lines.map(line => {
    const entry = decodeLine(Buffer.from(line));
    if (typeof entry === 'string') throw new Error(`${path}: ${entry}`);
    return JSON.parse(here(JSON.stringify(entry), root)) as object;
  });
  writeFileSync(path, Buffer.concat(entries.map(encodeLine)));
}

const here = (text: string, root: string): string => text.replaceAll('/tmp/project', root);

const linesOf = (text: string): object[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as object);

function tell(project: Project, args: readonly string[]): string {
  const { exit, stdout, stderr } = project.run(args);
  expect([exit, stderr]).toEqual([0, '']);
  return stdout;
}

/** Runs the program in a terminal of its own, and copies what it prints there. */
const terminal = `
import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
`;

function inTerminal(project: Project, args: readonly string[]): { printed: string; exit: number | null } {
  const { stdout, status } = spawnSync('python3', ['-c', terminal, process.execPath, bundled.program, ...args], {
    cwd: project.project,
    env: { PATH: process.env['PATH'], HOME: project.home, LANG: 'C.UTF-8', TERM: 'dumb' },
    encoding: 'utf8',
    timeout: 100_000,
  });
  return { printed: stdout, exit: status };
}
