import type { ActionKind, HookDefinition } from '../model/index.ts';

/** The kinds of actions that have a runner. */
export const availableKinds: readonly ActionKind[] = ['shell'];

/** Why a hook will not run, or undefined if it will. */
export function whyNotRunnable({ disabled, unavailable, action, source }: HookDefinition): string | undefined {
  if (disabled !== undefined || unavailable !== undefined) return disabled ?? unavailable;
  if (!availableKinds.includes(action.kind)) return `${action.kind} actions are not available yet`;
  return source.scope === 'stage' || source.scope === 'pipeline' ? 'pipelines cannot be run yet' : undefined;
}
