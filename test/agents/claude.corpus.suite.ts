import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { runLive } from './claude-hooks/live.ts';
import type { Recorded } from './claude-hooks/observed.ts';
import { packs } from './claude-hooks/packs.ts';

const binFolder = inject('agentFolders')['claude'];

/** `npm test` holds our engine to these recordings; here Claude Code itself is held to them. UPDATE_FIXTURES=1 records anew. */
describe.skipIf(binFolder === undefined)('claude', () => {
  test.each(packs.map(pack => [pack.name, pack] as const))(
    'does with the hooks of %s what is recorded',
    async (name, pack) => {
      const file = new URL(`./claude-hooks/recorded/${name}.json`, import.meta.url);
      const live = await runLive(pack, binFolder!);
      if (process.env['UPDATE_FIXTURES']) writeFileSync(file, `${JSON.stringify(live, null, 2)}\n`);
      const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded;
      expect(live.observed).toEqual(recorded.observed);
    },
  );
});
