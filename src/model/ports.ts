import type { Action, ActionKind, ActionOutcome } from './action.ts';
import type { HookResult, Verdict } from './decision.ts';
import type { EventName, HookEvent } from './event.ts';
import type { DialectName, HookDefinition, Scope } from './hook.ts';
import type { Problem } from './problem.ts';

/** Folders that locations are relative to. `plugin` is absent unless CLAUDE_PLUGIN_ROOT is set. */
export interface Places {
  root: string;
  /** The caller's REPO_ROOT, else the root. */
  repo: string;
  cwd: string;
  home: string;
  config: string;
  plugin?: string;
  /** Further roots whose gates apply here as well, nearest first; absent: none. */
  outer?: readonly string[];
}

/** One place where a dialect's hooks may stand. */
export interface Location {
  scope: Scope;
  base: 'root' | 'repo' | 'home' | 'config' | 'plugin';
  path: string;
  /** `scripts`: a folder of `<type>/*.sh`. */
  holds: 'file' | 'scripts';
  /** The file may belong to someone else: it counts only if this expression finds something in its text. */
  onlyIf?: string;
}

export interface Script {
  type: string;
  name: string;
  path: string;
  /** Shown to people: relative to the root for project files, else absolute. */
  file: string;
  executable: boolean;
  /** It does not say by a #! line what runs it. */
  isBare?: true;
  /** Why it cannot be run whatever its mode: empty, a folder, a dead link, a name that is not UTF-8. */
  broken?: string;
}

export type Found =
  | {
      kind: 'text';
      location: Location;
      path: string;
      file: string;
      text: string;
      /** Another file names it, and only its hooks count. */
      isTakenIn?: true;
      /** The files whose hooks it has taken in, at any distance. */
      takes?: readonly string[];
    }
  | {
      kind: 'scripts';
      location: Location;
      path: string;
      file: string;
      /** Names of all sub-folders, also those without scripts. */
      types: readonly string[];
      scripts: readonly Script[];
    };

export interface Normalised {
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
  /** Hooks of these dialects and scopes do not run. */
  disables?: readonly { dialects: readonly DialectName[]; scopes: readonly Scope[]; why: string }[];
  /** Hooks for events that only the program whose format it is fires: they are left to it. */
  leftOut?: readonly LeftOut[];
}

export interface LeftOut {
  /** As that program calls it. */
  event: string;
  why: string;
  file: string;
  line: number;
}

/** A file that another one names: a path, or `npm:PACKAGE`. */
export interface Reference {
  text: string;
  /** What is wrong with it, where it is named. */
  problem(message: string, hint?: string): Problem;
}

/** The config half of a dialect: read its files. Contract: pure, never throws; bad config becomes a Problem. */
export interface DialectConfig {
  name: DialectName;
  /** A file that cannot be read or parsed stops `run` and `dispatch`, or is left out with a warning. */
  badFile: 'refuse' | 'leave-out';
  locations: readonly Location[];
  /** Other files that a file takes in. */
  references?(found: Extract<Found, { kind: 'text' }>): readonly Reference[];
  normalise(found: readonly Found[], places: Places): Normalised;
  /**
   * Of files that hold more than hooks: the text without these hooks, empty where nothing else is left. undefined: that
   * cannot be done without touching anything else.
   */
  without?(text: string, hooks: readonly HookDefinition[]): string | undefined;
}

/** What earlier actions left for later ones of the same chain. */
export interface Carried {
  lastHookStatus: '' | 'success' | 'failed';
  hookResponse: string;
  /** Of the last question to a person. */
  callbackUrl?: string;
  spawnOutput: string;
}

export interface PresentContext {
  places: Places;
  carried: Carried;
  /** The session's environment (for variables that are handed on). */
  env: Readonly<Record<string, string | undefined>>;
}

/** What the hook sees. */
export interface Presentation {
  env: Readonly<Record<string, string>>;
  stdin?: string;
  /** Hand the hook's stderr on as it comes, each line with this in front. */
  relayStderr?: string;
}

