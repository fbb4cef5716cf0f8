import { realpathSync } from 'node:fs';
import { agentNamed, changeEntries, type InstallRequest } from '../../app/install.ts';
import { describeProblem, printable } from '../../model/index.ts';
import { launcherText } from '../../serve/launcher.ts';
import { type Arguments, type Command, type Option, UsageError, withHint } from '../command.ts';
import { exit } from '../exit.ts';
import { type Io, SystemError } from '../io.ts';
import { refuseAgents } from '../not-for-agents.ts';
import { httpJson, httpWords, installText, shownIn, warningsOf } from '../print/install.ts';

const scopeOptions: Readonly<Record<string, Option>> = {
  user: { doc: 'for all your projects' },
  shared: { doc: 'in the file that is committed with the project; hookloop is then found on PATH' },
  'dry-run': { doc: 'show what would change, as a diff' },
};

export const install: Command = {
  name: 'install',
  summary: "Make an agent's own hooks call Hookloop",
  arguments: ['AGENT'],
  options: {
    ...scopeOptions,
    http: { doc: 'send calls around tools straight to hookloop serve, which must then be running (claude only)' },
  },
  example: 'hookloop install claude --dry-run',
  run: (args, io) => change('install', args, io),
};

export const uninstall: Command = {
  name: 'uninstall',
  summary: "Remove Hookloop's entries from an agent's own hooks",
  arguments: ['AGENT'],
  options: scopeOptions,
  example: 'hookloop uninstall claude',
  run(args, io) {
    if (!args.flags.has('dry-run')) refuseAgents('uninstall', io);
    return change('uninstall', args, io);
  },
};

async function change(doing: InstallRequest['doing'], { positionals, flags }: Arguments, io: Io): Promise<number> {
  const { agent } = knownAgent(positionals[0]!);
  const scope = scopeOf(flags);
  const isDry = flags.has('dry-run');
  const program = ownProgram();
  const request = { doing, agent, scope, isDry, http: flags.has('http') };
  const result = await changeEntries(request, {
    ...{ cwd: io.cwd, env: io.env, program },
    launcherText: state => launcherText({ node: process.execPath, program, state, path: process.env['PATH'] }),
  });
  if (result.kind === 'no-http' || result.kind === 'http-elsewhere') throw new UsageError(httpWords(agent, result));
  if (result.kind === 'failed') throw new SystemError(result.reason);
  const file = shownIn(result.root, { scope, file: result.file });
  if (result.kind === 'problem') {
    io.err(`${describeProblem({ ...result.problem, at: { ...result.problem.at, file } })}\n`);
    return exit.badConfig;
  }
  if (result.kind === 'refused') {
    io.err(`hookloop ${doing}: ${printable(`${file}: ${result.why}`)}\n`);
    return exit.failed;
  }
  const { change, elsewhere, http } = result;
  const isShown = change && (isDry || flags.has('json'));
  const diff = isShown ? (await import('../print/diff.ts')).unifiedDiff(file, change.before, change.after) : '';
  if (flags.has('json'))
    io.out(
      `${JSON.stringify({ agent, scope, file: result.file, changed: change !== undefined, diff, ...(elsewhere && { elsewhere }), ...(http && { http: httpJson(http) }) })}\n`,
    );
  else if (isShown) io.out(diff);
  else io.err(installText(request, result, program.includes('/_npx/')));
  for (const warning of warningsOf(request, result)) io.err(`${printable(warning)}\n`);
  return exit.done;
}

/** Throws usage errors. */
export function knownAgent(name: string) {
  const found = agentNamed(name);
  if ('agent' in found) return found;
  throw new UsageError(withHint(`unknown agent ${name}`, found.hint));
}

function scopeOf(flags: ReadonlySet<string>): InstallRequest['scope'] {
  if (flags.has('user') && flags.has('shared')) throw new UsageError('--user and --shared exclude each other');
  return flags.has('user') ? 'user' : flags.has('shared') ? 'shared' : 'project';
}

/** The file that was started, not the link to it. */
export const ownProgram = (): string => realpathSync(process.argv[1] ?? process.execPath);
