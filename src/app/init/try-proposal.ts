import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendItems } from '../../config/append-items.ts';
import { loadHooks } from '../../hooks/discovery/load.ts';
import { compilePlan } from '../../hooks/plan/compile.ts';
import type { HookDefinition } from '../../model/index.ts';
import { problemLine } from '../../model/index.ts';
import { check } from '../check.ts';
import type { Env } from '../context.ts';
import { runTests } from '../run-tests.ts';
import { testFileName } from '../test-file.ts';
import type { ProposedEntry } from './rules-question.ts';

/** An entry that `check` accepts and whose cases pass. */
export interface TriedEntry extends ProposedEntry {
  hook: HookDefinition;
  /** What it would run; undefined where it runs nothing. */
  runs?: string;
}

export interface RefusedEntry {
  proposed: ProposedEntry;
  why: string;
}

interface Tried {
  good: readonly TriedEntry[];
  refused: readonly RefusedEntry[];
}

const native = 'hookloop.yaml';

/** Checks entries and runs their cases, each entry by itself, in a folder made for it. Nothing that an entry names is run. */
export async function tryProposal(
  entries: readonly ProposedEntry[],
  { env, signal, program }: { env: Env; signal: AbortSignal; program: string },
): Promise<Tried> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-rules-')));
  const [root, home] = [join(folder, 'project'), join(folder, 'home')];
  try {
    for (const made of [root, home]) mkdirSync(made);
    // No hook of the user's own, and none of their folders.
    const place = { cwd: root, env: { PATH: env['PATH'], LANG: env['LANG'], HOME: home }, signal, program };
    const good: TriedEntry[] = [];
    const refused: RefusedEntry[] = [];
    for (const proposed of entries) {
      const tried = await tryEntry(proposed, place);
      if (typeof tried === 'string') refused.push({ proposed, why: tried });
      else good.push(tried);
    }
    return { good: withOwnIds(good, place), refused };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Place {
  cwd: string;
  env: Env;
  signal: AbortSignal;
  program: string;
}

/** Why it is not proposed, where it is not. */
async function tryEntry(proposed: ProposedEntry, place: Place): Promise<TriedEntry | string> {
  const text = appendItems('', ['hooks', proposed.event], [{ value: proposed.entry }]);
  if (text === undefined) return 'it cannot be written as YAML';
  writeFileSync(join(place.cwd, native), text);
  const flaws = check(place).problems.filter(({ severity }) => severity === 'error');
  if (flaws.length > 0) return flaws.slice(0, 3).map(problemLine).join('; ');
  const hook = loadHooks({ cwd: place.cwd, env: place.env }).hooks[0];
  if (!hook) return 'it makes no hook';
  const { action } = hook;
  if (!offered.has(action.kind) || (action.kind === 'ask' && action.notify))
    return 'an entry of rules sends nothing anywhere and starts no pipeline: deny, ask, tell, shell or judge';
  if (action.kind === 'shell') return { ...proposed, cases: [], hook, runs: action.command };
  return (await casesFlaw(proposed, place)) ?? { ...proposed, hook };
}

/** What the agent was offered. A person who says yes to a sentence does not look for where things are sent. */
const offered: ReadonlySet<string> = new Set(['deny', 'ask', 'tell', 'shell', 'judge']);

async function casesFlaw({ event, cases }: ProposedEntry, place: Place): Promise<string | undefined> {
  if (cases.length === 0) return 'it has no case that shows what it does';
  const items = cases.map(({ name, with: fields, expect, message }) => ({
    value: { name, event, ...(fields && { with: fields }), expect, ...(message !== undefined && { message }) },
  }));
  const text = appendItems('', ['tests'], items);
  if (text === undefined) return 'its cases cannot be written as YAML';
  writeFileSync(join(place.cwd, testFileName), text);
  const ran = await runTests([], {
    ...place,
    plans: async request => compilePlan(request),
    report: () => ({ line: () => {}, progress: () => {} }),
    tell: () => {},
    onResult: () => {},
  });
  if (ran.kind === 'bad-files') return ran.problems.slice(0, 3).map(problemLine).join('; ');
  if (ran.kind !== 'ran') return ran.kind === 'broken' ? ran.why : 'its cases were cut off';
  const failed = ran.results.find(({ status }) => status === 'failed');
  if (failed) return `its case "${failed.name}" fails: ${failed.why}`;
  const applies = ran.results.some(({ fired }) => fired.result.results.some(({ status }) => status !== 'skipped'));
  return applies ? undefined : 'in none of its cases does it apply';
}

/** All good ones in one file: there each has an id of its own. */
function withOwnIds(good: readonly TriedEntry[], { cwd, env }: Place): TriedEntry[] {
  const text = good.reduce<string>(
    (whole, { event, entry }) => appendItems(whole, ['hooks', event], [{ value: entry }])!,
    '',
  );
  writeFileSync(join(cwd, native), text);
  const { hooks } = loadHooks({ cwd, env });
  const taken = new Map<string, number>();
  return good.map(one => {
    const at = taken.get(one.event) ?? 0;
    taken.set(one.event, at + 1);
    return { ...one, hook: hooks.find(({ id }) => id === `native:${native}#${one.event}[${at}]`) ?? one.hook };
  });
}
