import { globalHooks } from '../../dialects/shared/hooks-file.ts';
import type { HookDefinition } from '../../model/index.ts';

/** The hooks with those put out that `disable_global_hooks` of a loop or pipeline file is about. */
export const withoutGlobalHooks = (hooks: readonly HookDefinition[], file: string): readonly HookDefinition[] =>
  hooks.map(hook =>
    globalHooks.dialects.includes(hook.source.dialect) && globalHooks.scopes.includes(hook.source.scope)
      ? { ...hook, disabled: `disable_global_hooks in ${file}` }
      : hook,
  );
