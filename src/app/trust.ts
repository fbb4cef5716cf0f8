import { withoutRoots } from '../hooks/discovery/load.ts';
import { createLook, type Look } from '../hooks/discovery/look.ts';
import { rootsAbove } from '../hooks/plan/compile.ts';
import { needsTrust } from '../hooks/trust/gated-events.ts';
import { rootMark } from '../hooks/trust/hashes.ts';
import {
  type Kept,
  keepTrust,
  readSnapshot,
  removeSnapshot,
  type Snapshot,
  takeSnapshot,
  writeSnapshot,
} from '../hooks/trust/keep.ts';
import { checkHooks, type TrustCheck } from '../hooks/trust/may-run.ts';
import { type Pinned, type PinnedFile, pinHooks, wholeHash } from '../hooks/trust/pins.ts';
import { type Question, type TrustStatus, trustStatus } from '../hooks/trust/status.ts';
import type { HookDefinition, Problem } from '../model/index.ts';
import { isObject } from '../model/json.ts';
import { type PipelinePlan, pipelineHooks } from '../model/pipeline.ts';
import { stateFlaw } from '../platform/folders.ts';
import type { Where } from './context.ts';
import { type AllHooks, loadAllHooks } from './list.ts';
import type { SessionPorts } from './session-ports.ts';

/**
 * The hooks of a project, what they run, and what of it their user has trusted. `hooks` are those that run by themselves
 * only where they are trusted.
 */
export interface ProjectTrust extends AllHooks {
  pinned: Pinned;
  hash: string;
  status: TrustStatus;
  /** Errors of the project's own files: what they would run is not known. */
  broken: readonly Problem[];
  isTrusted: boolean;
}

/** Who trusts a file that says `root: true` agrees with that as well: what is above it is left out. */
export function inspectTrust(where: Where): ProjectTrust {
  const look = createLook();
  const all = withinItsRoot(loadAllHooks(where, look));
  const question = questionOf(all, look, where);
  const status = trustStatus(question);
  const broken = all.problems.filter(({ severity, at }) => severity === 'error' && !at.file.startsWith('/'));
  const { pins: pinned, whole: hash } = question;
  const hooks = all.hooks.filter(needsTrust);
  return { ...all, hooks, pinned, hash, status, broken, isTrusted: broken.length === 0 && isAllTrusted(status) };
}

function withinItsRoot(all: AllHooks): AllHooks {
  const [end] = all.ends;
  return end === undefined ? all : withoutRoots(rootsAbove(end, all.places), all);
}

function questionOf(all: AllHooks, look: Look, { env }: Where): Question & { pins: Pinned; whole: string } {
  const pins = pinHooks({ ...all, look });
  return { pins, root: all.places.root, env, whole: wholeHash(pins) };
}

const isAllTrusted = ({ files, doubt }: TrustStatus): boolean =>
  doubt === undefined && [...files.values()].every(state => state === 'trusted');

/** One thing that differs from what was trusted. */
export type TrustChange =
  | { kind: 'file-gone'; file: string; hooks: readonly { event: string; name: string }[] }
  /** A line for every fact about its hooks and settings. */
  | { kind: 'hooks'; file: string; before: string; after: string }
  | { kind: 'script-gone'; file: string }
  | { kind: 'script'; file: string; isNew: boolean; nowExecutable?: boolean; content?: ChangedText };

/** Absent is what is no text, or too long for one. */
interface ChangedText {
  before?: string | undefined;
  after: string | undefined;
}

/**
 * What differs from what was trusted before; undefined where nothing was. Hooks of new files are not told: they were not
 * trusted at all.
 */
