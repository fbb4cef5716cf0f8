export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Each round runs every case once, from another start each time, so that a slow moment of the machine hits all alike.
 * A ratio is the median of the ratios inside the rounds: times drift, ratios hold. `run` gives milliseconds, or a promise.
 * A case may name another one with `to`: `toRatio` is the ratio to that.
 */
export async function measureInTurn(cases, { rounds, base }) {
  const taken = cases.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    for (let step = 0; step < cases.length; step += 1) {
      const at = (round + step) % cases.length;
      taken[at].push(await cases[at].run());
    }
  const takenBy = wanted => taken[cases.findIndex(({ name }) => name === wanted)];
  const ratioTo = (at, other) => median(taken[at].map((ms, round) => ms / takenBy(other)[round]));
  return cases.map(({ name, to }, at) => ({
    name,
    ms: median(taken[at]),
    ratio: ratioTo(at, base),
    ...(to !== undefined && { to, toRatio: ratioTo(at, to) }),
  }));
}
