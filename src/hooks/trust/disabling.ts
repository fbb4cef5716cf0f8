import type { HookDefinition } from '../../model/index.ts';

/** The project's file that put a hook out; undefined where nobody or the user did. */
export function disablingFile({ disabled }: Pick<HookDefinition, 'disabled'>): string | undefined {
  const file = disabled === undefined ? undefined : (/ in (.+)$/s.exec(disabled)?.[1] ?? disabled);
  return file?.startsWith('/') ? undefined : file;
}
