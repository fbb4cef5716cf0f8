import { childOf, entryOf } from '../../config/located.ts';
import type { Termination } from '../../model/pipeline.ts';
import type { Part, StageSettings } from './file.ts';

type Written = NonNullable<StageSettings['termination']> & { type: Termination['type'] };

const defaultMax = 25;
const defaultConsensus = 2;

/** When a stage ends: the entry's own rule before the loop's, `runs` and `max` of the entry before either's numbers. */
export function terminationOf(
  entry: Part | undefined,
  loop: Part | undefined,
  stage: { perspectives: number; agent?: string | undefined },
): Termination | undefined {
  const part = [entry, loop].find(given => given?.settings.termination);
  const written = (part?.settings.termination ?? { type: 'fixed' }) as Written;
  if (!areCounts(entry, ['runs', 'max']) || (part && !isWellFormed(part, written))) return undefined;
  const limit = smallest(entry?.settings.runs, entry?.settings.max);
  if (written.type === 'fixed') {
    const iterations = limit ?? smallest(written.iterations, written.max) ?? Math.max(1, stage.perspectives);
    return { type: 'fixed', iterations };
  }
  const max = limit ?? written.max ?? defaultMax;
  if (written.type === 'queue') return { type: 'queue', max };
  const consensus = written.consensus ?? defaultConsensus;
  const minIterations = Math.max(1, written.min_iterations ?? 1);
  if (Math.max(consensus, minIterations) > max) warnOfMax(part ?? entry, max);
  return { type: 'judgment', max, minIterations, consensus, ...judgeOf(part, written, stage.agent) };
}

const smallest = (...counts: (number | undefined)[]): number | undefined => {
  const given = counts.filter(count => count !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
};

/** No count may be 0: a stage that does nothing is a mistake, and consensus of nobody ends at once. */
function areCounts(part: Part | undefined, keys: readonly string[]): boolean {
  const zeros = keys.map(key => childOf(part?.node, key)).filter(node => node?.kind === 'scalar' && node.value === 0);
  for (const zero of zeros) part!.report.error(zero!.span, 'must be at least 1', 'write 1 or more, or remove it');
  return zeros.length === 0;
}

const meant: Readonly<Record<Written['type'], readonly string[]>> = {
  fixed: ['type', 'iterations', 'max'],
  queue: ['type', 'max'],
  judgment: ['type', 'max', 'min_iterations', 'consensus', 'judge'],
};

function isWellFormed(part: Part, { type }: Written): boolean {
  const node = childOf(part.node, 'termination');
  for (const { key, keySpan } of node?.kind === 'map' ? node.entries : [])
    if (Object.values(meant).some(keys => keys.includes(key)) && !meant[type].includes(key))
      part.report.warning(
        keySpan,
        `"${key}" has no effect where type is ${type}`,
        `known there: ${meant[type].join(', ')}`,
      );
  return areCounts(node && { ...part, node }, ['iterations', 'max', 'consensus']);
}

function warnOfMax(part: Part | undefined, max: number): void {
  const place = entryOf(part?.node, 'termination');
  if (place)
    part!.report.warning(
      place.keySpan,
      `the stage always ends at its maximum of ${max}`,
      'raise max: or lower the rest',
    );
}

function judgeOf(part: Part | undefined, { judge }: Written, agent: string | undefined): { judge?: string } {
  const named = typeof judge === 'object' ? judge.agent : judge === true ? agent : judge === false ? undefined : judge;
  if (named) return { judge: named };
  if (judge === true || typeof judge === 'object')
    part!.report.warning(
      childOf(childOf(part!.node, 'termination'), 'judge')!.span,
      'names nobody',
      'write judge: AGENT',
    );
  return {};
}
