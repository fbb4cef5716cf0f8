/** The known name a person most likely meant, or undefined when nothing is near. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = fold(name);
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(wanted, fold(candidate));
    if (distance <= Math.max(1, Math.floor(wanted.length / 3)) && (!best || distance < best.distance))
      best = { name: candidate, distance };
  }
  return best?.name;
}

export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const near = nearest(name, known);
  return near === undefined ? undefined : `did you mean ${near}?`;
}

const fold = (name: string): string =>
  name
    .slice(0, 64)
    .toLowerCase()
    .replaceAll(/[-_. ]/g, '');

/** Insertions, deletions, changes and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
