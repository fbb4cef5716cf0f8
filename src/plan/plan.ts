import type { HookDefinition, Places, Problem } from '../model/index.ts';

/** Everything a folder's hook files say, ready to run: plain data that can be kept as JSON. */
export interface Plan {
  places: Places;
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
}

/** What decides which files are looked at. */
export interface PlanRequest {
  cwd: string;
  only: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
}
