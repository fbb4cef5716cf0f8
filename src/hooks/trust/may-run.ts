import { type ActionKind, type HookDefinition, type HookEvent, printable, type RunAction } from '../../model/index.ts';
import { listed, trustStateWords } from '../../model/words.ts';
import { disablingFile, gatedEvents, needsTrust } from './gated-events.ts';
import { doubtfulGates, type Question, type TrustStatus, trustStatus } from './status.ts';
import { ifStillTrusted } from './still-trusted.ts';

/** Which hooks of an event may run where no one has asked for them by name. */
export interface Permit {
  hooks: readonly HookDefinition[];
  /** Why the event is refused without running anything. */
  refusal?: string;
  /** A line for people about hooks that were left out. */
  note?: string;
}

/** Says which hooks may run. Contract: never throws; a gate that may not run is a refusal, never missing in silence. */
export type MayRun = (event: HookEvent, hooks: readonly HookDefinition[]) => Permit;

export const mayRunAll: MayRun = (event, hooks) => ({ hooks: oursOf(event, hooks) });

/** Hooks that the agent runs itself are not ours to run, nor to hold back. */
const oursOf = ({ agent }: HookEvent, hooks: readonly HookDefinition[]): readonly HookDefinition[] =>
  hooks.filter(({ match }) => match.notAgent === undefined || match.notAgent !== agent);

/**
 * Which of these hooks are trusted as they are. Contract: never throws; a gate that may not run refuses, whatever hooks are
 * asked about.
 */
export function permitTrusted(question: Question, event: HookEvent, wanted: readonly HookDefinition[]): Permit {
  const hooks = oursOf(event, wanted);
  const status = trustStatus(question);
  const { files, doubt } = status;
  const isTrusted = (file: string): boolean => files.get(file) === 'trusted';
  if (gatedEvents.has(event.name)) {
    const doubtful = doubtfulGates(status, question.pins, event);
    if (doubt !== undefined || doubtful.length > 0) return { hooks: [], refusal: refusalText(doubtful, status) };
  }
  const kept = hooks.filter(hook => !needsTrust(hook) || isTrusted(hook.source.file));
  const left = new Set(hooks.filter(hook => !kept.includes(hook)).map(({ source }) => source.file));
  const notes = [
    left.size > 0 && `hooks of ${named([...left])} were skipped: ${whySkipped([...left], status)}`,
    kept.some(needsTrust) && status.remark,
  ].filter(Boolean);
  return {
    hooks: kept.map(hook => enabled(hook, isTrusted)),
    ...(notes.length > 0 && { note: `hookloop: ${notes.join('; ')}` }),
  };
}

/** A file that no one has trusted must not switch off the user's own hooks. */
function enabled(hook: HookDefinition, isTrusted: (file: string) => boolean): HookDefinition {
  const by = needsTrust(hook) ? undefined : disablingFile(hook);
  if (by === undefined || isTrusted(by)) return hook;
  const { disabled: _disabled, ...rest } = hook;
  return rest;
}

/** Goes to the agent, who cannot fix it, and to the person who can. */
function refusalText(doubtful: readonly string[], status: TrustStatus): string {
  const { doubt, remedy } = status;
  const why = doubt ?? `${named(doubtful)}: ${wordsOf(doubtful, status)}`;
  const way =
    remedy === undefined
      ? 'The user can look at them and trust them in a terminal: hookloop trust'
      : `The user has to do this first: ${printable(remedy)}`;
  return `hookloop: refused, because the hooks of this project are not trusted as they are (${printable(why)}). ${way}`;
}

function whySkipped(files: readonly string[], status: TrustStatus): string {
  const { doubt, remedy } = status;
  return remedy === undefined
    ? `${wordsOf(files, status)}; to look at them: hookloop trust`
    : printable(`${doubt}; do this first: ${remedy}`);
}

function wordsOf(files: readonly string[], status: TrustStatus): string {
  const states = new Set(files.map(file => status.files.get(file) ?? 'untrusted'));
  return [...states].map(state => trustStateWords[state]).join(', ');
}

const shownFiles = 3;

/** Names of files are foreign, and stand on one line. */
const named = (files: readonly string[]): string =>
  listed(
    files.map(file => printable(file).replaceAll(/\s/g, ' ').slice(0, 200)),
    shownFiles,
  );

export interface TrustCheck {
  /** Why nothing may run. */
  why?: string;
  /** Stands before everything that hooks start: a script may be edited after it was looked at. */
  onlyTrusted?<Kind extends ActionKind>(run: RunAction<Kind>): RunAction<Kind>;
  /** What people should know in any case. */
  remark?: string;
}

/** For commands that were told to require trust. What is asked about is the whole project, whichever of its hooks are to run. */
export function checkHooks(hooks: readonly HookDefinition[], question: Question): TrustCheck {
  const status = trustStatus(question);
  const { remark } = status;
  const why = whyNotTrusted(hooks, status);
  return {
    ...(why === undefined ? { onlyTrusted: run => ifStillTrusted(run, question.pins) } : { why }),
    ...(remark !== undefined && { remark }),
  };
}

/** Why these hooks may not run, or undefined. */
export function whyNotTrusted(
  hooks: readonly HookDefinition[],
  { files, doubt, remedy }: TrustStatus,
): string | undefined {
  if (doubt !== undefined) return notTrustedText(doubt, remedy);
  const used = new Set(hooks.filter(needsTrust).map(({ source }) => source.file));
  const wrong = [...files].filter(([file, state]) => state === 'removed' || (used.has(file) && state !== 'trusted'));
  const missing = [...used].filter(file => !files.has(file)).map(file => [file, 'untrusted'] as const);
  const [first] = [...wrong, ...missing];
  return first && notTrustedText(`${first[0]}: ${trustStateWords[first[1]]}`);
}

function notTrustedText(why: string, remedy?: string): string {
  const way = remedy === undefined ? 'look at them and trust them with: hookloop trust' : `do this first: ${remedy}`;
  return `the hooks of this project are not trusted as they are (${printable(why)}); ${printable(way)}`;
}
