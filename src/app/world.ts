import type { LoopPorts } from '../loop/session.ts';
import type { HookDefinition, Places, RunAction } from '../model/index.ts';
import type { Watcher } from '../model/notice.ts';
import type { ComposeOptions } from './compose.ts';

/** What a session shares with its children and theirs. */
export interface World {
  /** The project, as the command line found it. */
  places: Places;
  /** Hooks of project, user and plugin. */
  hooks: readonly HookDefinition[];
  maxFailures?: number;
  /** Stands before each run of a shell hook or child, where the session requires trust. */
  guard?: NonNullable<ComposeOptions['guard']>;
  /** Keeps the agent from lifting its own gates. */
  rule?: NonNullable<ComposeOptions['rule']>;
  /** Runs hooks that are functions of the program. */
  functions?: RunAction<'function'>;
  /** A person has looked at what is another since the session last ran. */
  acceptsChanges?: boolean;
  /** Who answers prompt and agent hooks; absent: the session's agent. */
  judge?: string;
  /** The user's whole environment. Agents find in it what they sign in with. */
  env: Readonly<Record<string, string | undefined>>;
  mask(text: string): string;
  watcher: Watcher;
  askPerson?: LoopPorts['askPerson'];
  /** Values of the user's secrets files. */
  secrets(): Readonly<Record<string, string>>;
  /** A question to a person has its answer. */
  onSettled?(approval: string): void;
  /** The file that starts this program, for the agent's tools. */
  program: string;
  atOnce: AbortSignal;
}

/** What is different for a child. */
export interface ChildPart {
  /** Its name with its parents' in front. */
  label: string;
  places: Places;
  hooks: readonly HookDefinition[];
  env: Readonly<Record<string, string>>;
}
