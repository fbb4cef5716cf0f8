import type { InSessionHooks } from '../model/agent.ts';
import type { Finding, Trust } from './doctor/agent-report.ts';
import type { ModelProtocol, ToolUse } from './doctor/model-server.ts';
import type { AgentFolders, InstallScope, NativeEvent } from './host.ts';

/** What `install`, `doctor` and sessions know of an agent: how its files hold our entries, and how to run it. */
export interface HostSettings {
  /** `json`: entries in a list for each event under `hooks`. `code`: a file of our own. */
  holds: HeldJson | HeldCode;
  /** A text: why calls must not go over HTTP. Absent: the agent cannot. */
  http?: HttpCalls | string;
  /** What runs it without a terminal. */
  program: string;
  /** Where else that may be: what its program for ACP brings along, in `node_modules`. */
  broughtAlong?: readonly string[];
  /** The payload before it calls its shell. */
  shellCall(call: ShellCall): object;
  /** A text: why it cannot be run against a model of ours. */
  headless: HeadlessAgent | string;
  /** With what it is started so that its own hooks call a session. Absent: nothing can be done. */
  inSession?(session: SessionEntries, env: Readonly<Record<string, string>>): InSessionHooks;
}

export interface HeldJson {
  kind: 'json';
  /** Keys that such a file must have besides. */
  header?(scope: InstallScope): Readonly<Record<string, unknown>>;
  /** `command`: a line for `sh`. */
  entry(parts: { event: NativeEvent; command: string }): unknown;
  /** A TOML file of the same folder that may hold hooks as well. */
  toml?: string;
}

interface HeldCode {
  kind: 'code';
  /** Starts with a line that says whose file it is. `program`: how to start ours. */
  text(program: string): string;
  firstLine: string;
}

/** The calls that an agent can make over HTTP by itself. */
export interface HttpCalls {
  natives: readonly string[];
  /** `variable`: the environment variable that holds the token. */
  entry(parts: { event: NativeEvent; url: string; variable: string }): unknown;
  /** The event before all of them: its command sees to it that serve is there, and refuses where it is not. */
  first: string;
}

interface ShellCall {
  id: string;
  cwd: string;
  native: string;
  input: object;
}

/** An entry as Claude Code has it. */
export const claudeEntry: HeldJson['entry'] = ({ event, command }) => ({
  hooks: [{ type: 'command', command, timeout: event.timeoutMs / 1000 }],
});

/** An entry as Gemini CLI and its kin have it: with a name, and in milliseconds. */
export const geminiEntry: HeldJson['entry'] = ({ event, command }) => ({
  hooks: [{ type: 'command', name: 'hookloop', command, timeout: event.timeoutMs }],
});

/** For agents that send what Claude Code does. */
export const claudeShellCall =
  (tool: string): HostSettings['shellCall'] =>
  ({ id, cwd, native, input }) => ({
    ...{ hook_event_name: native, session_id: id, cwd },
    ...{ tool_name: tool, tool_input: input, tool_use_id: id },
  });

interface SessionEntries {
  /** The entries that call the session, by event. */
  hooks(): Readonly<Record<string, readonly unknown[]>>;
  /** Writes a file of settings that the agent is started with; returns its path. */
  keep(name: string, text: string): string;
}

/** Files by absolute path. */
export type Files = Readonly<Record<string, string>>;

/** An agent that runs without a terminal against a model of ours. Contract: pure but for reading the user's files. */
export interface HeadlessAgent {
  protocol: ModelProtocol;
  /** How its model calls the shell. */
  shell(command: string): ToolUse;
  args(prompt: string): readonly string[];
  env(modelUrl: string): Readonly<Record<string, string>>;
  /** The user's variables that decide whether hooks run. */
  keepsEnv?: readonly string[];
  /** What it needs in the sandbox: our entries as they are, and the user's settings that decide whether they run. */
  files(user: AgentFolders, sandbox: AgentFolders, modelUrl: string): Files;
  trust(user: AgentFolders, files: readonly string[]): Trust;
  /** What is switched off. */
  switches(user: AgentFolders): readonly Finding[];
  /** Absent: nothing that it does not trust keeps it from running hooks without a terminal. */
  grant?(sandbox: AgentFolders): Grant;
  /** How the user gives trust. */
  howToTrust: string;
}

/** What is changed so that an agent trusts the sandbox it runs in. */
export interface Grant {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  files?: Files;
}
