import { fillJson } from '../actions/webhook/fill.ts';
import type { ActionRun, SpawnAction } from '../model/index.ts';

export type ChildInputs =
  | { kind: 'inputs'; values: Readonly<Record<string, unknown>>; unknown: readonly string[] }
  | { kind: 'bad'; reason: string };

/**
 * Puts the event's values, then the session's environment, where a spawn writes `${NAME}`; a name that nobody knows is
 * empty. What a value holds is not filled in again.
 */
export function fillInputs(
  { inputs }: SpawnAction,
  { presentation }: ActionRun,
  env: Readonly<Record<string, string | undefined>>,
): ChildInputs {
  const unknown = new Set<string>();
  const own = (values: typeof env, name: string): string | undefined =>
    Object.hasOwn(values, name) ? values[name] : undefined;
  const filled = fillJson(inputs, {
    of(name) {
      const text = own(presentation.env, name) ?? own(env, name);
      if (text === undefined) unknown.add(name);
      return { text: text ?? '', from: 'event' };
    },
  });
  if (filled === undefined) return { kind: 'bad', reason: 'its inputs are nested too deep' };
  return { kind: 'inputs', values: filled as Readonly<Record<string, unknown>>, unknown: [...unknown] };
}
