import { expect, test } from 'vitest';
import { bundleForTests, diary, diaryAgent, type Project } from './project.ts';

const bundled = await bundleForTests();

/** A gate that is killed with its session when it is asked for the first time, and passes from then on. */
const gate = 'echo "$HOOK_TASK_CONTENT" >> ~/asked; [ -e ~/died ] || { touch ~/died; kill -9 $PPID; sleep 60; }';
const tickBoth = 'sed -i "s/\\[ \\]/[x]/" "$HOME/../project/tasks.md"';

const projectWithNested = (): Project =>
  bundled.project({
    ...diary({ 0: tickBoth }),
    'tasks.md': '- [ ] one\n- [ ] two\n',
    '.sauna/hooks.json': JSON.stringify([gate]),
    'sub/hookloop.yaml': 'hooks: { iteration.starting: [{ type: shell, command: "true" }] }\n',
    'other/hookloop.yaml': 'hooks: { iteration.starting: [{ type: shell, command: "true" }] }\n',
  });
const runIn = (project: Project, folder: string, session: string) =>
  project.run(
    [
      'run',
      '--agent',
      diaryAgent,
      '--session',
      session,
      '--tasks',
      `${project.pathOf('tasks.md')}`,
      '--max-retries',
      '0',
    ],
    { cwd: project.pathOf(folder) },
  );

test.each([
  ['the root around it', '.', 'sub'],
  ['a root inside it', 'sub', '.'],
  ['a root beside it', 'sub', 'other'],
])('boxes that an unfinished session of %s left ticked meet their gates', (_where, first, then) => {
  const project = projectWithNested();
  expect(runIn(project, first, 's').exit).toBe('SIGKILL');
  expect([project.read('tasks.md'), project.lines('~/asked')]).toEqual(['- [x] one\n- [x] two\n', ['one']]);
  const again = runIn(project, then, 's');
  expect([again.stderr, again.exit]).toEqual([again.stderr, 0]);
  expect(project.lines('~/asked')).toEqual(['one', 'one', 'two']);
  // They are proven now, wherever someone asks.
  const third = runIn(project, first, 'third');
  expect([third.stderr, third.exit]).toEqual([third.stderr, 0]);
  expect(project.lines('~/asked')).toEqual(['one', 'one', 'two']);
});
