import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { differences } from './agents/claude-hooks/differences.ts';
import type { Observed, Recorded } from './agents/claude-hooks/observed.ts';
import { packs } from './agents/claude-hooks/packs.ts';
import { replay } from './agents/claude-hooks/replay.ts';

/** What Claude Code itself did with each hook file is recorded: `npm run test:agents claude.corpus` sees whether it still does. */
describe('the hook files of the corpus', () => {
  test.each(packs.map(pack => [pack.name, pack] as const))(
    'of %s get the decisions and texts that Claude Code gives them, but for what is listed',
    async (name, pack) => {
      const file = new URL(`./agents/claude-hooks/recorded/${name}.json`, import.meta.url);
      const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded;
      const listed = differences[name] ?? [];
      expect(differing(recorded.observed, await replay(pack, recorded))).toEqual(
        listed.flatMap(({ lines }) => lines).sort(),
      );
    },
  );
});

/** `-` stands before what Claude Code does, `+` before what we do. */
function differing(claude: Observed, ours: Observed): string[] {
  const parts = ['outcomes', 'heard', 'shown'] as const;
  return parts
    .flatMap(part => {
      const [theirs, own] = [numbered(claude[part], part), numbered(ours[part], part)];
      return [
        ...theirs.filter(line => !own.includes(line)).map(line => `- ${line}`),
        ...own.filter(line => !theirs.includes(line)).map(line => `+ ${line}`),
      ];
    })
    .sort();
}

/** The outcome of each firing stands in its place; texts name their step themselves. */
const numbered = (lines: readonly string[], part: string): string[] =>
  lines.map((line, at) => (part === 'outcomes' ? `firing ${at}, ${line}` : `${part} ${line}`));