export function changesSinceTrust(
  { status, pinned, places }: ProjectTrust,
  env: Where['env'],
): readonly TrustChange[] | 'not-kept' | undefined {
  if (status.before === undefined) return undefined;
  const before = readSnapshot(env, status.before.key);
  if (before === undefined) return 'not-kept';
  const now = takeSnapshot(pinned.contents, places.root);
  const files = differing(before.files, now.files).flatMap(([file, old, young]): TrustChange[] => {
    if (old === undefined) return [];
    if (young) return [{ kind: 'hooks', file, before: factsText(old), after: factsText(young) }];
    const hooks = old.hooks.map(hook => ({ event: String(hook['event']), name: String(hook['name']) }));
    return [{ kind: 'file-gone', file, hooks }];
  });
  const scripts = differing(scriptsOf(before), scriptsOf(now)).map(([file, old, young]): TrustChange => {
    if (young === undefined) return { kind: 'script-gone', file };
    // A script is told as its mode and its hash.
    const [was, is] = [old, young].map(script => script?.split(' ') ?? []);
    const isMode = [was![0], is![0]].sort().join() === 'executable,plain';
    const texts = { before: valueIn(before.texts, file), after: valueIn(now.texts, file) };
    return {
      ...{ kind: 'script', file, isNew: old === undefined },
      ...(isMode && { nowExecutable: is![0] === 'executable' }),
      ...(was!.at(-1) !== is!.at(-1) && { content: old === undefined ? { after: texts.after } : texts }),
    };
  });
  return [...files, ...scripts];
}

function differing<Value>(before: Readonly<Record<string, Value>>, now: Readonly<Record<string, Value>>) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names
    .map(name => [name, valueIn(before, name), valueIn(now, name)] as const)
    .filter(([, old, young]) => JSON.stringify(old) !== JSON.stringify(young));
}

const valueIn = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const scriptsOf = ({ files }: Snapshot): Record<string, string> =>
  Object.fromEntries(Object.values(files).flatMap(({ scripts }) => Object.entries(scripts)));

/** One line for every fact, so that a diff shows just what changed. */
function factsText({ hooks, settings }: PinnedFile): string {
  const blocks = hooks.map(hook => `hook ${hook['id']}\n${factLines(hook, '  ').join('')}`);
  return `${factLines(settings, '').join('')}${blocks.join('')}`.replaceAll(rootMark, '<root>');
}

function factLines(value: Readonly<Record<string, unknown>>, indent: string): string[] {
  return Object.entries(value)
    .filter(([key, child]) => key !== 'id' && child !== undefined)
    .flatMap(([key, child]) => {
      if (isObject(child))
        return factLines(child as Record<string, unknown>, indent).map(line => `${indent}${key}.${line.trimStart()}`);
      const text = typeof child === 'string' ? child : JSON.stringify(child);
      return text.split('\n').map((line, at) => `${indent}${at === 0 ? `${key}: ` : '  '}${line}\n`);
    });
}

/** What was inspected is what is trusted: files that have changed meanwhile have another hash. */
export async function acceptTrust({ status, pinned, places }: ProjectTrust, env: Where['env']): Promise<Kept> {
  const { repository, before } = status;
  const trusted = { root: repository.root, at: new Date().toISOString(), files: pinned.files };
  const keepTexts = (folder: string): void =>
    writeSnapshot(folder, repository.key, takeSnapshot(pinned.contents, places.root));
  return keepTrust(env, repository.key, trusted, keepTexts, before?.key);
}

export async function revokeTrust({ status }: ProjectTrust, env: Where['env']): Promise<Kept> {
  const flaw = stateFlaw(env);
  if (flaw !== undefined) return { kind: 'failed', reason: flaw };
  const key = status.before?.key ?? status.repository.key;
  return keepTrust(env, key, undefined, folder => removeSnapshot(folder, key));
}

/** Whether a session may run that requires trust: its pipeline's hooks count too. */
export function checkSessionTrust(
  plan: PipelinePlan,
  projectHooks: readonly HookDefinition[],
  ports: SessionPorts,
): Omit<TrustCheck, 'remark'> {
  const { remark, ...check } = checkHooks([...pipelineHooks(plan), ...projectHooks], questionAt(ports));
  if (remark !== undefined) ports.onRemark(remark);
  return check;
}

/** Whether agents may run the project's own hooks: `unneeded` where there are none that would need trust. */
export function trustState(where: Where): 'trusted' | 'untrusted' | 'unneeded' {
  const { status, isTrusted } = inspectTrust(where);
  if (!isTrusted) return 'untrusted';
  return status.files.size === 0 ? 'unneeded' : 'trusted';
}

/** Whether a person has accepted this project's hooks and their scripts exactly as they are. */
export function isTrustedNow(where: Where): boolean {
  const status = trustStatus(questionAt(where));
  return status.before !== undefined && isAllTrusted(status);
}

function questionAt(where: Where): Question {
  const look = createLook();
  return questionOf(loadAllHooks(where, look), look, where);
}
