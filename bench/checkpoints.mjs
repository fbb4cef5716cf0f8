import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureInTurn } from './measure.mjs';

const fileCount = 20_000;
const [plain, changed, same] = ['`git add -A` and `git write-tree`', 'one file changed', 'nothing changed'];

/** One checkpoint in a repository of 20,000 files, against git with a warm private index alone. `checkpoint` is the loop's own. */
export async function measureCheckpoints({ folder, rounds, checkpoint }) {
  const project = join(folder, 'project');
  const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' };
  const git = (args, more = {}) => execFileSync('git', args, { cwd: project, env: { ...env, ...more } });
  writeFiles(project);
  git(['init', '-q', '-b', 'main']);
  git(['add', '-A']);
  git(['-c', 'user.name=b', '-c', 'user.email=b@localhost', 'commit', '-qm', 'start']);
  const index = { GIT_INDEX_FILE: join(folder, 'index') };
  let changes = 0;
  const change = () => {
    changes += 1;
    appendFileSync(join(project, 'src/folder-007/file-07.txt'), `change ${changes}\n`);
  };
  const make = keep(checkpoint, { project, folder, env });
  const alone = (more = {}) => {
    git(['add', '-A'], { ...index, ...more });
    git(['write-tree'], { ...index, ...more });
  };
  const least = {};
  const timed = async (name, run) => {
    const from = performance.now();
    await run();
    const ms = performance.now() - from;
    least[name] = Math.min(ms, least[name] ?? ms);
    return ms;
  };
  const changedBefore = (name, run) => ({
    name,
    run: () => {
      change();
      return timed(name, () => run());
    },
  });
  const cases = [
    changedBefore(plain, alone),
    changedBefore(changed, make),
    {
      name: same,
      async run() {
        await make();
        return timed(same, make);
      },
    },
  ];
  await make();
  alone();
  const rows = await measureInTurn(cases, { rounds, base: plain });
  const watched = watchedGit(folder, env);
  const taken = {};
  for (const [name, run] of [
    [plain, ({ PATH }) => alone({ PATH })],
    [changed, make],
    [same, make],
  ])
    taken[name] = await watched(run, name === same ? () => {} : change);
  return { rows: rows.map(row => ({ ...row, leastMs: least[row.name], ...taken[row.name] })) };
}

export function checkpointsTable({ rows }) {
  const boundMs = 150;
  const cells = ({ name, ms, leastMs, ratio, processes, cpuMs }) => [
    name === plain ? `${plain} alone, one file changed` : name,
    ...[ms.toFixed(0), leastMs.toFixed(0), cpuMs.toFixed(0), ratio.toFixed(2), processes],
    ...(name === plain ? ['', ''] : [`<= ${boundMs} ms`, ms <= boundMs ? 'yes' : '**no**']),
  ];
  const heads = [`a checkpoint of ${fileCount.toLocaleString('en')} files`, 'ms', 'least', 'CPU of git', 'x git alone'];
  const lines = [[...heads, 'processes', 'bound', 'met'], Array(8).fill('---'), ...rows.map(cells)];
  return ['### Checkpoints', '', ...lines.map(line => `| ${line.join(' | ')} |`)].join('\n');
}

function writeFiles(project) {
  const perFolder = 20;
  for (let at = 0; at < fileCount; at += 1) {
    const folder = join(project, 'src', `folder-${String(Math.floor(at / perFolder)).padStart(3, '0')}`);
    if (at % perFolder === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${String(at % perFolder).padStart(2, '0')}.txt`), `file ${at}\n`);
  }
}

/** As much of a session as a checkpoint looks at. Its journal is memory. */
function keep(checkpoint, { project, folder, env }) {
  const checkpoints = [];
  let made = 0;
  const session = {
    ...{ env, mask: text => text, stop: new AbortController().signal, settings: { root: project } },
    paths: { name: 's', folder: join(folder, 'sessions/s') },
    durable: {
      failure: () => undefined,
      state: () => ({ checkpoints }),
      write: async ({ kind: _, ...entry }) => void checkpoints.push(entry),
    },
    watcher: {
      remark({ text }) {
        throw new Error(text);
      },
    },
  };
  mkdirSync(session.paths.folder, { recursive: true });
  return async (otherEnv = env) => {
    session.env = otherEnv;
    made += 1;
    await checkpoint(session, { parts: [`made-${made}`] }, 'an iteration');
    if (checkpoints.length !== made) throw new Error('there is no checkpoint');
  };
}

/** What is started as `git`, and how long the processor works for it, in runs that are not timed: that holds on a busy machine too. */
function watchedGit(folder, env) {
  const [bin, log, runs] = [join(folder, 'bin'), join(folder, 'started'), 5];
  const real = execFileSync('sh', ['-c', 'command -v git'], { env, encoding: 'utf8' }).trim();
  mkdirSync(bin);
  const script = `#!/bin/bash\nTIMEFORMAT='%U %S'\n{ time '${real}' "$@" 2>&3; } 3>&2 2>>'${log}'\n`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  return async (run, before) => {
    writeFileSync(log, '');
    for (let nth = 0; nth < runs; nth += 1) {
      before();
      await run({ ...env, PATH: `${bin}:${env.PATH}` });
    }
    const times = readFileSync(log, 'utf8').split('\n').filter(Boolean);
    const seconds = times.flatMap(line => line.split(' ').map(Number)).reduce((all, each) => all + each, 0);
    return { processes: times.length / runs, cpuMs: (1000 * seconds) / runs };
  };
}
