import { expect, test } from 'vitest';
import { createJudgeListener } from './judge-listener.ts';

const answersTo = async (tools: 'none' | 'read', names: readonly string[]): Promise<string[]> =>
  Promise.all(names.map(async tool => (await createJudgeListener(tools).ask({ name: 'tool.calling', tool })).kind));

const looking = ['Read', 'read_file', 'Grep', 'glob', 'list_directory'];
const other = ['Bash', 'Edit', 'write_file', 'WebFetch', 'WebSearch', 'mcp__files__read', 'Task', 'unknown', ''];

test('a judge that may look reads and searches, and does nothing else', async () => {
  expect(await answersTo('read', looking)).toEqual(looking.map(() => 'proceed'));
  expect(await answersTo('read', other)).toEqual(other.map(() => 'block'));
});

test('a judge without tools has none', async () => {
  const all = [...looking, ...other];
  expect(await answersTo('none', all)).toEqual(all.map(() => 'block'));
});

test('what was done without asking is remembered, edits of others are not', async () => {
  const listener = createJudgeListener('read');
  await listener.tell({ name: 'tool.called', tool: 'Read' });
  await listener.tell({ name: 'file.edited', file: 'x' });
  expect(listener.overstepped()).toBeUndefined();
  await listener.tell({ name: 'tool.failed', tool: 'Bash' });
  expect(listener.overstepped()).toBe('Bash');
});
