import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { measureInTurn } from './measure.mjs';
import { dialectProjects, lefthookFiles, writeProject } from './projects.mjs';

const payload = '{"session":"bench","iteration":1}\n';

/**
 * Whole processes from start to end, all in turn, against `node -e 0`.
 * Returns rows `{ name, ms, ratio, bound? }`.
 */
export async function measureCold({ folder, program, rounds, dispatcher, lefthook }) {
  const cases = createCases(folder, program, dispatcher, lefthook);
  const measured = await measureInTurn(
    cases.map(({ name, run }) => ({ name, run: () => timed(run) })),
    { rounds, base: 'node -e 0' },
  );
  return measured.map((row, at) => ({ ...row, bound: cases[at].bound }));
}

function createCases(folder, program, dispatcher, lefthook) {
  const plain = writeProject(join(folder, 'plain'), {});
  const cases = [
    { name: 'node -e 0', run: processOf(plain, process.execPath, ['-e', '0']) },
    { name: 'sh -c true', run: processOf(plain, 'sh', ['-c', 'true']) },
  ];
  for (const [count, bound] of [
    [1, 1.6],
    [10, 2.3],
  ])
    for (const [dialect, { event, files }] of Object.entries(dialectProjects)) {
      const place = writeProject(join(folder, `${dialect}-${count}`), files(count));
      const run = processOf(place, process.execPath, [program, 'dispatch', event]);
      warmUp(place, run, count);
      cases.push({ name: `hookloop dispatch, ${countOf(count)}: ${dialect}`, run, bound });
    }
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
