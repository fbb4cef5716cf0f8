import { acceptTrust, changesSinceTrust, inspectTrust, type ProjectTrust, revokeTrust } from '../../app/trust.ts';
import { describeProblem } from '../../model/index.ts';
import { stateFlaw } from '../../platform/folders.ts';
import { askYesNo, canAsk } from '../ask-yes-no.ts';
import { type Command, type CommandIo, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { refuseAgents } from '../not-for-agents.ts';
import { terminalOf } from '../print/paint.ts';
import { flat, jsonText } from '../print/text.ts';
import { changesText, hooksText, statusJson, statusText, trustWords } from '../print/trust.ts';

export const trust: Command = {
  name: 'trust',
  summary: "Show what this project's hooks run and, after asking, let agents run them",
  options: {
    yes: { short: 'y', doc: 'do not ask' },
    status: { doc: 'only say whether the hooks are trusted, and print their hash for HOOKLOOP_TRUST' },
    revoke: { doc: 'stop trusting them' },
  },
  example: 'hookloop trust',
  run({ flags }, io) {
    const wishes = ['yes', 'status', 'revoke'].filter(flag => flags.has(flag));
    if (flags.has('status') && wishes.length > 1)
      throw new UsageError(`--status does nothing: leave out --${wishes[0]}`);
    const project = inspectTrust(io);
    const isJson = flags.has('json');
    if (flags.has('status')) {
      tellStatus(project, isJson, io);
      return project.isTrusted ? exit.done : exit.failed;
    }
    refuseAgents('trust', io);
    if (flags.has('revoke')) return revoke(project, isJson, io);
    return accept(project, isJson, flags.has('yes'), io);
  },
};

function tellStatus(project: ProjectTrust, isJson: boolean, io: CommandIo): void {
  io.out(isJson ? jsonText(statusJson(project, io.mask)) : statusText(project));
}

async function revoke(project: ProjectTrust, isJson: boolean, io: CommandIo): Promise<number> {
  const kept = await revokeTrust(project, io.env);
  if (kept.kind === 'failed') return tellFailure(kept.reason, io);
  const { places, status } = project;
  if (isJson) tellStatus(inspectTrust(io), isJson, io);
  else io.out(`The hooks of ${flat(places.root)} ${status.before ? 'are no longer trusted' : 'were not trusted'}.\n`);
  return exit.done;
}

async function accept(project: ProjectTrust, isJson: boolean, isAgreed: boolean, io: CommandIo): Promise<number> {
  const { status, broken, isTrusted } = project;
  if (broken.length > 0) {
    io.err(broken.map(problem => `${describeProblem(problem)}\n`).join(''));
    io.err('Nothing was changed: files that cannot be read completely cannot be trusted. Fix them first.\n');
    return exit.badConfig;
  }
  if (status.remedy !== undefined) return tellFailure(`${status.doubt}; do this first: ${status.remedy}`, io);
  if (isTrusted && (status.before !== undefined || status.files.size === 0)) {
    tellStatus(project, isJson, io);
    return exit.done;
  }
  const flaw = stateFlaw(io.env);
  if (flaw !== undefined) return tellFailure(flaw, io);
  if (!isJson) await show(project, io);
  const words = trustWords(project);
  if (!isAgreed) {
    if (isJson || !canAsk(io)) {
      if (isJson) tellStatus(project, isJson, io);
      io.err(`Nothing was changed: there is no terminal to ask on. ${words.agree}: hookloop trust --yes\n`);
      return exit.failed;
    }
    if (!(await askYesNo(words.question, io))) {
      io.err('Nothing was changed.\n');
      return exit.failed;
    }
  }
  const kept = await acceptTrust(project, io.env);
  if (kept.kind === 'failed') return tellFailure(kept.reason, io);
  if (isJson) tellStatus({ ...project, isTrusted: true }, isJson, io);
  else io.out(`${words.done}\n`);
  return exit.done;
}

async function show(project: ProjectTrust, io: CommandIo): Promise<void> {
  const look = { mask: io.mask, colours: terminalOf(io).colours };
  io.out(hooksText(project, look));
  const changes = changesSinceTrust(project, io.env);
  if (changes) io.out(await changesText(changes, look));
}

function tellFailure(reason: string, io: CommandIo): number {
  io.err(`hookloop trust: nothing was changed: ${flat(reason)}\n`);
  return exit.failed;
}
