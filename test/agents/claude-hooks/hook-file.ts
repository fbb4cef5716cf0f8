import type { ScriptedTurn, ToolUse } from '../../../src/hosts/doctor/model-server.ts';

/** A settings file with Claude-style hooks as people write them, and what the model does so that they have work. */
export interface HookFile {
  name: string;
  /** The value of `hooks` in `.claude/settings.json`. */
  hooks: Readonly<Record<string, readonly HookGroup[]>>;
  /** Further keys of the settings. */
  settings?: Readonly<Record<string, unknown>>;
  /** Scripts and other files, by path in the project. */
  files?: Readonly<Record<string, string>>;
  /** What the model calls, one call a turn. */
  calls?: readonly ToolUse[];
  /** What hooks may say to the model or to the person: what of it arrives, and where, is compared. */
  texts: readonly string[];
  /** What a server answers to hooks of type http, by path. */
  serves?: Readonly<Record<string, Served>>;
  /** What the model answers to hooks that ask it, by a part of the question. */
  judges?: Readonly<Record<string, object>>;
  /** The model answers by a tool, as hooks of type agent want it. */
  judgesByTool?: true;
}

interface HookGroup {
  matcher?: string;
  hooks: readonly Readonly<Record<string, unknown>>[];
}

export interface Served {
  status?: number;
  body?: string;
  /** It never answers. */
  hangs?: true;
  /** Headers without which the answer is empty. */
  wants?: Readonly<Record<string, string>>;
}

/** Files that do not disturb each other: they are merged into one project, in which Claude Code runs once. */
export interface Pack {
  name: string;
  files: readonly HookFile[];
  prompt?: string;
  /** The tools that need no permission. */
  tools?: string;
  /** Further options of Claude Code. */
  words?: readonly string[];
  /** A prompt that is answered before, in the same conversation. */
  before?: string;
  /** Turns of the model after those that the files call for. */
  turns?: readonly ScriptedTurn[];
  /** The order among the texts of hooks of one event is compared. */
  inOrder?: true;
  /** Hooks that read the transcript need it when they are fired again. */
  transcript?: true;
}

export const bash = (command: string): ToolUse => ({ name: 'Bash', args: { command, description: 'run a command' } });
export const write = (path: string, content: string): ToolUse => ({
  name: 'Write',
  args: { file_path: `{{PROJ}}/${path}`, content },
});
export const read = (path: string): ToolUse => ({ name: 'Read', args: { file_path: `{{PROJ}}/${path}` } });
export const edit = (path: string, old_string: string, new_string: string): ToolUse => ({
  name: 'Edit',
  args: { file_path: `{{PROJ}}/${path}`, old_string, new_string },
});

/** A hook that runs a script of the project. */
export const script = (path: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type: 'command',
  command: `"$CLAUDE_PROJECT_DIR"/.claude/hooks/${path}`,
  ...more,
});

/** A hook that runs a line of shell. */
export const line = (command: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type: 'command',
  command,
  ...more,
});

/** An answer in JSON about one event, as a line of shell prints it. */
export const says = (event: string, fields: object): string =>
  `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...fields } })}'`;
