import { describe, expect, inject, test } from 'vitest';
import { problemsOf, userOf } from './doctor.ts';

describe.skipIf(inject('agentFolders')['qwen'] === undefined)('qwen', () => {
  test('doctor proves that hooks fire and block', async () => {
    const report = await userOf('qwen').look();
    expect(report).toMatchObject({ fires: true, blocks: true, trust: 'unneeded' });
    expect(problemsOf(report)).toEqual([]);
  });

  test('doctor sees that a folder is not trusted', async () => {
    const { world, look } = userOf('qwen');
    world.write('~/.qwen/settings.json', '{ "security": { "folderTrust": { "enabled": true } } }');
    const report = await look();
    expect(report).toMatchObject({ fires: false, blocks: false, trust: 'untrusted' });
    expect(problemsOf(report)[0]).toContain('with trust, they fire and block');
  });
});
