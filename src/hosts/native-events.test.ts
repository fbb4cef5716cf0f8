import { expect, test } from 'vitest';
import { editedFiles, gitEventNames, gitEventsOf } from './native-events.ts';

const patch = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

test.each<[string, string, unknown, unknown, string[]]>([
  ['a written file', 'Write', { file_path: '/p/a' }, {}, ['/p/a']],
  ['a relative file, from the folder of the agent', 'write_file', { file_path: 'a/../b' }, {}, ['/p/b']],
  ['a file that only the answer names', 'Edit', {}, { filePath: '/p/a' }, ['/p/a']],
  ['several edits of one file', 'MultiEdit', { file_path: '/p/a', edits: [{ old_string: 'x' }, {}] }, {}, ['/p/a']],
  [
    'edits of several files',
    'multi_edit',
    { edits: [{ path: 'a' }, { path: 'b' }, { path: 'a' }] },
    {},
    ['/p/a', '/p/b'],
  ],
  ['a patch in a command', 'apply_patch', { command: patch('*** Add File: a b.ts') }, 'Exit code: 0\n', ['/p/a b.ts']],
  [
    'a patch in a list of words',
    'apply_patch',
    { command: ['apply_patch', patch('*** Update File: a')] },
    '',
    ['/p/a'],
  ],
  ['a patch as the input itself', 'apply_patch', patch('*** Update File: a'), '', ['/p/a']],
  ['a patch with line ends of Windows', 'apply_patch', { input: patch('*** Add File: a\r', '+x\r') }, '', ['/p/a']],
  ['a moved file where it went', 'apply_patch', { input: patch('*** Update File: a', '*** Move to: b') }, '', ['/p/b']],
  ['no deleted file', 'apply_patch', { input: patch('*** Delete File: a') }, '', []],
  ['nothing of a patch that failed', 'apply_patch', { input: patch('*** Add File: a') }, 'Exit code: 1\n', []],
  [
    'nothing that a patch only writes into a file',
    'apply_patch',
    { input: patch('*** Add File: a', '+*** Add File: b') },
    '',
    ['/p/a'],
  ],
  ['nothing for a tool that only reads', 'Read', { file_path: '/p/a' }, {}, []],
  ['nothing for a shell', 'Bash', { command: 'touch a' }, {}, []],
  ['nothing for input that makes no sense', 'Edit', null, 7, []],
])('%s is told', (_what, tool, input, output, expected) => {
  expect(editedFiles({ name: 'tool.called', tool, input, output, cwd: '/p' })).toEqual(expected);
});

const eventsOf = async (input: unknown, facts = {}) =>
  (await gitEventsOf({ name: 'tool.calling', tool: 'Bash', input, facts }, () => true)).map(({ name }) => name);

test('a shell call whose command no one finds may commit and make a branch', async () => {
  expect(await eventsOf({ program: 'git', with: ['commit'] })).toEqual(gitEventNames);
  expect(await eventsOf({ argv: ['git', 'commit'] })).toEqual(['commit.creating']);
  expect(await eventsOf({ command: 'ls' })).toEqual([]);
  expect(await eventsOf({ command: 'ls' }, { names: ['git_*'] })).toEqual(gitEventNames);
});
