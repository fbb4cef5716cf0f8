import { existsSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SessionEntry } from '../../src/model/record.ts';
import type { SessionView } from '../../src/model/view.ts';
import { encodeLine } from '../../src/session/file-store/journal-lines.ts';
import { runHere } from '../here.ts';
import { bundleForTests, diary, diaryAgent, eventually, type Project } from './project.ts';

const bundled = await bundleForTests();
const folder = '.hookloop/sessions/s';
const journal = `${folder}/journal.jsonl`;

const hooks = (events: Readonly<Record<string, object>>): Record<string, string> => ({
  'hookloop.yaml': JSON.stringify({
    hooks: Object.fromEntries(Object.entries(events).map(([name, hook]) => [name, [{ type: 'shell', ...hook }]])),
  }),
});

const begin = (project: Project) => project.start(['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'go']);

const ofHook = (entries: readonly SessionEntry[], event: string) =>
  entries.filter(entry => entry.kind.startsWith('hook.') && 'event' in entry && entry.event === event);

test('a hook that no one waits for has its end in the journal, before the end of the session', () => {
  const project = bundled.project({
    ...diary(),
    // It ends when the session would be over already.
    ...hooks({
      'iteration.starting': {
        await: false,
        command: 'until test -e ~/over; do sleep 0.02; done; sleep 0.3; echo late; exit 3',
      },
      'session.ended': { await: true, command: 'touch ~/over' },
    }),
  });
  expect(project.talk(['--prompt', 'go']).exit).toBe(0);
  const entries = project.journal('s');
  expect(ofHook(entries, 'iteration.starting')).toMatchObject([
    { kind: 'hook.started' },
    {
      kind: 'hook.finished',
      result: { status: 'finished', outcome: { kind: 'exited', exitCode: 3, stdout: 'late\n' } },
    },
  ]);
  expect(entries.at(-1)!.kind).toBe('session.closed');
  const shown = JSON.parse(project.run(['show', 's', '--json']).stdout) as SessionView;
  expect(shown.hooks[0]).toMatchObject({ event: 'iteration.starting', status: 'finished', outcome: { exitCode: 3 } });
});

test('one that is stopped at the end has had its time: the journal says so, and resume does not run it again', async () => {
  const project = bundled.project({
    ...diary({ 1: 'test -e ~/again || { touch ~/again; sleep 300; }' }),
    ...hooks({ 'iteration.starting': { await: false, command: 'echo x >> ~/background; sleep 300' } }),
  });
  const started = begin(project);
  await eventually(() => project.lines('~/background').length > 0 && existsSync(project.pathOf('~/again')));
  started.process.kill('SIGINT');
  expect((await started.ended).code).toBe(130);
  expect(ofHook(project.journal('s'), 'iteration.starting')).toMatchObject([
    { kind: 'hook.started' },
    { kind: 'hook.finished', result: { outcome: { kind: 'cancelled' } } },
  ]);
  expect(project.run(['resume', 's']).exit).toBe(0);
  expect(project.lines('~/background')).toEqual(['x']);
});

test('the second signal ends it at once: the journal says interrupted, and the line that goes on is printed', async () => {
  const project = bundled.project({
    ...diary({ 1: 'test -e ~/again || { echo x > ~/again; sleep 300; }' }),
    ...hooks({ 'session.ended': { await: true, command: 'echo x >> ~/ending; test -e ~/quick || sleep 300' } }),
  });
  const started = begin(project);
  await eventually(() => project.lines('~/again').length > 0);
  started.process.kill('SIGINT');
  await eventually(() => project.lines('~/ending').length > 0);
  started.process.kill('SIGINT');
  expect(await started.ended).toEqual({ code: 130, signal: null });
  expect(project.journal('s').at(-1)).toMatchObject({
    kind: 'session.closed',
    status: 'interrupted',
    reason: 'at once',
  });
  expect(started.stderr()).toContain('Continue with: hookloop resume s\n');
  project.write('~/quick', '');
  expect(project.run(['resume', 's']).exit).toBe(0);
});

const noCrash = /this is a bug|\n\s+at /;

test.each([
  ['removed', `rm ${journal}`],
  ['replaced by that of another session', `cp .hookloop/sessions/other/journal.jsonl x; mv x ${journal}`],
])('a journal that is %s while it is written ends the session, and nothing that is there is lost', (how, harm) => {
  const project = bundled.project({ ...diary({ 2: `echo note >> $PROGRESS; ${harm}`, 3: 'echo note >> $PROGRESS' }) });
  expect(project.run(['run', '--agent', diaryAgent, '--session', 'other', '--prompt', 'go']).exit).toBe(0);
  const other = project.read('.hookloop/sessions/other/journal.jsonl');
  const ran = project.talk(['--prompt', 'go', '--max-iterations', '2']);
  expect([ran.exit, project.heard().length]).toEqual([1, 2]);
  expect(ran.stderr).toMatch(/the journal cannot be written: .*removed or replaced/);
  expect(ran.stderr).not.toMatch(noCrash);
  expect(existsSync(project.pathOf(journal)) && project.read(journal)).toBe(how === 'removed' ? false : other);
  expect(project.talk(['--prompt', 'anew'])).toMatchObject({ exit: 64, stderr: expect.stringContaining('already') });
  expect(project.lines(`${folder}/progress.md`)).toEqual(['# Progress of s', '', 'note']);
});

test.each(['empty', 'gone'])(
  'a session whose journal is %s cannot go on, and is not begun anew over what it has made',
  async how => {
    const project = bundled.project(diary({ 1: 'echo note >> $PROGRESS; exit 1', 2: 'echo note >> $PROGRESS' }));
    expect(project.talk(['--prompt', 'go']).exit).toBe(1);
    const lose = () =>
      how === 'empty' ? project.write(journal, '') : rmSync(project.pathOf(journal), { force: true });
    lose();
    const text = 'the journal of s is lost: it has run, but journal.jsonl is empty or gone; what it produced is in';
    for (const command of [
      ['show', 's'],
      ['log', 's'],
      ['log', 's', '--follow'],
      ['repair', 's'],
      ['resume', 's'],
    ]) {
      const ran = command[0] === 'resume' ? project.run(command) : await runHere(project, command);
      expect([command, ran.exit, ran.stderr]).toEqual([command, 65, expect.stringContaining(text)]);
      expect(ran.stderr).not.toMatch(noCrash);
    }
    lose();
    const shown = (await runHere(project, ['show', 's'])).stdout;
    expect(shown).toMatch(/^s {2}lost\nthe journal of s is lost/);
    expect(shown).not.toMatch(/NEXT|cut short/);
    const runs = await runHere(project, ['runs', '--json']);
    expect(JSON.parse(runs.stdout)).toMatchObject([{ session: 's', status: 'lost' }]);
    expect(await runHere(project, ['task', 'add', 'x', '--session', 's'])).toMatchObject({
      exit: 65,
      stderr: expect.stringContaining('it has run, but its journal is empty or gone'),
    });
    expect(project.talk(['--prompt', 'anew']).exit).toBe(64);
    expect(project.lines(`${folder}/progress.md`)).toEqual(['# Progress of s', '', 'note']);
    expect(project.heard()).toHaveLength(1);
  },
);

test('the journal of another session in its place is refused, told by its name, and left as it is', async () => {
  const project = bundled.project(diary({ 2: 'exit 1' }));
  expect(project.run(['run', '--agent', diaryAgent, '--session', 'other', '--prompt', 'go']).exit).toBe(0);
  expect(project.talk(['--prompt', 'go']).exit).toBe(1);
  const own = project.read(journal);
  const other = project.read('.hookloop/sessions/other/journal.jsonl');
  project.write(journal, other);
  for (const command of ['resume', 'show', 'log', 'repair']) {
    const ran = command === 'resume' ? project.run([command, 's']) : await runHere(project, [command, 's']);
    expect([command, ran.exit]).toEqual([command, 65]);
    expect(ran.stderr).toMatch(/the journal of s is lost: .* is that of session other; restore its own to continue\n$/);
  }
  expect([project.read(journal), project.heard().length]).toEqual([other, 2]);
  project.write(journal, own);
  const [{ session, ...older }, ...rest] = project.journal('s') as [
    SessionEntry & { session?: string },
    ...SessionEntry[],
  ];
  expect(session).toBe('s');
  project.write(journal, Buffer.concat([older, ...rest].map(encodeLine)).toString());
  expect(project.run(['resume', 's'])).toMatchObject({ exit: 0 });
});

const inTheWay = `rm -rf ${folder}/stage-00-work && touch ${folder}/stage-00-work`;

test.each([
  ['before a turn', { 'iteration.starting': { await: true, command: `test -e ~/fixed || { ${inTheWay}; }` } }, ''],
  ['after a turn', {}, `test -e ~/fixed || { ${inTheWay}; }`],
])('a system error on the session folder %s is how the session ends: told, with the last hooks', (_, events, turn) => {
  const project = bundled.project({
    ...diary({ 0: turn || 'true' }),
    ...hooks({
      ...events,
      'session.failed': { await: true, command: 'echo "failed: $HOOK_ERROR" >> ~/ends' },
      'session.ended': { await: true, command: 'echo ended >> ~/ends' },
    }),
  });
  const ran = project.talk(['--prompt', 'go']);
  const told = /the session's files cannot be used: E(NOTDIR|EXIST|NOENT)/;
  expect([ran.exit, ran.stderr.replaceAll(/\s+/g, ' ')]).toEqual([1, expect.stringMatching(told)]);
  expect(ran.stderr).not.toMatch(noCrash);
  expect(project.lines('~/ends')).toEqual([expect.stringMatching(told), 'ended']);
  const reason = expect.stringMatching(told);
  expect(project.journal('s').at(-1)).toMatchObject({ kind: 'session.closed', status: 'failed', reason });
  project.write('~/fixed', '');
  project.run([], { shell: `rm ${folder}/stage-00-work` });
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
});
