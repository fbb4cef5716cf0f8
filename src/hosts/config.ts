import type { AgentName, NativeEvent } from './host.ts';

/** `project`: for this checkout; `shared`: committed with the project; `user`: everywhere. */
export type InstallScope = 'project' | 'shared' | 'user';

/** Folders that an agent's files are relative to. */
export interface InstallPlaces {
  root: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** What an entry is made of. */
export interface EntryParts {
  native: string;
  event: NativeEvent;
  /** A line for `sh`. */
  command: string;
}

/** What an entry is made of whose call goes straight to serve. */
export interface HttpParts {
  event: NativeEvent;
  url: string;
  /** The environment variable that holds the token. */
  variable: string;
}

/** The calls that an agent can make over HTTP by itself. */
export interface HttpCalls {
  natives: readonly string[];
  entry(parts: HttpParts): unknown;
  /** The event before all of them: its command sees to it that serve is there, and refuses where it is not. */
  first: string;
}

/** Where an agent keeps its hooks, and what an entry of ours looks like there. */
export interface HostConfig {
  name: AgentName;
  /** Absolute. */
  file(scope: InstallScope, places: InstallPlaces): string;
  /** Other files of the agent that say which hooks it runs, or whether it runs any. */
  others?(places: InstallPlaces): readonly string[];
  /** `json`: entries in a list for each event under `hooks`. `code`: a file of our own. */
  holds: HeldJson | HeldCode;
  /** A text: why calls must not go over HTTP. Absent: the agent cannot. */
  http?: HttpCalls | string;
}

export interface HeldJson {
  kind: 'json';
  /** Keys that such a file must have besides. */
  header(scope: InstallScope): Readonly<Record<string, unknown>>;
  entry(parts: EntryParts): unknown;
  /** A TOML file of the same folder that may hold hooks as well. */
  toml?: string;
}

export interface HeldCode {
  kind: 'code';
  /** Starts with a line that says whose file it is. `program`: how to start ours. */
  text(program: string): string;
  firstLine: string;
}

/** The variable if it holds an absolute path. */
export const folderIn = (places: InstallPlaces, variable: string): string | undefined =>
  places.env[variable]?.startsWith('/') ? places.env[variable] : undefined;

/** All files that say which hooks an agent runs. */
export const settingsFiles = (config: HostConfig, places: InstallPlaces): readonly string[] => [
  ...new Set([
    ...(['project', 'shared', 'user'] as const).map(scope => config.file(scope, places)),
    ...(config.others?.(places) ?? []),
  ]),
];
