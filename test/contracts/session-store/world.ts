import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { SessionRecord } from '../../../src/model/record.ts';
import type { Held, NotHeld, SessionStart, SessionStore, StateRead } from '../../../src/session/store.ts';
import type { StoreProcess } from './process.ts';

/** A store with nothing in it, and what only its own test can do to it. */
export interface StoreWorld {
  store: SessionStore;
  /** Of the project. */
  root: string;
  /** Another process with the same store. */
  start(options?: { heapMb: number }): Promise<StoreProcess>;
  /** Makes whoever holds the session look dead to others, who can take it over. */
  forgetHolder(name: string): void | Promise<void>;
  /** What is left of a session whose maker died before its first entry. */
  beginOnly(name: string): void | Promise<void>;
  /** Spoils the entry as a failing disk does. */
  damage(name: string, seq: number): void | Promise<void>;
  /** Leaves the beginning of one more entry, as a write does that was cut short. */
  cutShort(name: string): void | Promise<void>;
  /** Takes away the whole record of a session that has run. */
  loseRecord(name: string): void | Promise<void>;
  /** Takes away what is kept of secret starts. */
  loseSecrets(): void | Promise<void>;
  /** Everything that the store keeps anywhere, in one text. */
  everything(): string | Promise<string>;
  /** Puts the project elsewhere; its sessions go along. */
  move(): StoreWorld | Promise<StoreWorld>;
}

export type Check = (title: string, run: (world: StoreWorld) => Promise<void>) => void;

/** The simplest start there is. */
export const startIn = (root: string): SessionStart => ({
  plan: {
    name: 'work',
    stages: [
      {
        ...{ id: 'work', index: 0, template: 'inline', role: 'builder', prompt: 'work' },
        ...{ termination: { type: 'fixed', iterations: 1 }, delayMs: 0, inputs: [], perspectives: [] },
        ...{ hooks: [], disableGlobalHooks: false, passEnv: [] },
      },
    ],
    ...{ hooks: [], disableGlobalHooks: false, passEnv: [] },
  },
  settings: { agent: 'scripted:demo.yaml', root, turnTimeoutMs: null, permissions: 'allow', noHooks: false },
  values: { what: 'all' },
  run: { number: 1, pid: process.pid, startTime: 'then', mark: 'mark' },
  program: '0.0.0',
  mask: text => text,
});

export function withPaths(root: string): SessionStart {
  const start = startIn(root);
  const paths = { outerRoots: [dirname(root)], tasksFile: join(root, 'docs', 'tasks.md') };
  return { ...start, settings: { ...start.settings, ...paths } };
}

export const note = (text: string): SessionRecord => ({ kind: 'step.done', key: 'note', value: text });

export async function made(store: SessionStore, root: string, name: string, start = startIn(root)): Promise<Held> {
  return asHeld(await store.create(name, start));
}

export const holding = async (store: SessionStore, name: string, read?: StateRead): Promise<Held> =>
  asHeld(await store.hold(name, read));

/** That a holder is dead may take a while to be known. */
export async function holdSoon(store: SessionStore, name: string): Promise<Held> {
  for (const endMs = performance.now() + 60_000; ; await delay(50)) {
    const found = await store.hold(name);
    if (found.kind !== 'busy' || performance.now() > endMs) return asHeld(found);
  }
}

function asHeld(found: Held | NotHeld): Held {
  if (found.kind !== 'held') throw new Error(`not held: ${JSON.stringify(found)}`);
  return found;
}

export const letGo = async (found: Held | NotHeld): Promise<void> => {
  if (found.kind === 'held') await found.lease.release();
};

async function entriesIn(store: SessionStore, name: string): Promise<SessionRecord[]> {
  const entries: SessionRecord[] = [];
  let last = 0;
  const end = await store.read(name, entry => {
    expect(entry.seq).toBe(last + 1);
    last = entry.seq;
    entries.push(entry as unknown as SessionRecord);
  });
  expect(end).toEqual({ kind: 'read' });
  return entries;
}

export const kindsIn = async (store: SessionStore, name: string): Promise<string[]> =>
  (await entriesIn(store, name)).map(({ kind }) => kind);

export const notesIn = async (store: SessionStore, name: string): Promise<string[]> =>
  (await entriesIn(store, name)).flatMap(entry => (entry.kind === 'step.done' ? [String(entry.value)] : []));
