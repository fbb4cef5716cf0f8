import type { SessionEntry } from './record.ts';
import { firingOf, formatKey, parseKey } from './step-key.ts';

/** The ids of the last events that were fired, by the key of the firing. */
export type Firings = Map<string, number>;

/**
 * What people call a decision by, in `log`, `show`, `why` and while a session runs: the number of the first entry that its
 * event has in the journal. Runs of its hooks go by the same id. Undefined for what no hook is asked about.
 */
export function decisionIdOf(firings: Firings, entry: SessionEntry): number | undefined {
  if (entry.kind === 'event') {
    if (entry.key !== undefined) remember(firings, entry.key, entry.seq);
    return entry.seq;
  }
  if (entry.kind !== 'hook.started' && entry.kind !== 'hook.finished' && entry.kind !== 'event.decided')
    return undefined;
  const firing = firingKeyOf(entry.key);
  const known = firings.get(firing);
  if (known === undefined) remember(firings, firing, entry.seq);
  return known ?? entry.seq;
}

/** The written key of the firing that the written key of a hook's run belongs to. */
export const firingKeyOf = (key: string): string => (key.includes('#') ? formatKey(firingOf(parseKey(key))) : key);

/** `#12`. */
export const idWords = (id: number): string => `#${id}`;

/** `12` or `#12`; undefined for anything else. */
export function readId(text: string): number | undefined {
  const [, digits] = /^#?(\d{1,15})$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Hooks run soon after their event; a long session has far more events than need to be known. */
const maxFirings = 1000;

function remember(firings: Firings, key: string, id: number): void {
  firings.delete(key);
  firings.set(key, id);
  if (firings.size > maxFirings) firings.delete(firings.keys().next().value!);
}
