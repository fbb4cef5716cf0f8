import { describe, expect, test } from 'vitest';
import { eventually } from '../../../test/contracts/agent.ts';
import { commands, edit, names, played, shell } from './fixtures/play.ts';

const diff = (path: string) => ({
  ...{ toolCallId: 'c1', kind: 'edit', rawInput: { note: 'x' } },
  content: [{ type: 'diff', path, oldText: 'a', newText: 'b' }],
});

describe('the answer to a question holds for no other question of the same call', () => {
  const deploy = (target: string, prod: boolean) => ({
    ...{ toolCallId: 'c1', kind: 'other', title: 'deploy' },
    rawInput: { target, prod },
  });
  test.each<[string, object, object]>([
    ['of another file', diff('/PROJ/a.txt'), diff('/PROJ/secret.env')],
    [
      'in another folder',
      { ...shell('c1', 'rm -rf .'), rawInput: { command: 'rm -rf .', cwd: '/PROJ/build' } },
      { ...shell('c1', 'rm -rf .'), rawInput: { command: 'rm -rf .', cwd: '/FORBIDDEN' } },
    ],
    [
      'of another title where nothing else tells',
      { toolCallId: 'c1', kind: 'execute', title: 'ls' },
      { toolCallId: 'c1', kind: 'execute', title: 'FORBIDDEN' },
    ],
  ])('%s', async (_, one, other) =>
    expect(
      (
        await played([
          ['ask', one],
          ['ask', other],
        ])
      ).answers,
    ).toBe('yes no'),
  );

  test('with another flag', async () => {
    const { events } = await played([
      ['ask', deploy('x', false)],
      ['ask', deploy('x', true)],
      ['ask', deploy('x', true)],
    ]);
    const asked = events.filter(({ name }) => name === 'tool.calling').map(({ input }) => input);
    expect(asked).toEqual([
      { target: 'x', prod: false },
      { target: 'x', prod: true },
    ]);
  });

  test('whatever was told and allowed in between', async () => {
    const [one, other] = [edit('c1', '/PROJ/secret.env', 'x'), edit('c1', '/PROJ/a.txt', 'x')];
    const { answers } = await played([
      ['told', { ...one, status: 'pending' }],
      ['ask', other],
      ['ask', one],
      ['ask', other],
    ]);
    expect(answers).toBe('yes no yes');
  });
});

test('what is added beside a command that was asked about is no other question', async () => {
  const { events, answers } = await played([
    ['told', { ...shell('c1', 'ls'), rawInput: { cwd: '/PROJ' } }],
    ['ask', shell('c1', 'ls')],
    [
      'more',
      {
        ...shell('c1', 'ls', 'in_progress'),
        rawInput: { command: 'ls', description: 'look', timeout: 9, cwd: '/PROJ' },
      },
    ],
    ['more', { toolCallId: 'c1', name: 'exec_command', status: 'completed' }],
  ]);
  expect([answers, names(events)]).toEqual(['yes', ['tool.calling c1', 'tool.called c1']]);
});

describe('an input that is told after the answer', () => {
  test('and that hooks refuse ends the turn while it runs', async () => {
    const { answers, calledAnyway, events } = await played([
      ['ask', shell('c1', 'ls')],
      ['more', shell('c1', 'FORBIDDEN', 'in_progress')],
      ['cancel'],
    ]);
    expect([answers, calledAnyway, commands(events)]).toEqual(['cancelled', ['c1'], ['ls', 'FORBIDDEN']]);
  });

  test('is told once it has run, also if it was taken back at the end', async () => {
    const { calledAnyway } = await played([
      ['ask', shell('c1', 'ls')],
      ['more', shell('c1', 'FORBIDDEN', 'in_progress')],
      ['more', shell('c1', 'ls', 'completed')],
    ]);
    expect(calledAnyway).toEqual(['c1']);
  });

  test('counts where a read has become a command', async () => {
    const { calledAnyway } = await played([
      ['ask', { toolCallId: 'c1', kind: 'read', title: 'Read a', rawInput: { file_path: 'a' } }],
      ['more', { toolCallId: 'c1', kind: 'execute', title: 'FORBIDDEN', status: 'in_progress' }],
      ['more', { toolCallId: 'c1', status: 'completed' }],
    ]);
    expect(calledAnyway).toEqual(['c1']);
  });
});

test('a call whose end is told before its question is answered was made without leave', async () => {
  const { calledAnyway } = await played([
    ['ask-only', shell('c1', 'FORBIDDEN')],
    ['told', shell('c1', 'FORBIDDEN', 'completed')],
  ]);
  expect(calledAnyway).toEqual(['c1']);
});

