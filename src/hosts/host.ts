import { join } from 'node:path';
import type { Decision, EventName } from '../model/index.ts';

export type Payload = Readonly<Record<string, unknown>>;

/** One event of an agent's own hook system: what it is to us, and what the agent does with our answer. */
export interface NativeEvent {
  /** Ours, in the order in which their hooks run; the payload says which of them it is. */
  fires: readonly EventName[];
  /** The agent acts on a refusal. */
  blocks: boolean;
  /** A text in the answer reaches the model. */
  feedback: boolean;
  /** How long the agent waits for us. */
  timeoutMs: number;
  /** The installed entry refuses even when our program cannot start. */
  closed?: true;
}

/** A payload in our fields. `fires`: which of its event's it is; absent: all. A text: why it is nothing of ours. */
export type Told = { fields: Payload; fires?: readonly EventName[] } | string;

/** What the hooks said, before it is put into an agent's words. */
export interface Reply {
  decision: Decision;
  /** Text for the model, beside the reason of a refusal. */
  feedback: string;
  /** Text for the person. */
  message?: string;
  /** What the tool that is about to be called is to be called with instead. */
  input?: unknown;
  /** What the agent is to see instead of the output of the tool that was called. */
  output?: unknown;
}

/** What an agent reads from a hook's process. */
export interface Answer {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** `project`: for this checkout; `shared`: committed with the project; `user`: everywhere. */
export type InstallScope = 'project' | 'shared' | 'user';

/** The folders that an agent's files are in. */
export interface AgentFolders {
  root: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** Where an agent's hooks stand: paths in the project, and for `user` in a folder of the user. */
interface HostFiles extends Readonly<Record<InstallScope, string>> {
  /** The variable that names the user's folder, and where that is in the home otherwise. Absent: the home. */
  home?: { variable: string; otherwise: string };
  /** Other files that say which hooks it runs, or whether it runs any. */
  others?: Readonly<Partial<Record<InstallScope, readonly string[]>>>;
}

/**
 * An agent's own hook system, as every call needs it. Contract: pure, never throws; `proceed` without feedback is
 * silence, unless the agent takes silence for a failure; nothing it answers ever skips a question that the agent would
 * have put to the user.
 */
export interface Host {
  name: string;
  /** The native events that mean something to us, by the agent's own names. */
  events: Readonly<Record<string, NativeEvent>>;
  /** Variables in which the agent names its project, which its current folder need not be in. */
  projectVariables: readonly string[];
  /** The field in which it lists all its projects, if it may have several. */
  projectsField?: string;
  /** Whether the agent itself ends a chain of refused turn ends. */
  capsTurns: boolean;
  files: HostFiles;
  /** It shows its model another output of a tool where it is given one. */
  replacesOutput?: true;
  /** It asks its own user about a tool call when it is told to. */
  asksUser?: true;
  /** Absent: its payloads have our fields. `native` is one of `events`. */
  read?(native: string, payload: Payload): Told;
  /** Also for events that are not ours. */
  answer(native: string, reply: Reply): Answer;
}

export const installScopes: readonly InstallScope[] = ['project', 'shared', 'user'];

/** Where an agent's hooks of a scope stand, absolute; or another file of the same folder. */
export function settingsFile({ files }: Host, scope: InstallScope, folders: AgentFolders, path = files[scope]): string {
  if (scope !== 'user') return join(folders.root, path);
  const { variable = '', otherwise = '' } = files.home ?? {};
  return join(folderIn(folders, variable) ?? join(folders.home, otherwise), path);
}

/** All files that say which hooks an agent runs. */
export const settingsFiles = (host: Host, folders: AgentFolders): readonly string[] => {
  const paths = (scope: InstallScope): readonly string[] => [host.files[scope], ...(host.files.others?.[scope] ?? [])];
  return [
    ...new Set(installScopes.flatMap(scope => paths(scope).map(path => settingsFile(host, scope, folders, path)))),
  ];
};

/** The variable if it holds an absolute path. */
export const folderIn = ({ env }: AgentFolders, variable: string): string | undefined =>
  env[variable]?.startsWith('/') ? env[variable] : undefined;
