import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Ended, Passed, Recheck, Rechecked } from '../engine/recheck.ts';
import type { HookDefinition } from '../model/index.ts';
import { type Protect, recheckedEvents } from '../model/protect.ts';
import { listed } from '../model/words.ts';
import { realPath } from '../platform/folders.ts';
import { type GitCall, git } from '../workspace/git.ts';
import { findRepository, prefixIn } from '../workspace/repository.ts';
import { removeWorktree } from '../workspace/worktree.ts';
import { cleanTree } from './clean-tree.ts';
import { attributesPart, type Part, partsOf } from './parts.ts';
import type { SeenTree } from './present-tree.ts';
import { type Compared, type ProtectedChange, protectedChanges } from './protected-changes.ts';
import { changedReading } from './reading.ts';
import { makeWorkplace, newWorkplace, removeLeftWorkplaces, shareInto } from './workplace.ts';

interface SecondLook {
  root: string;
  protect: Protect;
  /** Where worktrees may lie: outside the project. */
  folder: string;
  /** The tree when the work began, or why it is not known. */
  base(): Promise<SeenTree>;
  /** The tree as it is. `reading` of both is compared where both have one. */
  now(): Promise<SeenTree>;
  isGate(hook: HookDefinition): boolean;
  /** Makes a worktree ready to run checks in. Says why it is not. */
  prepare(workspace: string, passed: Passed): Promise<string | undefined>;
  /** Before it is removed. */
  leave(workspace: string, passed: Passed): Promise<void>;
  warn(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * A gate that passed has to pass with the protected files as they were when the work began, too. It is run a second time
 * only where one of them is not as it was, in a clean worktree with all other files as they are.
 */
export function createSecondLook(look: SecondLook): Recheck {
  const parts = [...partsOf(look.protect.files), attributesPart];
  return async ({ hook }) => {
    if (!recheckedEvents.has(hook.event) || hook.action.kind !== 'shell' || !look.isGate(hook)) return undefined;
    const before = await look.now();
    return passed => lookAgain(look, parts, before, passed);
  };
}

/** `before`: the files that the gate has run with, whatever it made of them. */
async function lookAgain(
  look: SecondLook,
  parts: readonly Part[],
  before: SeenTree,
  passed: Passed,
): Promise<Rechecked | undefined> {
  const { hook, signal } = passed;
  const call: GitCall = { env: look.env, stop: signal };
  const found = await findRepository(look.root, call);
  if (found.kind !== 'repository') return cannotTell(found.why);
  const { top } = found.repository;
  const prefix = prefixIn(top, look.root);
  const [base, trees] = [await look.base(), [before, await look.now()]];
  const changed = await changesSince(base, trees, { top, prefix, call }, parts);
  if (changed.kind === 'failed') return cannotTell(changed.why);
  if (changed.changes.length === 0) return undefined;
  const { changes, now, was } = changed;
  const names = changes.flatMap(change => change.names);
  const index = `${newWorkplace(look.folder)}.index`;
  const clean = await cleanTree({ top, now, changes, index, call });
  if (clean.kind === 'failed') return cannotTell(clean.why, names);
  if (clean.tree === now) return { kind: 'passed', changed: names };
  await removeLeftWorkplaces(look.folder, top, call);
  const there = { look, passed, top, prefix, call };
  const second = await inWorkplace(there, clean.tree);
  if ('why' in second) return cannotTell(second.why, names);
  if (second.ended.reading.verdict.kind === 'passed') return { kind: 'passed', changed: names };
  // Perhaps it cannot pass there whatever the files say.
  const own = signal.aborted ? undefined : await inWorkplace(there, now);
  const isUnfit = own !== undefined && 'ended' in own && own.ended.reading.verdict.kind !== 'passed';
  if (isUnfit) return unfit(names, own, look.protect);
  const paths = changes.map(({ change }) => change.path);
  const question =
    look.protect.asks && (await questionAbout(names, { top, base: was, now, paths, call }, second.ended, hook));
  return bent(names, second.ended, question);
}

type Changed =
  | { kind: 'changes'; changes: readonly ProtectedChange[]; was: string; now: string }
  | { kind: 'failed'; why: string };

/** Of several trees, what is protected and has changed in the first one where something has. */
async function changesSince(
  base: SeenTree,
  trees: readonly SeenTree[],
  where: Pick<Compared, 'top' | 'prefix' | 'call'>,
  parts: readonly Part[],
): Promise<Changed> {
  if (base.kind === 'failed') return base;
  for (const now of trees) {
    if (now.kind === 'failed') return now;
    const settings = base.reading && now.reading ? changedReading(base.reading, now.reading) : [];
    if (settings.length > 0) return { kind: 'failed', why: otherwiseRead(settings) };
    const found = await protectedChanges({ ...where, base: base.tree, now: now.tree }, parts);
    if (found.kind === 'failed') return found;
    if (found.changes.length > 0) return { ...found, was: base.tree, now: now.tree };
  }
  return { kind: 'changes', changes: [], was: base.tree, now: base.tree };
}

/** So many names, and the number of the others. */
const shown = 5;

const otherwiseRead = (settings: readonly string[]): string =>
  `git was told to read files in another way since the work began (${listed(settings, shown)}), so what they hold cannot be told; put these settings back`;

interface There {
  look: SecondLook;
  passed: Passed;
  top: string;
  /** Of the project in the repository. */
  prefix: string;
  call: GitCall;
}

interface Ran {
  ended: Ended;
  /** Of what checks often need, what the worktree does not have. */
  missing: readonly string[];
}

/** Runs the gate in a clean worktree of the tree, which is gone afterwards. */
async function inWorkplace({ look, passed, top, prefix, call }: There, tree: string): Promise<Ran | { why: string }> {
  const workplace = newWorkplace(look.folder);
  const project = resolve(workplace, prefix);
  const why = await makeWorkplace(top, tree, workplace, call);
  if (why !== undefined) return { why };
  try {
    shareInto(look.root, project, look.protect.share);
    const unready = await look.prepare(project, passed);
    if (unready !== undefined) return { why: `its worktree could not be prepared: ${unready}` };
    const missing = needed.filter(name => existsSync(join(look.root, name)) && !existsSync(join(project, name)));
    const moved = createMove([look.root, top, realPath(top)], [project, workplace, workplace]);
    const ended = await passed.again(moved.there);
    return { ended: inWordsOf(ended, moved.back), missing };
  } finally {
    await look.leave(project, passed);
    const left = await removeWorktree(top, workplace, { env: look.env });
    if (left !== undefined) look.warn(`the worktree ${workplace} could not be removed: ${left}`);
  }
}

/** What installs put beside the files of a project, and no commit has. */
const needed = ['node_modules', '.venv', 'venv', 'vendor'];

/** Paths of the project as those of its worktree, and back. */
function createMove(from: readonly string[], to: readonly string[]) {
  const swap = (path: string, ones: readonly string[], others: readonly string[]): string => {
    const at = ones.findIndex(one => path === one || path.startsWith(`${one}/`));
    return at === -1 ? path : others[at]! + path.slice(ones[at]!.length);
  };
  return {
    there: (path: string): string => swap(path, from, to),
    /** Whoever reads what the check printed knows the project's paths. */
    back: (text: string): string => to.reduce((done, folder, at) => done.replaceAll(folder, from[at]!), text),
  };
}

function inWordsOf({ attempted, reading }: Ended, back: (text: string) => string): Ended {
  const texts = Object.entries(attempted.outcome).map(([key, value]) => [
    key,
    typeof value === 'string' ? back(value) : value,
  ]);
  const outcome = Object.fromEntries(texts) as Ended['attempted']['outcome'];
  const { verdict, refusal, feedback } = reading;
  return {
    attempted: { ...attempted, outcome },
    reading: {
      ...reading,
      verdict: verdict.kind === 'passed' ? verdict : { ...verdict, reason: back(verdict.reason) },
      ...(refusal !== undefined && { refusal: back(refusal) }),
      ...(feedback !== undefined && { feedback: back(feedback) }),
    },
  };
}

function cannotTell(why: string, changed: readonly string[] = []): Rechecked {
  const reason = `the check cannot be held against the protected files: ${why}`;
  return { kind: 'refused', changed, reason, text: reason };
}

const saidBy = ({ reading, attempted }: Ended): string => {
  const { verdict } = reading;
  if (reading.refusal !== undefined || verdict.kind === 'passed') return reading.refusal ?? '';
  return attempted.outcome.kind === 'exited'
    ? [verdict.reason, attempted.outcome.stdout, attempted.outcome.stderr]
        .map(text => text.trim())
        .filter(Boolean)
        .join('\n')
    : verdict.reason;
};

const reasonOf = ({ reading: { verdict } }: Ended): string => (verdict.kind === 'passed' ? '' : verdict.reason);

function bent(changed: readonly string[], ended: Ended, question: string | undefined): Rechecked {
  const intro = `with the original ${listed(changed, shown)} this check fails`;
  const text = [
    `W${intro.slice(1)}, and it passes only with your version. These files decide about the work, so the check has to pass with them as they were when the task began; new tests may be added.`,
    saidBy(ended),
  ].join('\n\n');
  return {
    kind: 'refused',
    changed,
    reason: `${intro}: ${reasonOf(ended)}`,
    text,
    ended,
    ...(question && { question }),
  };
}

function unfit(changed: readonly string[], { ended, missing }: Ran, { share }: Protect): Rechecked {
  const all = [...new Set([...share, ...missing])].join(', ');
  const way =
    missing.length > 0
      ? `The worktree has no ${missing.join(', ')}: write share: [${all}] beside the files of protect: in hookloop.yaml, or install it in a workspace.preparing hook.`
      : 'Make the worktree ready in a workspace.preparing hook, or name what it needs in share: of protect:.';
  const what = `${listed(changed, shown)} changed, and the check fails in a clean worktree whatever these files are`;
  const text = `${what}, so no one can tell whether it would pass with the originals. ${way} Until a person has done that, put the files back.\n\n${saidBy(ended)}`;
  return { kind: 'refused', changed, reason: `${what}: ${reasonOf(ended)}. ${way}`, text, ended };
}

interface Differing {
  top: string;
  base: string;
  now: string;
  paths: readonly string[];
  call: GitCall;
}

const maxDiffLength = 12_000;

async function questionAbout(
  names: readonly string[],
  { top, base, now, paths, call }: Differing,
  ended: Ended,
  { name }: HookDefinition,
): Promise<string> {
  const diff = await git(
    top,
    [
      'diff',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      base,
      now,
      '--',
      ...paths.map(path => `:(top,literal)${path}`),
    ],
    call,
  );
  const text = diff.kind === 'done' ? diff.text : `the difference cannot be shown: ${diff.why}`;
  const cut = text.length > maxDiffLength ? `${text.slice(0, maxDiffLength)}\n[...]` : text;
  return `"${name}" passes only with the changed ${listed(names, shown)}; with the original it fails: ${reasonOf(ended)}\n\nAccept the change?\n\n\`\`\`diff\n${cut}\n\`\`\``;
}
