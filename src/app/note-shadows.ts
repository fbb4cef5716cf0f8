import { join } from 'node:path';
import { keepShadowNotes, type ShadowNote } from '../hosts/sessions/shadow-log.ts';
import type { About } from '../model/explanation.ts';
import type { EventResult, HookDefinition, HookEvent } from '../model/index.ts';
import { type Mask, maskDeep } from '../model/mask.ts';
import { stateFolder } from '../platform/folders.ts';
import { aboutOf } from '../session/explain.ts';
import type { Env } from './context.ts';

/** Writes down what hooks in shadow would have refused of an event outside sessions. */
export function noteShadows(
  event: HookEvent,
  { results }: EventResult,
  { hooks, root, env, mask }: { hooks: readonly HookDefinition[]; root: string; env: Env; mask: Mask },
): void {
  const notes = results.flatMap((result): ShadowNote[] => {
    if (result.status !== 'finished' || !result.shadow || result.shadow.kind === 'proceed') return [];
    const { kind: would, reason } = result.shadow;
    const hook = hooks.find(({ id }) => id === result.hook);
    return [
      {
        ...{ at: event.at ?? new Date().toISOString(), root, event: event.name, about: shortAbout(event) },
        ...(event.agent !== undefined && { agent: event.agent }),
        ...(event.session !== undefined && { session: event.session }),
        ...{ hook: result.hook, name: hook?.name ?? result.hook, would, reason },
      },
    ];
  });
  keepShadowNotes(memoryOf(env), maskDeep(notes, mask));
}

/** Where notes of calls outside sessions are. */
export function memoryOf(env: Env): string | undefined {
  const state = stateFolder(env);
  return state === undefined ? undefined : join(state, 'hosts');
}

const maxInputLength = 4096;

/** A whole file may be the input of a call. */
function shortAbout(event: HookEvent): About {
  const { input, ...about } = aboutOf(event);
  return input !== undefined && JSON.stringify(input).length <= maxInputLength ? { ...about, input } : about;
}
