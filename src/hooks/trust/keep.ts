import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makePrivateFolder, writeAtomically } from '../../platform/files.ts';
import { lockFolder } from '../../platform/lock.ts';
import { folderFlaw, readStore, storeFile, type TrustedRepository } from './store.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type Kept = { kind: 'kept' } | { kind: 'failed'; reason: string };

/** Keeps what is trusted in a repository, or forgets it. `beside` runs under the same lock, before. Contract: never rejects. */
export async function keepTrust(
  env: Env,
  key: string,
  trusted: TrustedRepository | undefined,
  beside: (folder: string) => void = () => {},
  /** An earlier name of the same project, which goes. */
  earlier?: string,
): Promise<Kept> {
  const file = storeFile(env);
  if (file === undefined) return { kind: 'failed', reason: 'there is no folder to keep it in: HOME is not set' };
  const folder = dirname(file);
  try {
    makePrivateFolder(folder);
    const flaw = folderFlaw(folder);
    if (flaw !== undefined) return failed(flaw);
    const lock = await waitForLock(folder);
    if (lock === undefined) return { kind: 'failed', reason: 'another process has been writing it for long' };
    try {
      const store = readStore(env);
      if (store.kind === 'bad') return failed(store);
      beside(folder);
      const others = Object.entries(store.repositories).filter(([other]) => other !== key && other !== earlier);
      const repositories = Object.fromEntries(trusted ? [...others, [key, trusted]] : others);
      writeAtomically(file, `${JSON.stringify({ version: 1, repositories })}\n`, { sync: 'name' });
      return { kind: 'kept' };
    } finally {
      await lock.release();
    }
  } catch (error) {
    return { kind: 'failed', reason: (error as Error).message };
  }
}

const failed = ({ reason, remedy }: { reason: string; remedy: string }): Kept => ({
  kind: 'failed',
  reason: `${reason}; do this first: ${remedy}`,
});

const maxWaitMs = 10_000;
const stepMs = 20;

async function waitForLock(folder: string) {
  const until = performance.now() + maxWaitMs;
  for (;;) {
    const lock = await lockFolder(folder);
    if (lock.kind === 'held') return lock;
    if (performance.now() > until) return undefined;
    await delay(stepMs);
  }
}
