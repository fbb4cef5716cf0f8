import type { Action } from './action.ts';
import type { EventName } from './event.ts';

/** `<dialect>:<file>#<event as written>[<index>]`; stable as long as the entry stays where it is. */
export type HookId = string;

export const dialectNames = ['native', 'sauna', 'iteratr', 'nyzhi', 'babysitter', 'claude', 'pipelines'] as const;
export type DialectName = (typeof dialectNames)[number];

/** Where a hook comes from, nearest first: this is also the order in which hooks of one event run. */
export const scopes = ['stage', 'pipeline', 'project', 'user', 'plugin'] as const;
export type Scope = (typeof scopes)[number];

export interface Source {
  dialect: DialectName;
  scope: Scope;
  /** Relative to the root for project files, else absolute. */
  file: string;
  line: number;
}

/** Which tool names a hook wants. `names` is a list of case-insensitive globs over all known names; `matcher` is Claude's rule. */
export type ToolMatch = { kind: 'names'; names: readonly string[] } | { kind: 'matcher'; matcher: string };

/** All that is given must hold. */
export interface Match {
  tool?: ToolMatch;
  /**
   * Beginnings of commands, as in `git push`, any of which a shell call must run. `open`: what a command counts as that is
   * known only when it runs.
   */
  command?: { patterns: readonly string[]; open: 'matches' | 'differs' };
  /** Names of agents, any of which must be the one at work. */
  agent?: readonly string[];
  /** Patterns over the edited file's path, any of which must hold. */
  files?: readonly string[];
  /** Claude's matcher over one field of the event (`source` of SessionStart and the like), and what a missing one counts as. */
  field?: { name: string; matcher: string; otherwise?: string };
  /** A permission rule of Claude's, as in `Bash(git push *)`; on events that are about no tool call it never holds. */
  rule?: string;
  /** A condition in CEL, checked when the file was loaded. */
  when?: string;
  /** Only in stages with this role. */
  role?: 'builder';
  /** Not while this agent runs the session: it runs the hook itself. */
  notAgent?: string;
}

export type FailurePolicy = 'continue' | 'revise' | 'block' | 'abort';

/** One hook, whatever language it was written in. Plain data: it can be listed, cached, hashed and journalled. */
export interface HookDefinition {
  id: HookId;
  event: EventName;
  /** The event as the hook's own file spells it. */
  spelling: string;
  /** Short name for logs: a script's file name, a gate's name, else the command. */
  name: string;
  /** Heading in logs and the place it names, as in `[per-repo] Executing hooks from: .a5c/hooks/on-run-start`. */
  place: { label: string; from: string };
  match: Match;
  action: Action;
  /** false: start it and move on. */
  wait: boolean;
  /** Of a hook that no one waits for: what it finds is to be dealt with before the turn ends. */
  wakes?: true;
  /** null: no limit. */
  timeoutMs: number | null;
  /** Runs in all, and the pause between them. */
  retry?: { attempts: number; delayMs: number };
  /** How often it runs again where it fails; one that passes then has passed. */
  flaky?: number;
  /** It does not run where none of its files changed since it last passed in the session. */
  onlyChanged?: true;
  /** It runs and is recorded, decides nothing and tells the agent nothing. */
  shadow?: true;
  onFailure: FailurePolicy;
  onTimeout: FailurePolicy;
  /** Runs also after another hook has refused, unless the session is over. */
  always?: true;
  /** A failed iteration that fires it is no reason to end the session yet. */
  recovers?: true;
  /** Shown to people while it runs. */
  statusMessage?: string;
  /** How often the agent may fix what this hook found before the session fails. */
  maxFixes?: number;
  /** When its output reaches the agent. */
  feedback: 'none' | 'next-prompt' | 'now';
  source: Source;
  /** The root that its file belongs to and that it runs in, where it is another one than the root in use. */
  root?: string;
  /** Why this hook cannot run. One whose failure refuses something still refuses it. */
  unavailable?: string;
  /** Who switched it off. */
  disabled?: string;
  /** What only the hook's own dialect understands (plain data). */
  settings?: Readonly<Record<string, unknown>>;
}
