import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createMatch } from '../../engine/match.ts';
import type { HookDefinition, Match, Places } from '../../model/index.ts';
import { edit, names, played, type Step } from './fixtures/play.ts';

describe('a write through us', () => {
  const written = (project: string, file: string) =>
    existsSync(join(project, file)) && readFileSync(join(project, file), 'utf8');

  test('goes where the answer let it go, not where the call was moved to', async () => {
    const { answers, project } = await played([
      ['ask', edit('c1', '/PROJ/a.txt')],
      ['more', { toolCallId: 'c1', locations: [{ path: '/PROJ/secret.env' }] }],
      ['write', { path: '/PROJ/secret.env', content: 'x' }],
      ['more', { toolCallId: 'c1', locations: [{ path: '/PROJ/a.txt' }] }],
      ['write', { path: '/PROJ/a.txt', content: 'x' }],
    ]);
    expect([answers, written(project, 'secret.env'), written(project, 'a.txt')]).toEqual([
      'yes kept written',
      false,
      'x',
    ]);
  });

  test('has the content that was shown, or hooks are asked about what it has', async () => {
    const { answers, project, events } = await played([
      ['ask', edit('c1', '/PROJ/a.txt', 'good')],
      ['write', { path: '/PROJ/a.txt', content: 'FORBIDDEN' }],
      ['write', { path: '/PROJ/a.txt', content: 'good' }],
    ]);
    expect([answers, written(project, 'a.txt')]).toEqual(['yes kept written', 'good']);
    expect(names(events)).toEqual(['tool.calling c1', 'tool.calling c1', 'file.edited c1', 'tool.failed c1']);
  });

  test.each<[string, Step]>([
    [
      'strings to replace',
      [
        'ask',
        { ...edit('c1', '/PROJ/a.txt'), rawInput: { file_path: '/PROJ/a.txt', old_string: 'x', new_string: 'y' } },
      ],
    ],
    ['another file', ['ask', { ...edit('c1', '/PROJ/b.txt', 'good'), locations: [{ path: '/PROJ/a.txt' }] }]],
    ['only a path', ['ask', edit('c1', '/PROJ/a.txt')]],
  ])('is asked about where the call that was allowed has shown %s', async (_, asked) => {
    const { answers, project } = await played([asked, ['write', { path: '/PROJ/a.txt', content: 'FORBIDDEN' }]]);
    expect([answers, written(project, 'a.txt')]).toEqual(['yes kept', false]);
  });

  const locations = [{ path: '/PROJ/a.txt' }];
  test.each<[string, object]>([
    ['a name that no one knows', { kind: 'edit', name: 'frob', locations }],
    ['a title that no one knows', { kind: 'edit', title: 'frob', locations }],
    ['the name of a server', { kind: 'edit', _meta: { claudeCode: { toolName: 'mcp__acp__Write' } }, locations }],
    [
      'a command that shows a diff',
      { kind: 'execute', content: [{ type: 'diff', path: '/PROJ/a.txt', newText: 'x' }] },
    ],
    ['the name of a reader', { kind: 'edit', name: 'Read', locations }],
  ])('is asked about as an edit by %s', async (_, call) => {
    const { events } = await played([
      ['told', { toolCallId: 'c1', status: 'pending', ...call }],
      ['write', { path: '/PROJ/a.txt', content: 'EVIL' }],
    ]);
    const asked = events.find(({ name, input }) => name === 'tool.calling' && JSON.stringify(input).includes('EVIL'))!;
    expect(asked).toMatchObject({ tool: 'Write', toolCallId: 'c1', file: 'a.txt', input: { content: 'EVIL' } });
    for (const name of ['Write', 'Edit', 'edit']) {
      const match: Match = { tool: { kind: 'names', names: [name] }, files: ['a.txt'] };
      expect(createMatch({ match } as HookDefinition, { root: '/PROJ' } as Places)(asked)).toBeUndefined();
    }
  });
});
