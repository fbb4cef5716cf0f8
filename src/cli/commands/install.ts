import { realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { didYouMean } from '../../config/nearest.ts';
import { dialects } from '../../dialects/index.ts';
import { createLook } from '../../hooks/discovery/look.ts';
import { findPlaces } from '../../hooks/discovery/roots.ts';
import type { InstallScope } from '../../hosts/host.ts';
import { type AgentName, agentNames } from '../../hosts/index.ts';
import { unifiedDiff } from '../../hosts/install/diff.ts';
import { isCommittable } from '../../hosts/install/files.ts';
import { calledElsewhere, type Doing, type Elsewhere, type Planned, planChange } from '../../hosts/install/install.ts';
import { launcherPath, removeLauncher, writeLauncher } from '../../hosts/install/launcher.ts';
import { openRecords, type Records } from '../../hosts/install/records.ts';
import { describeProblem, printable } from '../../model/index.ts';
import { stateFolder, whyUnusable } from '../../platform/folders.ts';
import { launcherText } from '../../serve/launcher.ts';
import { withHint } from '../arguments.ts';
import { type Arguments, type Command, type Option, UsageError } from '../command.ts';
import { projectTrust } from '../doctor-project.ts';
import { exit } from '../exit.ts';
import { type HttpInstall, httpInstall } from '../install-http.ts';
import { changeText, machineOnly } from '../install-text.ts';
import { type Io, WorldError } from '../io.ts';

export const scopeOptions: Readonly<Record<string, Option>> = {
  user: { doc: 'for every project of yours' },
  shared: { doc: 'in the file that is committed with the project; finds hookloop on PATH' },
  'dry-run': { doc: 'show what would change, as a diff' },
};

export const install: Command = {
  name: 'install',
  summary: "Make an agent's own hooks call Hookloop",
  arguments: ['AGENT'],
  options: {
    ...scopeOptions,
    http: { doc: 'send calls around tools straight to hookloop serve, which gates then need (claude only)' },
  },
  example: 'hookloop install claude --dry-run',
  run: (args, io) => changeHost('install', args, io),
};

/** `install` and `uninstall`: one file of one agent. */
export async function changeHost(doing: Doing, { positionals, flags }: Arguments, io: Io): Promise<number> {
  const agent = knownAgent(positionals[0]!);
  const scope = scopeOf(flags);
  const state = stateFolder(io.env);
  const { root, home } = findPlaces(io.cwd, io.env, dialects, createLook());
  const records = openRecords(state === undefined ? undefined : join(state, 'installs'));
  const program = scope === 'shared' ? 'hookloop' : state === undefined ? ownProgram() : launcherPath(state);
  const folders = { root, home, env: io.env };
  const http = flags.has('http') ? httpInstall(agent, scope, state) : undefined;
  const wanted = { agent, scope, folders, program, ...(http && { http: http.wanted }) };
  const planned = tryPlan(() => planChange(doing, wanted, records));
  const shown = shownIn(root, { scope, file: planned.file });
  if (planned.kind === 'problem') {
    io.err(`${describeProblem({ ...planned.problem, at: { ...planned.problem.at, file: shown } })}\n`);
    return exit.badConfig;
  }
  if (planned.kind === 'refused') {
    io.err(`hookloop ${doing}: ${printable(`${shown}: ${planned.why}`)}\n`);
    return exit.failed;
  }
  const isDry = flags.has('dry-run');
  if (!isDry) apply(doing, planned, records, state, scope, http);
  const elsewhere = doing === 'uninstall' ? calledElsewhere(wanted) : undefined;
  const diff = planned.kind === 'change' ? unifiedDiff(shown, planned.before, planned.after) : '';
  if (flags.has('json'))
    io.out(
      `${JSON.stringify({ agent, scope, file: planned.file, changed: planned.kind === 'change', diff, ...(elsewhere && { elsewhere }), ...(http && { http: http.json }) })}\n`,
    );
  else if (diff !== '' && isDry) io.out(diff);
  else {
    const isWaiting = doing === 'install' && scope !== 'user' && projectTrust(io).trust === 'untrusted';
    const isPassing = ownProgram().includes('/_npx/');
    const others = (elsewhere ?? []).map(other => ({ ...other, file: shownIn(root, other) }));
    const text = changeText({ doing, agent, scope, file: shown, kind: planned.kind, isWaiting, isPassing, others });
    io.err(`${[text, ...(http?.hints ?? [])].join('\n')}\n`);
  }
  const warnings = doing === 'install' ? await warningsOf({ agent, scope, file: planned.file, root }, http, io) : [];
  for (const warning of warnings) io.err(`${printable(warning)}\n`);
  return exit.done;
}

const shownIn = (root: string, { scope, file }: Elsewhere): string => (scope === 'user' ? file : relative(root, file));

/** What people should know whatever they asked to be printed. */
async function warningsOf(
  { agent, scope, file, root }: { agent: AgentName; scope: InstallScope; file: string; root: string },
  http: HttpInstall | undefined,
  { env }: Io,
): Promise<string[]> {
  const isForHere = scope === 'project' && isCommittable(file, root, env);
  return [...(isForHere ? [machineOnly(agent, relative(root, file))] : []), ...((await http?.warnings()) ?? [])];
}

function knownAgent(name: string): AgentName {
  const known = agentNames.find(agent => agent === name);
  if (known) return known;
  throw new UsageError(
    withHint(`unknown agent ${name}`, didYouMean(name, agentNames) ?? `known: ${agentNames.join(', ')}`),
  );
}

function scopeOf(flags: ReadonlySet<string>): InstallScope {
  if (flags.has('user') && flags.has('shared')) throw new UsageError('--user and --shared exclude each other');
  return flags.has('user') ? 'user' : flags.has('shared') ? 'shared' : 'project';
}

/** A path that cannot be looked at is no bug: something else may stand where the agent's folder should be. */
function tryPlan(plan: () => Planned): Planned {
  try {
    return plan();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new WorldError(inWords(error));
  }
}

function apply(
  doing: Doing,
  planned: Extract<Planned, { kind: 'change' | 'same' }>,
  records: Records,
  state: string | undefined,
  scope: InstallScope,
  http: HttpInstall | undefined,
): void {
  try {
    http?.prepare();
    if (doing === 'install' && state !== undefined && scope !== 'shared')
      writeLauncher(
        state,
        launcherText({ node: process.execPath, program: ownProgram(), state, path: process.env['PATH'] }),
      );
    planned.apply?.();
    if (doing === 'uninstall' && state !== undefined && records.isEmpty()) removeLauncher(state);
  } catch (error) {
    throw new WorldError(`${planned.file}: ${inWords(error)}`);
  }
}

/** Where a folder is missing the system tells only what it was asked for. */
function inWords(error: unknown): string {
  const { path, message } = error as NodeJS.ErrnoException;
  const why = path === undefined ? undefined : whyUnusable(dirname(path), true);
  return why === undefined ? message : `${why}, so there can be no ${path}`;
}

/** The file that was started, not the link to it. */
const ownProgram = (): string => realpathSync(process.argv[1]!);