describe('a refused call that is made is said to be', () => {
  test.each<[string, object]>([
    ['an output and no status', { ...shell('c1', 'FORBIDDEN'), status: undefined, rawOutput: 'done' }],
    ['a number for an id', { ...shell('c1', 'FORBIDDEN', 'completed'), toolCallId: 1 }],
    ['an object for an id', { ...shell('c1', 'FORBIDDEN', 'completed'), toolCallId: { toString: 1, valueOf: 1 } }],
    ['no id', { ...shell('c1', 'FORBIDDEN', 'completed'), toolCallId: undefined }],
  ])('where it has %s', async (_, call) => expect((await played([['told', call]])).calledAnyway).toHaveLength(1));

  test('where a status that no one knows is told of it', async () => {
    const { calledAnyway } = await played([
      ['told', shell('c1', 'FORBIDDEN', 'in_progress')],
      ['more', { toolCallId: 'c1', status: 'constructor' }],
    ]);
    expect(calledAnyway).toEqual(['c1']);
  });
});

test('a command that runs and that no one finds in its input is heard before it ends', async () => {
  const { answers, calledAnyway } = await played([
    ['told', { ...shell('c1', '', 'in_progress'), rawInput: { server: 's', tool: 'FORBIDDEN' } }],
    ['cancel'],
  ]);
  expect([answers, calledAnyway]).toEqual(['cancelled', ['c1']]);
});

describe('a call that only its title or its files tell of', () => {
  test('is heard when it has failed', async () => {
    const call = { toolCallId: 'c1', kind: 'execute', title: 'FORBIDDEN; false' };
    const { calledAnyway } = await played([
      ['told', { ...call, status: 'in_progress' }],
      ['more', { ...call, status: 'failed' }],
    ]);
    expect(calledAnyway).toEqual(['c1']);
  });

  test('is heard when the turn ends before it', async () => {
    const call = { toolCallId: 'c1', kind: 'delete', title: 'delete', locations: [{ path: '/PROJ/secret.env' }] };
    expect((await played([['told', { ...call, status: 'in_progress' }]])).calledAnyway).toEqual(['c1']);
  });
});

describe('an id that is used again in a turn', () => {
  test('is another call, with an id of its own for hooks', async () => {
    const { events, calledAnyway } = await played([
      ['told', shell('c1', 'ls', 'completed')],
      ['told', shell('c1', 'ls', 'in_progress')],
      ['more', { toolCallId: 'c1', status: 'completed' }],
      ['more', shell('c1', 'FORBIDDEN', 'completed')],
    ]);
    const both = (id: string) => [`tool.calling ${id}`, `tool.called ${id}`];
    expect(names(events)).toEqual([...both('c1'), ...both('c1#2'), 'tool.calling c1#3']);
    expect(calledAnyway).toEqual(['c1#3']);
  });

  test('is the same call where it is only told once more', async () => {
    const { events } = await played([
      ['told', shell('c1', 'ls', 'completed')],
      ['told', shell('c1', 'ls', 'completed')],
      ['more', { toolCallId: 'c1', title: 'Ran ls', content: [] }],
    ]);
    expect(names(events)).toEqual(['tool.calling c1', 'tool.called c1']);
  });
});

test('calls of a sub-agent are heard in the turn that it works for, whatever ids it gives them', async () => {
  const { events, calledAnyway } = await played([
    ['told', shell('c1', 'ls', 'in_progress')],
    ['told', shell('c1', 'FORBIDDEN', 'in_progress'), 'sub-agent'],
    ['more', { toolCallId: 'c1', status: 'completed' }],
    ['more', { toolCallId: 'c1', status: 'completed' }, 'sub-agent'],
  ]);
  expect(commands(events)).toEqual(['ls', 'FORBIDDEN']);
  expect(calledAnyway).toEqual(['c1#2']);
});

test('calls after the cancel are heard', async () => {
  const { events } = await played([
    ['told', shell('c1', 'FORBIDDEN 1', 'completed')],
    ['cancel'],
    ['told', shell('c2', 'FORBIDDEN 2', 'completed')],
  ]);
  expect(commands(events)).toEqual(['FORBIDDEN 1', 'FORBIDDEN 2']);
});

test('calls between two turns are heard', async () => {
  const { events, calledAnyway } = await played(
    [['told', shell('c1', 'ls', 'completed')]],
    [['told', shell('c2', 'FORBIDDEN', 'completed')]],
  );
  await eventually(() => calledAnyway.length > 0);
  expect([commands(events), calledAnyway]).toEqual([['ls', 'FORBIDDEN'], ['c2']]);
});
