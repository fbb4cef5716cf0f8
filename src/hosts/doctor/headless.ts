import type { InstallPlaces } from '../config.ts';
import type { ModelWire, ToolUse } from '../models/server.ts';
import type { Finding, Trust } from './report.ts';

/** Files by absolute path. */
export type Files = Readonly<Record<string, string>>;

/** What is changed so that an agent trusts the stage it runs on. */
export interface Grant {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  files?: Files;
}

/** An agent that runs without a terminal against a model of ours. Contract: pure but for reading the user's files. */
export interface HeadlessAgent {
  wire: ModelWire;
  /** How its model calls the shell. */
  shell(command: string): ToolUse;
  args(prompt: string): readonly string[];
  env(modelUrl: string): Readonly<Record<string, string>>;
  /** The user's variables that decide whether hooks run. */
  keepsEnv: readonly string[];
  /** What it needs on the stage: our entries as they are, and the user's settings that decide whether they run. */
  files(user: InstallPlaces, stage: InstallPlaces, modelUrl: string): Files;
  trust(user: InstallPlaces, files: readonly string[]): Trust;
  /** What is switched off. */
  switches(user: InstallPlaces): readonly Finding[];
  /** Absent: nothing that it does not trust keeps it from running hooks without a terminal. */
  grant?(stage: InstallPlaces): Grant;
  /** How the user gives trust. */
  howToTrust: string;
}
