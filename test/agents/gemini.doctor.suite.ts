import { describe, expect, inject, test } from 'vitest';
import { problemsOf, userOf } from './doctor.ts';

describe.skipIf(inject('agentFolders')['gemini'] === undefined)('gemini', () => {
  test('doctor proves that hooks fire and block', async () => {
    const { world, look } = userOf('gemini');
    world.write('~/.gemini/trustedFolders.json', JSON.stringify({ [world.project]: 'TRUST_FOLDER' }));
    const report = await look();
    expect(report).toMatchObject({ fires: true, blocks: true, trust: 'trusted' });
    expect(problemsOf(report)).toEqual([]);
  });

  test('doctor sees that a folder is not trusted', async () => {
    const report = await userOf('gemini').look();
    expect(report).toMatchObject({ fires: false, blocks: false, trust: 'untrusted' });
    expect(problemsOf(report)[0]).toContain('with trust, they fire and block');
  });
});
