import { describe, expect, inject, test } from 'vitest';
import { problemsOf, userOf } from './doctor.ts';

describe.skipIf(inject('agentFolders')['claude'] === undefined)('claude', () => {
  test('doctor proves that hooks fire and block', async () => {
    const { world, look } = userOf('claude');
    world.write('~/.claude.json', JSON.stringify({ projects: { [world.project]: { hasTrustDialogAccepted: true } } }));
    const report = await look();
    expect(report).toMatchObject({ fires: true, blocks: true, trust: 'trusted' });
    expect(problemsOf(report)).toEqual([]);
  });

  test('doctor sees that hooks are switched off', async () => {
    const { world, look } = userOf('claude');
    world.write('~/.claude/settings.json', '{ "disableAllHooks": true }');
    expect(await look()).toMatchObject({ fires: false, blocks: false });
  });

  test('doctor proves it where calls go to serve', async () => {
    const { world, look } = userOf('claude', '--http');
    world.write('~/.claude.json', JSON.stringify({ projects: { [world.project]: { hasTrustDialogAccepted: true } } }));
    const report = await look();
    expect(report).toMatchObject({ fires: true, blocks: true, files: [{ http: true }, {}, {}] });
    expect(report.latencyMs).toBeGreaterThan(0);
  });
});
