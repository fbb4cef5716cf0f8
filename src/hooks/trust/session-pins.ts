import { relative } from 'node:path';
import { canRefuse } from '../../dialects/gates.ts';
import { type ActionKind, type HookDefinition, isPending, type Places, type RunAction } from '../../model/index.ts';
import { recheckedEvents } from '../../model/protect.ts';
import { needsTrust } from './gated-events.ts';
import { canonical, hashFile, normalHook, sha256 } from './hashes.ts';
import { namedFiles } from './named-files.ts';
import type { ScriptMark } from './pins.ts';
import { ifStillTrusted } from './still-trusted.ts';

/** The gates of a session and the scripts they name, as they were when it began or when a person last accepted them. */
export interface SessionPins {
  /** By what a gate is, where people find it. */
  gates: Readonly<Record<string, string>>;
  /** Hashes of the files that gates name by path. What was not there is left out: work may have to make it first. */
  scripts: Readonly<Record<string, string>>;
  /** Those of both that `hookloop trust` speaks for. */
  trustable: readonly string[];
}

export interface Changed {
  /** For people. */
  what: string;
  isTrustable: boolean;
}

/** `isRechecked`: files that a gate has to pass with as they were, which says more than that they are as they were. */
export function pinSession(
  hooks: readonly HookDefinition[],
  places: Places,
  isRechecked: (path: string) => boolean = () => false,
): SessionPins {
  const gates = hooks.filter(isSessionGate);
  const free = freeScripts(hooks, places, isRechecked);
  const paths = new Set(gates.flatMap(hook => pathsOf(hook, places)).filter(path => !free.has(path)));
  const trustable = gates.filter(needsTrust).flatMap(hook => [fingerprint(hook, places), ...pathsOf(hook, places)]);
  return {
    trustable: [...new Set(trustable)],
    gates: Object.fromEntries(gates.map(hook => [fingerprint(hook, places), labelOf(hook)])),
    scripts: Object.fromEntries(
      [...paths].flatMap(path => {
        const hash = hashFile(path);
        return hash === null ? [] : [[path, hash] as const];
      }),
    ),
  };
}

/** Scripts that may change, since every gate that names them is run with them as they were, too. */
export function freeScripts(
  hooks: readonly HookDefinition[],
  places: Places,
  isRechecked: (path: string) => boolean,
): ReadonlySet<string> {
  const ofGate = (hook: HookDefinition): boolean =>
    recheckedEvents.has(hook.event) && hook.action.kind === 'shell' && isSessionGate(hook);
  const held = new Set(hooks.filter(hook => !ofGate(hook)).flatMap(hook => pathsOf(hook, places)));
  const named = hooks.filter(ofGate).flatMap(hook => pathsOf(hook, places));
  return new Set(named.filter(path => isRechecked(path) && !held.has(path)));
}

/** What is no longer as it was pinned. New gates are welcome; none may be taken away or changed unseen. */
export function changedSince(pins: SessionPins, hooks: readonly HookDefinition[], places: Places): Changed[] {
  const now = new Set(hooks.filter(isSessionGate).map(hook => fingerprint(hook, places)));
  const gates = Object.entries(pins.gates).filter(([gate]) => !now.has(gate));
  const scripts = Object.entries(pins.scripts).filter(([path, hash]) => hashFile(path) !== hash);
  const isTrustable = (one: string): boolean => pins.trustable.includes(one);
  return [
    ...gates.map(([gate, label]) => ({ what: `gate ${label}`, isTrustable: isTrustable(gate) })),
    ...scripts.map(([path]) => ({ what: shown(path, places), isTrustable: isTrustable(path) })),
  ];
}

/** Stands before every action: a gate whose script is not as it was pinned says no, and names it. */
export function onlyAsPinned(pins: SessionPins, hooks: readonly HookDefinition[], places: Places, accept: string) {
  const gates = hooks.filter(isSessionGate);
  const scripts = Object.fromEntries(gates.map(hook => [hook.id, marksOf(hook, pins, places)]));
  const words = (path: string): string =>
    `${shown(path, places)} has changed since this session began, so the gate no longer counts. Restore it, or have a person look at it and run: ${accept}`;
  return <Kind extends ActionKind>(run: RunAction<Kind>): RunAction<Kind> =>
    ifStillTrusted(run, { scripts }, { sayChanged: words, endsSession });
}

const isSessionGate = (hook: HookDefinition): boolean => hook.disabled === undefined && canRefuse(hook);

/** A no that only sends the agent back to work ends the session: its work does not bring the gate back. */
const endsSession = ({ event }: HookDefinition): boolean => event === 'turn.ending' || !isPending(event);

const pathsOf = (hook: HookDefinition, places: Places): readonly string[] =>
  namedFiles(hook, hook.root === undefined ? places : { ...places, root: hook.root, cwd: hook.root }).paths;

const marksOf = (hook: HookDefinition, { scripts }: SessionPins, places: Places): ScriptMark[] =>
  pathsOf(hook, places).flatMap(path =>
    Object.hasOwn(scripts, path) ? [[path, scripts[path]!, undefined] as const] : [],
  );

function fingerprint(hook: HookDefinition, places: Places): string {
  const { id: _id, ...rest } = normalHook(hook, places);
  return sha256(canonical(rest)).slice(0, 16);
}

const labelOf = ({ name, source: { file, line } }: HookDefinition): string => `"${name}" (${file}:${line})`;

function shown(path: string, { root }: Places): string {
  const near = relative(root, path);
  return near.startsWith('..') ? path : near;
}
