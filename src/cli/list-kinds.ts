import type { ActionKind, HookDefinition } from '../model/index.ts';

/** The kinds of actions that have a runner. */
export const availableKinds: readonly ActionKind[] = ['shell'];

/** Why a hook will not run, or undefined if it will. */
export const whyNotRunnable = ({ unavailable, action }: HookDefinition): string | undefined =>
  unavailable ?? (availableKinds.includes(action.kind) ? undefined : `${action.kind} actions are not available yet`);
