import { describe, expect, inject, test } from 'vitest';
import { problemsOf, userOf } from './doctor.ts';

describe.skipIf(inject('agentFolders')['opencode'] === undefined)('opencode', () => {
  test('doctor proves that hooks fire and block', async () => {
    const report = await userOf('opencode').look();
    expect(report).toMatchObject({ fires: true, blocks: true, trust: 'unneeded' });
    expect(problemsOf(report)).toEqual([]);
  });
});
