import { createChangeWatch, type Snapshot } from '../agents/changes.ts';
import { maskDeep } from '../model/mask.ts';
import { partOf, type StepKey } from '../model/step-key.ts';
import type { Position, Session } from './session.ts';

export type ChangedFiles = ReturnType<typeof watchChangedFiles>;

/** `changed`: by earlier processes. `before`: where the last one began to count; absent where it has left in order. */
interface Kept {
  changed: readonly string[];
  before?: Snapshot;
}

/**
 * The files that one iteration changes, also where it is cut off and goes on in another process. Undefined where no one
 * wants to know: to look at the files costs some milliseconds.
 */
export function watchChangedFiles(session: Session, { engine }: Position, key: StepKey) {
  if (!engine.listensTo('iteration.completed') && !engine.listensTo('stage.completed')) return undefined;
  const { durable, settings, stop, mask } = session;
  const watch = createChangeWatch(settings.root, () => stop);
  const keep = (kept: Kept): void => durable.remember(partOf(key, 'changing'), maskDeep(kept, mask));
  let earlier: readonly string[] = [];
  let isOpen = false;
  const all = async (): Promise<readonly string[]> =>
    [...new Set([...earlier, ...(await watch.changedSince())])].sort();
  return {
    async begin(): Promise<void> {
      if (durable.isDone(partOf(key, 'changed'))) return;
      const { changed = [], before } = (durable.known(partOf(key, 'changing')) ?? {}) as Partial<Kept>;
      earlier = changed;
      await watch.begin(before);
      // The signal that ends the session may have ended git as well.
      if (stop.aborted) return;
      isOpen = true;
      if (!before) keep({ changed, before: await watch.snapshot() });
    },
    /** All of them; the same after a crash. */
    async found(): Promise<readonly string[]> {
      const found = await durable.value(partOf(key, 'changed'), all);
      isOpen = false;
      return found;
    },
    /** The iteration is left unfinished: what happens from now on until it is resumed is not its work. */
    async leave(): Promise<void> {
      if (!isOpen) return;
      const changed = await all();
      // Else whoever resumes it counts from where this one began.
      if (!(await watch.isBlind())) keep({ changed });
    },
  };
}
