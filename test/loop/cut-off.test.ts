import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bundleForTests, diary, diaryAgent, eventually, type Project, type Started } from './project.ts';

const bundled = await bundleForTests();

const codes = { SIGINT: 130, SIGKILL: null } as const;

const begin = (project: Project, args: readonly string[] = ['--prompt', 'go']): Started =>
  project.start(['run', '--agent', diaryAgent, '--session', 's', ...args]);

async function end({ process, ended }: Started, signal: keyof typeof codes): Promise<void> {
  process.kill(signal);
  expect((await ended).code).toBe(codes[signal]);
}

function expectResumed(project: Project): void {
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
}

describe('a hook that waits for its next try', () => {
  const retried = (fields: string, delay: number): string =>
    `hooks: { session.starting: [{ ${fields}, await: true, on_failure: retry, retries: 5, retry_delay: ${delay}, then: abort }] }\n`;

  test.each(['SIGINT', 'SIGKILL'] as const)('is tried again after %s and resume', async signal => {
    const command = 'echo $$ >> ~/tries; test -e ~/ok';
    const project = bundled.project({
      ...diary(),
      'hookloop.yaml': retried(`type: shell, command: '${command}'`, 40),
    });
    const started = begin(project);
    await eventually(() => project.lines('~/tries').length > 0);
    // Its process is gone, so what is left of it is the pause.
    await eventually(() => !existsSync(`/proc/${project.lines('~/tries')[0]}`));
    await end(started, signal);
    expect(project.journal('s').filter(({ kind }) => kind === 'hook.finished')).toEqual([]);
    project.write('~/ok', '');
    expectResumed(project);
    expect(project.lines('~/tries')).toHaveLength(2);
  });

  test('starts its next child after Ctrl-C and resume, and does not run the failed one again', async () => {
    const project = bundled.project({
      ...diary(),
      'hookloop.yaml': retried('type: spawn, pipeline: child', 1),
      'pipelines/child.yaml': 'agent: "command:echo x >> ~/tries; test -e ~/ok"\nprompt: go on\n',
    });
    const started = begin(project);
    const child = '.hookloop/sessions/s/children/session.starting-0/state.json';
    await eventually(() => existsSync(project.pathOf(child)) && project.read(child).includes('"failed"'));
    await end(started, 'SIGINT');
    project.write('~/ok', '');
    expectResumed(project);
    expect(project.lines('~/tries')).toHaveLength(2);
  });
});

describe('what an iteration has changed', () => {
  const told = (event: string): string =>
    `  ${event}: [{ type: shell, await: true, command: 'echo ${event} $CHANGED_FILES >> ~/told' }]\n`;
  const work = 'echo new > new.py; echo more >> old.py; rm gone.py';
  const wait = 'test -e ~/ok || { touch ~/waits; sleep 300; }';
  const moments = {
    'a gate': { ...diary({ 1: work }), '.sauna/hooks.json': JSON.stringify([`echo formatted > neat.py; ${wait}`]) },
    'the turn': diary({ 1: `${work}; echo formatted > neat.py; ${wait}` }),
  };

  function worked(moment: keyof typeof moments, events: readonly string[], isRepository: boolean): Project {
    const project = bundled.project({
      ...moments[moment],
      'old.py': 'old',
      'gone.py': 'gone',
      'untouched.py': 'as it was',
      'hookloop.yaml': `hooks:\n${events.map(told).join('')}`,
    });
    const git = (...args: string[]): unknown =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: project.project });
    if (isRepository) {
      git('init', '-q');
      git('add', '.');
      git('commit', '-qm', 'first');
      project.write('untouched.py', 'changed before');
    }
    return project;
  }

  async function endWhileItWaits(project: Project, signal: keyof typeof codes): Promise<void> {
    const started = begin(project);
    await eventually(() => existsSync(project.pathOf('~/waits')));
    await end(started, signal);
    project.write('~/ok', '');
  }

  const both = ['iteration.completed', 'stage.completed'];
  const files = 'gone.py neat.py new.py old.py';

  test.each([
    ['SIGINT', 'a gate', true],
    ['SIGINT', 'the turn', false],
    ['SIGKILL', 'a gate', false],
    ['SIGKILL', 'the turn', true],
  ] as const)('is known after %s in %s and resume; in a repository: %s', async (signal, moment, isRepository) => {
    const project = worked(moment, both, isRepository);
    await endWhileItWaits(project, signal);
    expectResumed(project);
    expect(project.lines('~/told')).toEqual(both.map(event => `${event} ${files}`));
  });

  test('is known however often it is stopped, without what others change meanwhile', async () => {
    const project = worked('the turn', both, false);
    project.write('~/turn-2.sh', `echo second > second.py; rm ~/ok; ${wait}`);
    await endWhileItWaits(project, 'SIGINT');
    project.write('mine.py', 'I was here');
    rmSync(project.pathOf('~/waits'));
    const resumed = project.start(['resume', 's']);
    await eventually(() => existsSync(project.pathOf('~/waits')));
    await end(resumed, 'SIGKILL');
    project.write('~/ok', '');
    expectResumed(project);
    expect(project.lines('~/told')).toEqual(both.map(event => `${event} ${files} second.py`));
  });

  test('is known to the end of a stage that no one else listens to', () => {
    const project = worked('the turn', ['stage.completed'], false);
    project.write('~/ok', '');
    expect(project.talk(['--prompt', 'go']).exit).toBe(0);
    expect(project.lines('~/told')).toEqual([`stage.completed ${files}`]);
  });

  test('is known to an iteration that is done again after it failed', () => {
    const project = worked('a gate', both, false);
    project.write('.sauna/hooks.json', JSON.stringify(['test -e ~/ok']));
    expect(project.talk(['--prompt', 'go', '--max-retries', '0']).exit).toBe(1);
    project.write('~/ok', '');
    expectResumed(project);
    expect(project.lines('~/told')).toEqual(both.map(event => `${event} gone.py new.py old.py`));
  });

  test('is found by the time of the change where there are too many files to remember', async () => {
    const project = worked('the turn', both, false);
    for (let index = 0; index < 250; index += 1) project.write(`many/${index}.txt`, '');
    await endWhileItWaits(project, 'SIGKILL');
    expectResumed(project);
    expect(project.lines('~/told')).toEqual(both.map(event => `${event} neat.py new.py old.py`));
    expect(JSON.stringify(project.journal('s')).length).toBeLessThan(20_000);
  });
});
