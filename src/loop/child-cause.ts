import { firingOf, formatKey, parseKey } from '../model/step-key.ts';
import { toKnown } from '../session/state/known-record.ts';
import { fold, newState } from '../session/state/state.ts';
import type { SessionStore } from '../session/store.ts';

/** Why the child pipeline that a run of a hook has started failed, in the words of the innermost; undefined: none has failed. */
export async function causeInChild(store: SessionStore, parent: string, hookRun: string): Promise<string | undefined> {
  // The last one: those before it were tried again.
  for (const { name } of (await store.children(parent)).toReversed()) {
    const state = newState();
    /** Runs of hooks that have ended it, by the key of their event. */
    const endedBy = new Map<string, string>();
    await store.read(name, entry => {
      fold(state, entry);
      const known = toKnown(entry);
      if (known?.kind !== 'hook.finished' || known.result.status !== 'finished') return;
      if (known.result.decision.kind === 'abort') endedBy.set(formatKey(firingOf(parseKey(known.key))), known.key);
    });
    const { started, closed } = state;
    if (started?.settings.child?.key !== hookRun) continue;
    if (closed?.status !== 'failed') return undefined;
    const ending = endedBy.get(closed.failedIn ?? '');
    return (ending === undefined ? undefined : await causeInChild(store, name, ending)) ?? closed.reason;
  }
  return undefined;
}
