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
import { asRepository, checkpointsOf } from './repository.ts';

const bundled = await bundleForTests();

const files = {
  'script.yaml': `
repeat: true
turns:
  - when: Hook failed
    text: fixed
    tools: [{ name: Bash, input: { command: touch good } }]
  - when: last words
    text: heard
  - text: worked
    tools: [{ name: Write, input: { file_path: made.txt, content: made } }]
`,
  '.sauna/hooks.json': JSON.stringify(['echo gate >> ~/effects; test -e good']),
  '.iteratr.hooks.yml': `
version: 1
hooks:
  session_start: [{ command: "echo start >> ~/effects; echo from the start", pipe_output: true }]
  pre_iteration: [{ command: "echo pre >> ~/effects" }]
  post_iteration: [{ command: "echo post >> ~/effects; echo last words", pipe_output: true }]
  session_end: [{ command: "echo end >> ~/effects" }]
`,
  'hookloop.yaml': `
hooks:
  session.completed: [{ type: shell, await: true, command: 'echo "after $STAGE $LAST_DECISION" >> ~/effects' }]
  session.ended: [{ type: shell, await: true, command: 'echo "end of $STAGE" >> ~/effects' }]
`,
  'config.toml': `
[[agent.hooks]]
event = "after_edit"
command = "echo edited >> ~/effects; echo look at {file}"
`,
};

/** `edited` twice: the file that is written, and the one that a command makes. */
const expected = [
  ...['start', 'pre', 'edited', 'gate', 'edited', 'gate', 'post'],
  ...['after work continue', 'end', 'end of work'],
];

