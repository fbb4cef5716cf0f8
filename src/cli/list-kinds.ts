import type { HookDefinition } from '../model/index.ts';

/** Why a hook will not run, or undefined if it will. */
export const whyNotRunnable = ({ disabled, unavailable }: HookDefinition): string | undefined =>
  disabled ?? unavailable;
