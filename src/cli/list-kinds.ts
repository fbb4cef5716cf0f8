import type { ActionKind, HookDefinition } from '../model/index.ts';

/** The kinds of actions that have a runner. */
export const availableKinds: readonly ActionKind[] = ['shell', 'webhook', 'spawn', 'prompt', 'agent'];

/** Why a hook will not run, or undefined if it will. */
export function whyNotRunnable({ disabled, unavailable, action }: HookDefinition): string | undefined {
  if (disabled !== undefined || unavailable !== undefined) return disabled ?? unavailable;
  return availableKinds.includes(action.kind) ? undefined : `${action.kind} actions are not available yet`;
}