export interface Interpretation {
  verdict: Verdict;
  /** What the agent is told where the verdict refuses something; absent: the verdict's reason, which is short and for people. */
  refusal?: string;
  /** Text for the agent. */
  feedback?: string;
  /** Text for the person. */
  message?: string;
  answer?: Readonly<Record<string, unknown>>;
  /** What the tool is to be called with instead. */
  input?: unknown;
  /** What the agent is to see instead of the tool's own output. */
  output?: unknown;
  /** The answer was understood only in part; told in the log. */
  warning?: string;
}

/** The running half of a dialect: speak to its hooks, understand their answers. Contract: pure, never throws. */
export interface DialectWire {
  name: DialectName;
  /** Its event names and what each means, in the order of its own documentation. */
  events: Readonly<Record<string, readonly EventName[]>>;
  /**
   * `in-order`: one after another, a refusal ends it. `all-in-order`: one after another, all of them.
   * `side-by-side`: all at once. Of several refusals the strictest wins.
   */
  order: 'in-order' | 'all-in-order' | 'side-by-side';
  /** Hooks of dialects with the same chain see each other's LAST_HOOK_STATUS, HOOK_RESPONSE, CALLBACK_URL, SPAWN_OUTPUT. */
  chain?: string;
  /** How much of a text of its hooks an agent or a person gets at once; absent: what any hook may say. */
  maxTextBytes?: number;
  /** The summary of `dispatch` tells how its hooks ended, whatever they answered. */
  summary?: 'exit';
  present(event: HookEvent, hook: HookDefinition, context: PresentContext): Presentation;
  interpret(outcome: ActionOutcome, hook: HookDefinition, event: HookEvent): Interpretation;
}

export type Dialect = DialectConfig & DialectWire;

export interface ActionRun {
  hook: HookDefinition;
  event: HookEvent;
  presentation: Presentation;
  places: Places;
  timeoutMs: number | null;
  signal: AbortSignal;
  /** Not awaited: the outcome settles later and no one may be listening. */
  background: boolean;
  /** Told where an answer to this run's question is given. Not a part of its outcome: whoever has it may see the question. */
  onCallbackUrl?(url: string): void;
  /** Names this run in its session, and is the same when a crash makes it run again; absent outside sessions. */
  key?: string;
  /** What this run has kept before a crash, and where it keeps more; absent outside sessions. */
  memory?: RunMemory;
}

/** One value that an unfinished run finds again after a crash. Contract: on disk once `keep` has settled; rejects where that cannot be. */
export interface RunMemory {
  known(): unknown;
  keep(value: unknown): Promise<void>;
}

/** One run of a hook in a session. */
export interface HookRun {
  key: string;
  hook: HookDefinition;
  event: HookEvent;
}

/**
 * Stands around a hook's run: may know its result already, and keeps it. `attempt` is more than 1 where a crash cut an
 * earlier one off. Contract: returns what `work` does.
 */
export type AroundHook = (
  run: HookRun,
  work: (memory: RunMemory, attempt: number) => Promise<HookResult>,
) => Promise<HookResult>;

/** Runs one kind of action. Contract: never rejects; every failure is an ActionOutcome. */
export type RunAction<Kind extends ActionKind = ActionKind> = (
  action: Extract<Action, { kind: Kind }>,
  run: ActionRun,
) => Promise<ActionOutcome>;

/** Kinds without a runner are reported as not available, never skipped in silence. */
export type ActionRunners = { readonly [Kind in ActionKind]?: RunAction<Kind> };

/** Evaluates a checked condition with the event's variables. Contract: throws only for a condition that cannot be evaluated. */
export type EvaluateCondition = (
  condition: string,
  variables: Readonly<Record<string, string>>,
) => boolean | Promise<boolean>;

/** What a variable is inside a condition. */
export type VariableTypes = Readonly<Record<string, 'int' | 'double' | 'string' | 'dyn'>>;

/** Environment variables are texts; these are numbers inside conditions. */
export const numberVariables: Readonly<Record<string, 'int' | 'double'>> = {
  ITERATION: 'int',
  MAX_ITERATIONS: 'int',
  COST: 'double',
  TOKENS: 'int',
  TURNS: 'int',
  CONTEXT_PERCENT: 'int',
};

/** A hook on its way. `key`: names its run in its session. `attempt`: more than 1 where a crash cut an earlier one off. */
export type Progress = { hook: HookDefinition; event: HookEvent; key?: string } & (
  | { type: 'started'; attempt: number }
  | { type: 'finished'; result: HookResult; warning?: string }
);
