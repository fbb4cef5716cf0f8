import type { HookDefinition, HookEvent } from '../../model/index.ts';

/** Which hooks of an event may run where no one has asked for them by name. */
export interface Permit {
  hooks: readonly HookDefinition[];
  /** Why the event is refused without running anything. */
  refusal?: string;
  /** A line for people about hooks that were left out. */
  note?: string;
}

/** Says which hooks may run. Contract: never throws; a gate that may not run is a refusal, never missing in silence. */
export type MayRun = (event: HookEvent, hooks: readonly HookDefinition[]) => Permit;

export const mayRunAll: MayRun = (_event, hooks) => ({ hooks });
