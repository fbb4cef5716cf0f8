import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { untilPlanned } from './cold.mjs';
import { measureInTurn } from './measure.mjs';
import { writeProject } from './projects.mjs';

/** `dispatch` may take so many times as long as `node -e 0` where it only meets rules, which start no process. */
export const ruleBound = 1.2;

const files = {
  'hookloop.yaml': `hooks:
  tool.calling:
    - { deny: "CI pushes, not you.", command: git push }
    - { deny: "dist/ is generated.", files: "dist/**" }
  iteration.starting:
    - { tell: "Small commits." }
`,
};
const call = (tool, input) => JSON.stringify({ tool, input });
const events = {
  'tell that applies': ['iteration.starting', '{"iteration":1}', 0],
  'deny by file that refuses': ['tool.calling', call('Edit', { file_path: 'dist/a.js' }), 2],
  'deny by command that refuses': ['tool.calling', call('Bash', { command: 'cd x && git push' }), 2],
  'deny by command, another command': ['tool.calling', call('Bash', { command: 'npm test 2>&1 | tail' }), 0],
  'deny by command, one that takes the grammar': ['tool.calling', call('Bash', { command: 'echo "git" | tail' }), 0],
};

/** Whole processes, each with a home of its own: rows `{ name, ms, ratio }`, the first of them `node -e 0`. */
export async function measureRules({ node, folder, program, rounds }) {
  const cases = Object.entries(events).map(([name, [event, input, code]], at) => {
    const place = writeProject(join(folder, String(at)), files);
    const run = () => processOf(place, node, [program, 'dispatch', event], input);
    untilPlanned(place, run);
    const { status, stderr } = run();
    if (status !== code) throw new Error(`${name} ended with ${status}: ${stderr}`);
    return { name, run: () => timed(run) };
  });
  const plain = writeProject(join(folder, 'plain'), {});
  const base = { name: 'node -e 0', run: () => timed(() => processOf(plain, node, ['-e', '0'], '')) };
  return measureInTurn([base, ...cases], { rounds, base: base.name });
}

function processOf({ project, home }, node, args, input) {
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' };
  return spawnSync(node, args, { cwd: project, env, input, encoding: 'utf8' });
}

function timed(run) {
  const from = process.hrtime.bigint();
  run();
  return Number(process.hrtime.bigint() - from) / 1e6;
}
