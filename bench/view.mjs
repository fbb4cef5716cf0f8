import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../scripts/setup.mjs';
import { median } from './measure.mjs';
import { writeProject } from './projects.mjs';

/** The share of one core that the live view takes at 100 events a second: against the same session with `--quiet`. */
export async function measureView({ folder, program, quick }) {
  const seconds = quick ? 5 : 20;
  const world = writeProject(folder, {});
  // What the process itself has taken, without the agent and the terminal.
  const told = join(folder, 'told.cjs');
  writeFileSync(
    told,
    `if (process.argv[1] === ${JSON.stringify(program)}) process.on('exit', () => require('node:fs').writeFileSync(process.env.CPU_FILE, JSON.stringify(process.cpuUsage())));\n`,
  );
  const pairs = [];
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    const [live, still] = [await cpuMs('', round), await cpuMs('--quiet', round)];
    pairs.push({ live, still, share: (live - still) / (seconds * 1000) });
  }
  const middle = of => median(pairs.map(of));
  return {
    liveMs: middle(({ live }) => live),
    quietMs: middle(({ still }) => still),
    share: middle(({ share }) => share),
    seconds,
  };

  async function cpuMs(option, round) {
    const name = `view${option}-${round}`;
    const result = join(folder, `${name}.json`);
    const agent = `acp:'${process.execPath}' '${join(root, 'bench/view-agent.mjs')}' ${seconds}`;
    const lines = [
      `cd '${world.project}'`,
      `export HOME='${world.home}' TERM=tmux-256color LANG=C.UTF-8 CI= CPU_FILE='${result}' NODE_OPTIONS='--require "${told}"'`,
      `'${process.execPath}' '${program}' run --prompt x --max-iterations 1 --session ${name} --agent "${agent}" ${option}`,
    ];
    const script = join(folder, `${name}.sh`);
    writeFileSync(script, `${lines.join('\n')}\n`);
    const tmux = (...args) => execFileSync('tmux', ['-S', join(folder, 'tmux'), '-f', '/dev/null', ...args]);
    tmux('-u', 'new-session', '-d', '-x', '120', '-y', '40', 'sh', script);
    for (let tries = 0; !existsSync(result); tries += 1) {
      if (tries > 10 * (seconds + 60)) throw new Error(`${name} did not end`);
      await sleep(100);
    }
    await sleep(200);
    const { user, system } = JSON.parse(readFileSync(result, 'utf8'));
    return (user + system) / 1000;
  }
}
