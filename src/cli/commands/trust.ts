import { type AllHooks, loadAllHooks } from '../../app/list.ts';
import { withoutRoots } from '../../hooks/discovery/load.ts';
import { createLook } from '../../hooks/discovery/look.ts';
import { rootsAbove } from '../../hooks/plan/applying.ts';
import { createMask } from '../../hooks/secrets/mask.ts';
import {
  type Kept,
  keepTrust,
  readSnapshot,
  removeSnapshot,
  takeSnapshot,
  writeSnapshot,
} from '../../hooks/trust/keep.ts';
import { type Pinned, pinHooks, wholeHash } from '../../hooks/trust/pins.ts';
import { type TrustStatus, trustStatus } from '../../hooks/trust/status.ts';
import { describeProblem, type Problem, printableJson } from '../../model/index.ts';
import { stateFlaw } from '../../platform/folders.ts';
import { askYesNo, canAsk } from '../ask-yes-no.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import type { Io } from '../io.ts';
import { refuseAgents } from '../not-for-agents.ts';
import { createColours } from '../print/paint.ts';
import { flat } from '../print/text.ts';
import { trustDiff } from '../trust-diff.ts';
import { hooksText, statusText, trustWords } from '../trust-text.ts';

export const trust: Command = {
  name: 'trust',
  summary: 'Show what the hooks of this project run and, after asking, let agents run them',
  arguments: [],
  options: {
    yes: { short: 'y', doc: 'do not ask' },
    status: { doc: 'only say whether the hooks are trusted as they are, and their hash for HOOKLOOP_TRUST' },
    revoke: { doc: 'trust them no longer' },
  },
  example: 'hookloop trust',
  run({ flags }, io) {
    const wishes = ['yes', 'status', 'revoke'].filter(flag => flags.has(flag));
    if (flags.has('status') && wishes.length > 1)
      throw new UsageError(`--status does nothing: leave out --${wishes[0]}`);
    const project = look(io);
    const isJson = flags.has('json');
    if (flags.has('status')) return tellStatus(project, isJson, io);
    refuseAgents('trust', io);
    if (flags.has('revoke')) return revoke(project, isJson, io);
    return accept(project, { isJson, isAgreed: flags.has('yes'), color: !flags.has('no-color') }, io);
  },
};

interface Project extends AllHooks {
  pinned: Pinned;
  hash: string;
  status: TrustStatus;
  /** Errors of the project's own files: what they would run is not known. */
  broken: readonly Problem[];
}

function look(io: Io): Project {
  const eyes = createLook();
  const all = withinItsRoot(loadAllHooks(io, eyes));
  const pinned = pinHooks({ ...all, look: eyes });
  const hash = wholeHash(pinned);
  const status = trustStatus({ pins: pinned, root: all.places.root, env: io.env, whole: hash });
  const broken = all.problems.filter(({ severity, at }) => severity === 'error' && !at.file.startsWith('/'));
  return { ...all, pinned, hash, status, broken };
}

/** Who trusts a file that says `root: true` agrees with that as well. */
function withinItsRoot(all: AllHooks): AllHooks {
  const [end] = all.ends;
  if (end === undefined) return all;
  const left = rootsAbove(end, all.places);
  return { ...withoutRoots(left, all), outer: all.outer.filter(({ places }) => !left.includes(places.root)) };
}

const isTrusted = ({ status: { files, doubt }, broken }: Project): boolean =>
  broken.length === 0 && doubt === undefined && [...files.values()].every(state => state === 'trusted');

/** A contract with scripts. */
function statusJson(project: Project, io: Io, trusted = isTrusted(project)): string {
  const mask = createMask(io.env);
  const { hash, status, broken } = project;
  const wrong = new Set(broken.map(({ at }) => at.file));
  const states = new Map<string, string>(status.files);
  for (const file of wrong) states.set(file, 'broken');
  const files = [...states].map(([file, state]) => ({ file, state: trusted ? 'trusted' : state }));
  const { doubt: why, remark } = status;
  const unpinned = Object.entries(project.pinned.contents).flatMap(([file, { unpinned: words = [] }]) =>
    words.map(word => ({ file, word: mask(word) })),
  );
  const more = { ...(why && { why }), ...(remark && { remark }), ...(unpinned.length > 0 && { unpinned }) };
  const told = { trusted, hash, files, ...more };
  return `${printableJson(told, 2)}\n`;
}

