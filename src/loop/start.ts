import type { Mask } from '../hooks/secrets/mask.ts';
import type { SessionRecord } from '../model/record.ts';
import type { SessionPaths } from '../session/paths.ts';
import { seal, unseal } from '../session/seal.ts';
import { type Start, veil } from './veil.ts';

type Started = Extract<SessionRecord, { kind: 'session.started' }>;

/** A start as the journal keeps it: what is veiled is sealed beside it, so that nothing is lost. */
export function startForJournal(
  paths: SessionPaths,
  { plan, settings }: Start,
  mask: Mask,
): Start & { sealed?: string } {
  const whole = { plan, settings };
  const told = veil(whole, mask);
  return JSON.stringify(told) === JSON.stringify(whole) ? told : { ...told, sealed: seal(paths, whole) };
}

export type FoundStart = ({ kind: 'found' } & Start) | { kind: 'sealed'; reason: string };

/** The start as it was. */
export function startOf(paths: SessionPaths, { plan, settings, sealed }: Started): FoundStart {
  if (sealed === undefined) return { kind: 'found', plan, settings };
  const unsealed = unseal(paths, sealed);
  return unsealed.kind === 'value' ? { kind: 'found', ...(unsealed.value as Start) } : unsealed;
}

/** An entry of a journal as it may be shown; those of older versions have all of it in clear. */
export function entryToShow<T extends object>(entry: T, mask: Mask): T {
  const { sealed, ...told } = entry as T & { sealed?: unknown };
  return isStart(told) ? (veil(told, mask) as T) : entry;
}

/** The file may come from somebody else, so its shape is looked at. */
function isStart(entry: object): entry is Start {
  const { kind, plan, settings } = entry as Partial<Record<'kind' | 'plan' | 'settings', unknown>>;
  const { agent } = (settings ?? {}) as { agent?: unknown };
  return kind === 'session.started' && typeof plan === 'object' && typeof agent === 'string';
}
