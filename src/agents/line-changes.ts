import { diffLines } from 'diff';
import type { ToolFacts } from '../model/event.ts';

type Change = NonNullable<ToolFacts['changes']>[number];

/** So long may it take to compare two texts: nothing depends on it. */
const timeoutMs = 200;

/** How many lines differ; undefined where that takes too long to find out. */
export function lineChange(path: string, before: string, after: string): Change | undefined {
  const parts = diffLines(before, after, { timeout: timeoutMs });
  if (!parts) return undefined;
  const linesOf = (kind: 'added' | 'removed'): number =>
    parts.reduce((sum, part) => sum + (part[kind] ? part.count : 0), 0);
  return { path, added: linesOf('added'), removed: linesOf('removed') };
}
