import { expect, test } from 'vitest';
import { gitEventNames, gitEventsOf } from './git-events.ts';

const eventsOf = async (input: unknown, facts = {}) =>
  (await gitEventsOf({ name: 'tool.calling', tool: 'Bash', input, facts }, () => true)).map(({ name }) => name);

test('a shell call whose command nobody finds may commit and make a branch', async () => {
  expect(await eventsOf({ program: 'git', with: ['commit'] })).toEqual(gitEventNames);
  expect(await eventsOf({ argv: ['git', 'commit'] })).toEqual(['commit.creating']);
  expect(await eventsOf({ command: 'ls' })).toEqual([]);
  expect(await eventsOf({ command: 'ls' }, { names: ['git_*'] })).toEqual(gitEventNames);
});
