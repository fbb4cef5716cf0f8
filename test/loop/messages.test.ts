import { expect, test } from 'vitest';
import { bundleForTests, diary } from './project.ts';

const bundled = await bundleForTests();

test('what a hook has to say to the person is shown and kept, and does not reach the agent', () => {
  const answer = JSON.stringify({ systemMessage: 'budget is nearly used up' });
  const hooks = [{ type: 'command', command: `echo '${answer}'` }];
  const project = bundled.project({
    ...diary(),
    '.claude/settings.json': JSON.stringify({ hooks: { Stop: [{ hooks }] } }),
  });
  const ran = project.talk(['--prompt', 'go']);
  expect([ran.stderr, ran.exit]).toEqual([expect.stringContaining('says: budget is nearly used up'), 0]);
  expect(project.run(['log', 's']).stdout).toContain('says: budget is nearly used up');
  const finished = project.journal('s').find(entry => entry.kind === 'hook.finished');
  expect(finished).toMatchObject({ result: { message: 'budget is nearly used up' } });
  expect(project.heard().map(({ text }) => text)).toEqual(['go']);
});
