import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { edit, names, played } from './fixtures/play.ts';

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
});