const args = ['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'work', '--quiet'];

/** How often each hook ran, and which the journal knows to be finished. */
function stateOf(project: Project) {
  const effects = tryRead(project, '~/effects').split('\n').filter(Boolean);
  let entries: ReturnType<Project['journal']> = [];
  try {
    entries = project.journal('s');
  } catch {
    // Killed before there was one.
  }
  const finished = entries.filter(entry => entry.kind === 'hook.finished');
  const started = entries.filter(entry => entry.kind === 'hook.started');
  return { effects, entries, finished: new Set(finished.map(({ key }) => key)), started };
}

function tryRead(project: Project, path: string): string {
  try {
    return project.read(path);
  } catch {
    return '';
  }
}

const count = (list: readonly string[], item: string): number => list.filter(each => each === item).length;

/** The program in a project, with a fault at some call on the session's files. */
function runWithFault(project: Project, call: string, fault: string): Promise<Ran> {
  const folder = join(project.project, '.hookloop/sessions/s');
  const iteration = 'stage-00-work/iterations/001';
  const names = ['', 'journal.jsonl', 'progress.md', 'inputs.json', 'current', 'current/context.json'];
  const inIteration = ['', 'prompt.md', 'context.json', 'output.md'].map(name => join(iteration, name));
  // The names that are renamed are temporary ones, so every rename counts.
  const paths = call === 'rename' ? [] : [...names, ...inIteration].map(name => join(folder, name));
  return runInjected(`${call}:${fault}`, paths, [...programIn(project), ...args]);
}

const programIn = (project: Project): string[] => [
  ...['env', `HOME=${project.home}`, process.execPath, bundled.program, '-C', project.project],
];

const resume = (project: Project): Promise<Ran> => run([...programIn(project), 'resume', 's', '--quiet']);

/** Kills the program at the n-th call on the session's files for n = 1, 2, ... until a run gets through. */
async function sweep(call: string): Promise<number> {
  let points = 0;
  for (let when = 1; ; when += stride) {
    const project = asRepository(bundled.project(files));
    const killed = await runWithFault(project, call, `signal=SIGKILL:when=${when}`);
    if (killed.code === 0) return points;
    points += 1;
    const before = stateOf(project);
    const resumed = await resume(project);
    const told = `${call} ${when}: ${resumed.stderr}`;
    // Nothing was acknowledged before the first record: then there is no session to go on with.
    if (before.entries.length === 0) {
      expect([1, 64], told).toContain(resumed.code);
      continue;
    }
    expect([told, resumed.code]).toEqual([told, 0]);
    const after = stateOf(project);
    for (const key of before.finished) {
      const runs = after.started.filter(entry => entry.key === key).length;
      expect([key, runs]).toEqual([key, before.started.filter(entry => entry.key === key).length]);
    }
    for (const name of new Set(expected)) {
      const ran = count(after.effects, name);
      expect([told, name, ran >= count(expected, name), ran <= count(expected, name) + 1]).toEqual([
        told,
        name,
        true,
        true,
      ]);
    }
    expect([told, heardLast(after.entries)]).toEqual([told, true]);
    const repeated = after.started.filter(({ attempt }) => attempt > 1);
    expect(repeated.every(({ cause }) => cause === 'crash')).toBe(true);
    expect(after.effects.length - expected.length).toBeLessThanOrEqual(2);
    const made = checkpointsOf(project);
    expect([told, made.map(({ n, what }) => `${n} ${what}`)]).toEqual([
      told,
      ['0 before the session', '1 iteration 1 of work'],
    ]);
    const refs = project.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/hookloop').trim();
    expect([told, refs]).toEqual([told, made.map(({ ref, oid }) => `${ref} ${oid}`).join('\n')]);
    expect(after.entries.at(-1)).toMatchObject({ kind: 'session.closed', status: 'completed' });
  }
}

/** What waited for the agent at the end has reached it. */
const heardLast = (entries: ReturnType<Project['journal']>): boolean =>
  entries.some(
    entry =>
      entry.kind === 'step.done' &&
      entry.key.includes('/delivery/') &&
      (entry.value as { text?: string } | undefined)?.text === 'heard',
  );

/** Every n-th call is a kill point; with 1 all of them are, which takes minutes. */
const stride = Number(process.env['HOOKLOOP_SWEEP_STRIDE'] ?? 4);

describe.skipIf(tellSkipped('the loop under kill -9', whyNoInjection))('a session killed at any moment', () => {
  test.each(['pwrite64', 'fdatasync', 'fsync', 'rename', 'mkdir'])(
    'goes on when it dies in %s: no finished hook runs again, none is lost',
    async call => {
      const points = await sweep(call);
      expect(points).toBeGreaterThan(0);
    },
    600_000,
  );
});

describe.skipIf(tellSkipped('the loop on a failing disk', whyNoInjection))('a disk that fails', () => {
  test.each([
    ['pwrite64', 'ENOSPC', 9],
    ['pwrite64', 'ENOSPC', 20],
    ['fdatasync', 'EIO', 9],
    ['fdatasync', 'EIO', 20],
  ])('in %s with %s ends the session cleanly, and it goes on when the disk is well', async (call, error, when) => {
    const project = bundled.project(files);
    const failed = await runWithFault(project, call, `error=${error}:when=${when}+`);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain(error);
    expect(failed.stderr).not.toContain('this is a bug');
    expect(failed.stderr).toContain('results of the hooks that ran at its end are not kept');
    const before = stateOf(project);
    expect(count(before.effects, 'end')).toBe(1);
    const resumed = await resume(project);
    expect([resumed.stderr, resumed.code]).toEqual([resumed.stderr, 0]);
    const after = stateOf(project);
    const again = after.started.filter(({ key, attempt }) => attempt > 1 && before.finished.has(key));
    expect(again).toEqual([]);
    for (const name of new Set(expected)) expect([name, count(after.effects, name)]).not.toEqual([name, 0]);
  });

  test('while a hook runs that no one waits for ends the session all the same, with all its last hooks', async () => {
    const shell = (command: string, more = '') => `[{ type: shell, command: '${command} >> ~/effects'${more} }]`;
    const project = bundled.project({
      ...files,
      'hookloop.yaml': `hooks:
  session.starting: ${shell('while [ ! -e ~/lost ]; do sleep 0.02; done; echo late', ', await: false')}
  session.failed: ${shell('touch ~/lost; echo failed', ', await: true')}
  session.ended: ${shell('echo ended', ', await: true')}
`,
    });
    const failed = await runWithFault(project, 'pwrite64', 'error=ENOSPC:when=20+');
    expect([failed.code, failed.stderr.includes('this is a bug')]).toEqual([1, false]);
    const { effects } = stateOf(project);
    expect(['failed', 'ended', 'end', 'late'].map(name => count(effects, name))).toEqual([1, 1, 1, 1]);
  });
});
