import { readdirSync, readFileSync } from 'node:fs';

/** By it the processes of a place are found, whoever started them. */
export const placeVariable = 'HOOKLOOP_TEST_PLACE';

/** The processes of the places whose names begin so. */
export const processesOf = beginning => {
  const start = `${placeVariable}=${beginning}`;
  return allPids().filter(pid =>
    read(pid, 'environ')
      .split('\0')
      .some(entry => entry.startsWith(start)),
  );
};

/** Ends all that the suites of a run have started: what we are above of, and what has left us. */
export function endProcessesOf(run) {
  for (const pid of new Set([...descendants(), ...processesOf(`${run}:`)])) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended by itself.
    }
  }
}

function descendants() {
  const parents = new Map(allPids().map(pid => [pid, Number(/\) \S (\d+)/.exec(read(pid, 'stat'))?.[1])]));
  const isBelow = pid => pid !== undefined && (parents.get(pid) === process.pid || isBelow(parents.get(pid)));
  return [...parents.keys()].filter(isBelow);
}

const allPids = () =>
  readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0);

/** Empty for processes that have ended, and for those of others. */
function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}
