import { join } from 'node:path';
import { createChangeWatch, type Snapshot } from '../agents/changes.ts';
import type { HookDefinition } from '../model/index.ts';
import { maskDeep } from '../model/mask.ts';
import { keyOf } from '../model/step-key.ts';
import { stateFolder } from '../platform/folders.ts';
import { presentTree, type SeenTree, treeOrWhy } from '../protect/present-tree.ts';
import { type Reading, readingOf } from '../protect/reading.ts';
import { workplacesOf } from '../protect/workplace.ts';
import { changedBetween } from '../workspace/changed.ts';
import { findRepository, prefixIn } from '../workspace/repository.ts';
import { type Captured, removeIndex } from '../workspace/tree.ts';
import type { Session } from './session.ts';

export type TaskBase = ReturnType<typeof createTaskBase>;

/** Where the work on a task began. `isAccepted`: its gates have passed since, so that the next work begins anew. */
interface Base {
  tree?: string;
  reading?: Reading;
  /** Outside repositories. */
  snapshot?: Snapshot;
  why?: string;
  isAccepted?: true;
}

const baseKey = keyOf('base');

type Known = Pick<Session, 'settings' | 'durable' | 'env' | 'mask' | 'stop' | 'name'>;

/**
 * The files as they were when the work began that the gates are to judge. Work that they have not accepted stays part of
 * what they judge, whichever task comes next: else what a task that was given up has left behind would count as given.
 */
export function createTaskBase({ settings, durable, env, mask, stop, name }: Known, hooks: readonly HookDefinition[]) {
  const { root, protect } = settings;
  const isWanted =
    protect !== undefined || hooks.some(({ event, match }) => event === 'task.completing' && match.files);
  const state = stateFolder(env);
  const folder = workplacesOf(state ?? join('/tmp', `hookloop-${process.getuid?.() ?? 'user'}`), root);
  const index = join(folder, `index-${name.replaceAll('/', '-')}`);
  let current = durable.known(baseKey) as Base | undefined;
  let isHeldBack = false;
  let last: Promise<unknown> = Promise.resolve();
  const keep = (base: Base): void => {
    current = base;
    durable.remember(baseKey, maskDeep(base, mask));
  };
  /** One at a time: they share an index. */
  const capture = (): Promise<Captured> => {
    const next = last.then(() => presentTree(root, { index, env, stop }));
    last = next.catch(() => {});
    return next;
  };
  const readingNow = async (): Promise<{ reading?: Reading }> =>
    protect ? { reading: await readingOf(root, { env, stop }) } : {};
  const snapshot = async (): Promise<Snapshot> => {
    const watch = createChangeWatch(root, () => stop);
    await watch.begin();
    return watch.snapshot();
  };
  return {
    folder,
    capture,
    /** Before the agent begins. */
    async begin(): Promise<void> {
      isHeldBack = false;
      if (!isWanted || (current && !current.isAccepted)) return;
      const found = await capture();
      if (found.kind === 'tree') keep({ tree: found.tree, ...(await readingNow()) });
      else if (found.kind === 'failed' || protect) keep({ why: found.why });
      else keep({ snapshot: await snapshot() });
    },
    /** A turn ended that hooks would not let end. */
    holdBack(): void {
      isHeldBack = true;
    },
    /** The gates have nothing against the work. */
    accept(): void {
      if (isWanted && current && !isHeldBack) keep({ ...current, isAccepted: true });
    },
    /** The session is over for now: what it kept to look at files faster is of no use to anyone. */
    async close(): Promise<void> {
      await last;
      removeIndex(index);
    },
    async tree(): Promise<SeenTree> {
      if (current?.tree !== undefined)
        return { kind: 'tree', tree: current.tree, ...(current.reading && { reading: current.reading }) };
      return { kind: 'failed', why: current?.why ?? 'no one has seen how the files were when the task began' };
    },
    now: async (): Promise<SeenTree> => treeOrWhy(await capture(), await readingNow()),
    /** Those that the work has changed so far; undefined: no one knows. */
    async changedFiles(): Promise<readonly string[] | undefined> {
      if (!isWanted || !current) return undefined;
      if (current.snapshot) {
        const watch = createChangeWatch(root, () => stop);
        await watch.begin(current.snapshot);
        return watch.changedSince();
      }
      const [found, repository] = [await capture(), await findRepository(root, { env, stop })];
      if (current.tree === undefined || found.kind !== 'tree' || repository.kind !== 'repository') return undefined;
      const { top } = repository.repository;
      const changed = await changedBetween(top, current.tree, found.tree, { env, stop });
      if (changed.kind === 'failed') return undefined;
      const prefix = prefixIn(top, root);
      return changed.changes.flatMap(({ path }) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []));
    },
  };
}