function tellStatus(project: Project, isJson: boolean, io: Io): number {
  io.out(isJson ? statusJson(project, io) : statusText({ ...project, trusted: isTrusted(project) }));
  return isTrusted(project) ? exit.done : exit.failed;
}

async function revoke({ status, places }: Project, isJson: boolean, io: Io): Promise<number> {
  const flaw = stateFlaw(io.env);
  if (flaw !== undefined) return tellFailure({ reason: flaw }, io);
  const key = status.before?.key ?? status.repository.key;
  const kept = await keepTrust(io.env, key, undefined, folder => removeSnapshot(folder, key));
  if (kept.kind === 'failed') return tellFailure(kept, io);
  if (isJson) io.out(statusJson(look(io), io));
  else io.out(`The hooks of ${flat(places.root)} ${status.before ? 'are trusted no longer' : 'were not trusted'}.\n`);
  return exit.done;
}

interface Wish {
  isJson: boolean;
  isAgreed: boolean;
  color: boolean;
}

async function accept(project: Project, { isJson, isAgreed, color }: Wish, io: Io): Promise<number> {
  const { status, pinned, places, broken } = project;
  if (broken.length > 0) {
    io.err(broken.map(problem => `${describeProblem(problem)}\n`).join(''));
    io.err('Nothing was changed: files that cannot be read as a whole cannot be trusted. Mend them first.\n');
    return exit.badConfig;
  }
  const { doubt, remedy } = status;
  if (remedy !== undefined) return tellFailure({ reason: `${doubt}; do this first: ${remedy}` }, io);
  if (isTrusted(project) && (status.before !== undefined || status.files.size === 0)) {
    io.out(isJson ? statusJson(project, io) : statusText({ ...project, trusted: true }));
    return exit.done;
  }
  const flaw = stateFlaw(io.env);
  if (flaw !== undefined) return tellFailure({ reason: flaw }, io);
  if (!isJson) {
    const mask = createMask(io.env);
    const colours = createColours(color && io.terminal('out').color);
    io.out(hooksText({ ...project, mask, colours }));
    const before = status.before && readSnapshot(io.env, status.before.key);
    if (status.before) io.out(trustDiff(before, takeSnapshot(pinned.contents, places.root), mask, colours));
  }
  const words = trustWords(status);
  if (!isAgreed) {
    if (isJson || !canAsk(io)) {
      if (isJson) io.out(statusJson(project, io));
      io.err(`Nothing was changed: there is no terminal to ask on. ${words.agree}: hookloop trust --yes\n`);
      return exit.failed;
    }
    if (!(await askYesNo(words.question, io))) {
      io.err('Nothing was changed.\n');
      return exit.failed;
    }
  }
  const kept = await keep(project, io);
  if (kept.kind === 'failed') return tellFailure(kept, io);
  if (isJson) io.out(statusJson(project, io, true));
  else io.out(`${words.done}\n`);
  return exit.done;
}

/** What was shown is what is trusted: files that have changed meanwhile have another hash. */
function keep({ status, pinned, places }: Project, io: Io): Promise<Kept> {
  const { repository, before } = status;
  const trusted = { root: repository.root, at: new Date().toISOString(), files: pinned.files };
  return keepTrust(
    io.env,
    repository.key,
    trusted,
    folder => writeSnapshot(folder, repository.key, takeSnapshot(pinned.contents, places.root)),
    before?.key,
  );
}

function tellFailure({ reason }: { reason: string }, io: Io): number {
  io.err(`hookloop trust: nothing was changed: ${flat(reason)}\n`);
  return exit.failed;
}
