import { readShadowNotes, type ShadowNote } from '../hosts/sessions/shadow-log.ts';
import { decisionIdOf, type Firings } from '../model/decision-id.ts';
import type { About } from '../model/explanation.ts';
import { toKnown } from '../model/known-record.ts';
import { maskDeep } from '../model/mask.ts';
import { aboutOf } from '../session/explain.ts';
import type { SessionStore } from '../session/store.ts';
import type { Context } from './context.ts';
import { memoryOf } from './note-shadows.ts';
import type { NamedSession } from './sessions.ts';
import { sessionsAt } from './sessions.ts';

/** Something that a hook in shadow would have refused. A contract with scripts: fields are added, never changed. */
export interface ShadowRefusal extends Omit<ShadowNote, 'root' | 'session'> {
  /** Of ours, or of the agent that called its own hooks. */
  session: string | null;
  /** As `why` takes it; null outside sessions of ours. */
  id: number | null;
}

/** What hooks in shadow would have refused: in one session and its children, or in all of the project and in calls of agents' own hooks. */
export async function shadowRefusals(session: NamedSession | undefined, context: Context): Promise<ShadowRefusal[]> {
  const { mask, env } = context;
  if (session) return maskDeep(byTime(await withChildren(session.store, session.name)), mask);
  const { store, root } = sessionsAt(context);
  const found: ShadowRefusal[] = [];
  for (const { name } of await store.list()) found.push(...(await withChildren(store, name)));
  for (const { root: _root, session: of, ...note } of readShadowNotes(memoryOf(env), root))
    found.push({ ...note, session: of ?? null, id: null });
  return maskDeep(byTime(found), mask);
}

const byTime = (found: readonly ShadowRefusal[]): ShadowRefusal[] => found.toSorted((a, b) => a.at.localeCompare(b.at));

async function withChildren(store: SessionStore, name: string): Promise<ShadowRefusal[]> {
  const found = await inSession(store, name);
  for (const child of await store.children(name)) found.push(...(await withChildren(store, child.name)));
  return found;
}

async function inSession(store: SessionStore, name: string): Promise<ShadowRefusal[]> {
  const found: ShadowRefusal[] = [];
  const firings: Firings = new Map();
  const abouts = new Map<number, { about: About; agent?: string }>();
  await store.read(name, stored => {
    const entry = toKnown(stored);
    const id = entry && decisionIdOf(firings, entry);
    if (!entry || id === undefined) return;
    if (entry.kind === 'event') {
      const { agent } = entry.event;
      abouts.set(id, { about: aboutOf(entry.event), ...(agent !== undefined && { agent }) });
      if (abouts.size > maxOpen) abouts.delete(abouts.keys().next().value!);
    }
    if (entry.kind !== 'hook.finished' || entry.result.status !== 'finished') return;
    const { shadow } = entry.result;
    if (!shadow || shadow.kind === 'proceed') return;
    const { at, event, hook, name: called } = entry;
    const { about = {}, agent } = abouts.get(id) ?? {};
    const by = { ...(agent !== undefined && { agent }), hook, name: called };
    found.push({ at, event, about, ...by, would: shadow.kind, reason: shadow.reason, session: name, id });
  });
  return found;
}

/** Hooks end soon after their event. */
const maxOpen = 1000;
