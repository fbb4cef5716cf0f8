import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createMark, markVariable } from '../../actions/process/mark.ts';
import { runProcess } from '../../actions/process/run.ts';
import { stopProcesses } from '../../actions/process/stop.ts';
import { createSpill } from '../../actions/spill.ts';
import type { ActionOutcome } from '../../model/index.ts';
import type { InstallPlaces } from '../config.ts';
import { canaryFiles, canaryName } from './canary-hook.ts';
import type { Files } from './headless.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface StageRun {
  file: string;
  args: readonly string[];
  env?: Env;
  stdin?: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/** A project and a home where an agent can do no harm, and in which a hook of ours waits for its calls. */
export interface Stage {
  places: InstallPlaces;
  write(files: Files): void;
  /** Whether the project has such a file. */
  has(name: string): boolean;
  /** What the hook was called with, one text a call. */
  calls(): readonly string[];
  clear(names: readonly string[]): void;
  /** Contract: never rejects; when it is over nothing that was started is left. */
  run(run: StageRun): Promise<{ outcome: ActionOutcome; tookMs: number }>;
  /** Takes everything away. Contract: never throws. */
  leave(): void;
}

const graceMs = 500;

/** Contract: throws file errors. */
export function createStage(user: InstallPlaces): Stage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-doctor-')));
  const [root, home, temporary] = ['project', 'home', 'tmp'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const made of [root, home, temporary]) mkdirSync(made);
  const write = (files: Files): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { mode: 0o600 });
    }
  };
  write(emptyRepository(root));
  write(canaryFiles(home));
  const env = { ...neutralEnv(user.env), HOME: home, TMPDIR: temporary };
  const log = join(home, canaryName.log);
  return {
    places: { root, home, env: {} },
    write,
    has: name => existsSync(join(root, name)),
    calls: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .filter(line => line !== '')
        : [],
    clear(names) {
      for (const path of [log, ...names.map(name => join(root, name))]) rmSync(path, { force: true });
    },
    async run({ file, args, env: more, stdin = '', timeoutMs, signal }) {
      const mark = createMark();
      const spill = createSpill(join(folder, 'output'));
      const begunMs = performance.now();
      const outcome = await runProcess({
        ...{ file, args, cwd: root, env: { ...env, ...more }, stdin, timeoutMs, signal },
        ...{ graceMs, spill, marker: mark },
      });
      const tookMs = performance.now() - begunMs;
      await stopProcesses({ mark }, graceMs);
      return { outcome, tookMs };
    },
    leave() {
      try {
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      } catch {
        // It is in the system's folder for what may vanish.
      }
    },
  };
}

/** Neither keys nor addresses of the user's: what runs here must not reach anybody's account. */
function neutralEnv(env: Env): Env {
  const kept = ['LANG', 'LC_ALL', 'LC_CTYPE', 'SHELL', 'USER', 'LOGNAME', 'TZ', markVariable].map(
    name => [name, env[name]] as const,
  );
  const path = [env['PATH'], dirname(process.execPath)].filter(part => part).join(delimiter);
  return { ...Object.fromEntries(kept), PATH: path, TERM: 'dumb', NO_COLOR: '1' };
}

/** As much of one as agents look for. */
const emptyRepository = (root: string): Files => ({
  [join(root, '.git/HEAD')]: 'ref: refs/heads/main\n',
  [join(root, '.git/config')]: '[core]\n\trepositoryformatversion = 0\n',
  [join(root, '.git/objects/info/alternates')]: '',
  [join(root, '.git/refs/heads/.keep')]: '',
});
