import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createSpill } from '../../actions/output-files.ts';
import { runProcess } from '../../actions/process/run-process.ts';
import { createMark, markVariable, stopProcesses } from '../../actions/process/stop.ts';
import { type ActionOutcome, printable } from '../../model/index.ts';
import { quoted } from '../../model/own-entry.ts';
import { outcomeWords } from '../../model/words.ts';
import type { AgentFolders } from '../host.ts';
import type { Files } from '../settings.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Whom a sandbox is for, and how long all that runs in it may take together. */
export interface SandboxLimits {
  user: AgentFolders;
  limitMs: number;
  signal: AbortSignal;
}

interface SandboxRun {
  file: string;
  args: readonly string[];
  env?: Env;
  stdin?: string;
  /** For this run alone. */
  mostMs?: number;
}

const graceMs = 500;

export type Sandbox = ReturnType<typeof createSandbox>;

/** A project and a home where an agent can do no harm, and in which a hook of ours waits for its calls. Contract: throws file errors. */
export function createSandbox({ user, limitMs, signal }: SandboxLimits) {
  const untilMs = performance.now() + limitMs;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-doctor-')));
  const [root, home, temporary] = [join(folder, 'project'), join(folder, 'home'), join(folder, 'tmp')];
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
    folders: { root, home, env: {} } as AgentFolders,
    write,
    /** Whether the project has such a file. */
    has: (name: string): boolean => existsSync(join(root, name)),
    /** What the hook was called with, one text a call. */
    calls: (): readonly string[] =>
      (existsSync(log) ? readFileSync(log, 'utf8') : '').split('\n').filter(line => line !== ''),
    clear(names: readonly string[]): void {
      for (const path of [log, ...names.map(name => join(root, name))]) rmSync(path, { force: true });
    },
    /** Contract: never rejects; when it is over nothing that was started is left. */
    async run({ file, args, env: more, stdin = '', mostMs = limitMs }: SandboxRun) {
      const mark = createMark();
      const begunMs = performance.now();
      const outcome = await runProcess({
        ...{ file, args, cwd: root, env: { ...env, ...more }, stdin },
        timeoutMs: Math.min(mostMs, Math.max(1, Math.round(untilMs - begunMs))),
        ...{ graceMs, signal, spill: createSpill(join(folder, 'output')), marker: mark },
      });
      const tookMs = performance.now() - begunMs;
      await stopProcesses({ mark }, graceMs);
      return { outcome, tookMs };
    },
    /** Takes everything away. Contract: never throws. */
    leave(): void {
      try {
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      } catch {
        // It is in the system's folder for what may vanish.
      }
    },
  };
}

/** Neither keys nor addresses of the user's: what runs here must not reach anyone's account. */
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

/** Files and words by which a canary is known. */
export const canaryName = {
  log: 'canary.log',
  /** Made by the command that the hook only looks at. */
  observed: 'hookloop-canary-observed',
  /** Would be made by the command that the hook refuses. */
  refused: 'hookloop-canary-refused',
  /** Its name, which stands in every refusal. */
  reason: 'canary of hookloop doctor',
} as const;

/** A hook of the user's own, so that no one has to trust it: it notes every call, and refuses one of them. */
function canaryFiles(home: string): Files {
  const script = join(home, 'canary.sh');
  return {
    [join(home, '.config/hookloop/hooks.yaml')]: JSON.stringify({
      hooks: {
        'tool.calling': [{ type: 'shell', name: canaryName.reason, command: `sh ${quoted(script)}`, block: true }],
      },
    }),
    [script]: `call=$(cat)
printf '%s\\n' "$call" >> ${quoted(join(home, canaryName.log))}
case $call in
  *${canaryName.refused}*) exit 1 ;;
esac
`,
  };
}

/** How a program ended and the last it said, on one line. */
export function lastWords(outcome: ActionOutcome): string {
  const said =
    'stdout' in outcome ? ownLine(outcome.stderr) || lastLine(outcome.stderr) || lastLine(outcome.stdout) : '';
  return said === '' ? howItEnded(outcome) : `${howItEnded(outcome)}: ${said}`;
}

function howItEnded(outcome: ActionOutcome): string {
  if (outcome.kind === 'timed-out') return `had not finished after ${Math.round(outcome.afterMs / 1000)} s`;
  return 'stdout' in outcome || outcome.kind === 'not-started' ? printable(outcomeWords(outcome)) : 'interrupted';
}

const maxLength = 300;

/** What hookloop says of itself tells more than what follows from it. */
const ownLine = (text: string): string => shown(text.split('\n').find(line => line.startsWith('hookloop: ')));

const lastLine = (text: string): string => shown(text.split('\n').findLast(line => line.trim() !== ''));

const shown = (line = ''): string => printable(line.trim()).slice(0, maxLength);
