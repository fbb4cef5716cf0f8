/** What was proven, agent by agent, in seconds; then what each file took, and all of it. */
export function printTable(modules, setupMs, tookMs) {
  const columns = new Map();
  const rows = new Set();
  for (const module of modules)
    for (const test of module.children.allTests()) {
      const agent = test.fullName.split(' > ')[0];
      rows.add(test.name);
      if (!columns.has(agent)) columns.set(agent, new Map());
      columns.get(agent).set(test.name, test);
    }
  if (modules.every(module => module.state() === 'skipped')) return;
  const names = [...columns.keys()].sort();
  const width = Math.max(...[...rows].map(row => row.length));
  const line = (title, cells) => console.log(`${title.padEnd(width)}  ${cells.map(cell => cell.padStart(9)).join('')}`);
  line('', names);
  for (const row of rows) {
    const cells = names.map(name => cellOf(columns.get(name).get(row)));
    // What costs nothing and is proven everywhere would only make the table longer.
    if (cells.some(cell => cell !== '' && cell !== '0.0' && cell !== 'skipped')) line(row, cells);
  }
  for (const part of ['', '.hosts', '.in-session', '.doctor', '.http'])
    line(
      `seconds in AGENT${part}.suite.ts`,
      names.map(name => {
        const module = modules.find(({ moduleId }) => moduleId.endsWith(`/${name}${part}.suite.ts`));
        return module === undefined ? '' : secondsOf(module.diagnostic().duration);
      }),
    );
  console.log(`${secondsOf(setupMs)} s to install and to build, ${secondsOf(tookMs)} s in all`);
}

function cellOf(test) {
  const state = test?.result().state;
  if (state === 'passed') return secondsOf(test.diagnostic()?.duration ?? 0);
  return state === 'failed' ? 'FAILED' : state === undefined ? '' : 'skipped';
}

const secondsOf = ms => (ms / 1000).toFixed(1);
