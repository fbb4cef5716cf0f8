import type { HookDefinition, Places, Problem } from '../../model/index.ts';
import type { Pins } from '../trust/pins.ts';

/** Everything a folder's hook files say, ready to run: plain data that can be kept as JSON. */
export interface Plan {
  places: Places;
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
  /** What trust is about, where hooks run by themselves. */
  pins: Pins;
  /** Roots that want to end the search, nearest first. */
  ends: readonly string[];
}

/** What decides which files are looked at. */
export interface PlanRequest {
  cwd: string;
  only: string | undefined;
  /** Roots that a session has had from its start: their gates apply whatever else is found. */
  roots?: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}
