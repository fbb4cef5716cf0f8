import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { listHooks } from '../../src/hosts/doctor/fixtures/codex-hashes.ts';
import { problemsOf, userOf } from './doctor.ts';

describe.skipIf(inject('agentFolders')['codex'] === undefined)('codex', () => {
  test('doctor proves that hooks fire and block', async () => {
    const { world, env, look } = userOf('codex');
    const untrusted = await look();
    expect(untrusted).toMatchObject({ fires: false, blocks: false, trust: 'untrusted' });
    expect(problemsOf(untrusted)[0]).toContain('with trust, they fire and block');
    const trusted = `[projects.${JSON.stringify(world.project)}]\ntrust_level = "trusted"\n`;
    world.write('~/.codex/config.toml', trusted);
    const hooks = await listHooks(join(inject('agentFolders')['codex']!, 'codex'), world.project, env);
    expect(hooks.length).toBeGreaterThan(0);
    const state = (hash: (given: string) => string): string =>
      hooks
        .map(hook => `[hooks.state.${JSON.stringify(hook.key)}]\ntrusted_hash = "${hash(hook.currentHash)}"\n`)
        .join('');
    world.write('~/.codex/config.toml', trusted + state(hash => hash));
    const report = await look();
    expect(report).toMatchObject({ fires: true, blocks: true, trust: 'trusted' });
    expect(problemsOf(report)).toEqual([]);
    world.write('~/.codex/config.toml', trusted + state(() => 'sha256:0'));
    expect(await look()).toMatchObject({ fires: false, blocks: false, trust: 'changed' });
  });
});
