import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureInTurn } from './measure.mjs';
import { dialectProjects, lefthookFiles, writeProject } from './projects.mjs';

const payload = '{"session":"bench","iteration":1}\n';

/** What a program that runs hooks must do at least; see bare.cjs. `dispatch` may take so many times as long. */
const bound = 1.1;
const bareProgram = fileURLToPath(new URL('bare.cjs', import.meta.url));

/**
 * Whole processes from start to end, all in turn, against `node -e 0`, and `dispatch` against a bare program that starts the same
 * hooks. Returns rows `{ name, ms, ratio, to?, toRatio?, bound? }`.
 */
export async function measureCold({ folder, program, rounds, dispatcher, lefthook }) {
  const cases = createCases(folder, program, dispatcher, lefthook);
  const measured = await measureInTurn(
    cases.map(({ name, run, to }) => ({ name, to, run: () => timed(run) })),
    { rounds, base: 'node -e 0' },
  );
  return measured.map((row, at) => ({ ...row, bound: cases[at].bound }));
}

/** The same on one Node, with the hooks of one dialect. */
export async function measureNode({ node, folder, program, rounds }) {
  const cases = [
    { name: 'node -e 0', run: processOf(writeProject(join(folder, 'plain'), {}), node, ['-e', '0']) },
    ...[1, 10].flatMap(count => casesOf('sauna', count, { node, folder, program })),
  ];
  for (const { name, run } of cases) if (run().status !== 0) throw new Error(`${name} failed: ${run().stderr}`);
  const timedCases = cases.map(({ name, run, to }) => ({ name, to, run: () => timed(run) }));
  return measureInTurn(timedCases, { rounds, base: 'node -e 0' });
}

/** How each dialect runs its hooks. */
const bareShapes = {
  claude: { order: 'at-once', words: () => ['sh', '-c', 'true'] },
  pipelines: { order: 'in-turn', words: () => ['bash', '-c', 'true'] },
  babysitter: { order: 'in-turn', words: project => [join(project, '.a5c/hooks/on-iteration-start/00.sh')] },
};
const usualShape = { order: 'in-turn', words: () => ['sh', '-c', 'true'] };

function casesOf(dialect, count, { node, folder, program }) {
  const { event, files } = dialectProjects[dialect];
  const { order, words } = bareShapes[dialect] ?? usualShape;
  const place = writeProject(join(folder, `${dialect}-${count}`), files(count));
  const bare = `bare Node, ${countOf(count)}: ${dialect}`;
  const run = processOf(place, node, [program, 'dispatch', event]);
  warmUp(place, run, count);
  return [
    { name: bare, run: processOf(place, node, [bareProgram, String(count), order, ...words(place.project)]) },
    { name: `hookloop dispatch, ${countOf(count)}: ${dialect}`, run, to: bare, bound },
  ];
}

function createCases(folder, program, dispatcher, lefthook) {
  const plain = writeProject(join(folder, 'plain'), {});
  const cases = [
    { name: 'node -e 0', run: processOf(plain, process.execPath, ['-e', '0']) },
    { name: 'sh -c true', run: processOf(plain, 'sh', ['-c', 'true']) },
  ];
  for (const count of [1, 10])
    for (const dialect of Object.keys(dialectProjects))
      cases.push(...casesOf(dialect, count, { node: process.execPath, folder, program }));
  const idle = writeProject(join(folder, 'idle'), dialectProjects.sauna.files(1));
  const idleRun = processOf(idle, process.execPath, [program, 'dispatch', 'tool.called']);
  warmUp(idle, idleRun, 0);
  cases.push({ name: 'hookloop dispatch, no hook for the event', run: idleRun });
  for (const count of [1, 10]) {
    const place = writeProject(join(folder, `shell-${count}`), dialectProjects.babysitter.files(count));
    cases.push({
      name: `shell dispatcher in the manner of babysitter, ${countOf(count)}`,
      run: processOf(place, dispatcher, [dialectProjects.babysitter.event]),
    });
  }
  for (const count of lefthook ? [1, 10] : []) {
    const place = writeProject(join(folder, `lefthook-${count}`), lefthookFiles(count));
    execFileSync('git', ['init', '-q', place.project]);
    cases.push({
      name: `lefthook (native binary), ${countOf(count)}`,
      run: processOf(place, lefthook, ['run', 'bench']),
    });
  }
  for (const { name, run } of cases) if (run().status !== 0) throw new Error(`${name} failed: ${run().stderr}`);
  return cases;
}

const countOf = count => (count === 1 ? 'one hook' : `${count} hooks`);

/** NODE_EXTRA_CA_CERTS makes every start of Node 20 three times as long, so nothing of our environment is handed on. */
const processOf =
  ({ project, home }, file, args) =>
  () =>
    spawnSync(file, args, {
      cwd: project,
      env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' },
      input: payload,
      encoding: 'utf8',
    });

function timed(run) {
  const from = process.hrtime.bigint();
  run();
  return Number(process.hrtime.bigint() - from) / 1e6;
}

/** Proves that the hooks do run, and lets the plan be kept. */
function warmUp(place, run, count) {
  untilPlanned(place, () => {
    const { stdout, stderr } = run();
    const finished = JSON.parse(stdout).results.filter(({ status }) => status === 'finished').length;
    if (finished !== count) throw new Error(`${finished} hooks ran in place of ${count}: ${stderr}`);
  });
}

/** Runs until the plan is kept, which files changed a moment ago prevent, and once more. */
export function untilPlanned({ home }, run) {
  const plans = join(home, '.cache/hookloop/plans');
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    run();
    if (existsSync(plans) && readdirSync(plans).length > 0) {
      run();
      return;
    }
  }
  throw new Error('the plan was never kept');
}
