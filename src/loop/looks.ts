import { relative } from 'node:path';
import { isGateAsWritten } from '../dialects/gates.ts';
import type { Recheck } from '../engine/recheck.ts';
import type { FilesMark } from '../engine/run-hook.ts';
import type { HookDefinition } from '../model/index.ts';
import { firingOf, keyOf, parseKey, partOf } from '../model/step-key.ts';
import { filesMark } from '../protect/files-mark.ts';
import { createSecondLook } from '../protect/second-look.ts';
import { removeLeftWorkplaces } from '../protect/workplace.ts';
import { type InSession, refusalText } from './fire.ts';
import type { Session } from './session.ts';
import { createTaskBase, type TaskBase } from './task-base.ts';

/** What is asked about a gate before and after it runs, beside what it says itself. */
interface Looks {
  base: TaskBase;
  recheck: Recheck | undefined;
  filesMark(hook: HookDefinition): Promise<FilesMark>;
  /** From now on worktrees can be prepared. */
  bind(loop: InSession): Promise<void>;
}

type Known = Pick<Session, 'settings' | 'durable' | 'env' | 'mask' | 'stop' | 'name' | 'watcher'>;

export function createLooks(session: Known, hooks: readonly HookDefinition[]): Looks {
  const { settings, durable, env, watcher, mask, stop } = session;
  const { root, protect } = settings;
  const base = createTaskBase(session, hooks);
  let loop: InSession | undefined;
  const told = async (
    event: 'workspace.preparing' | 'workspace.removing',
    workspace: string,
    key: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    if (!loop?.session.now.position.engine.listensTo(event)) return undefined;
    const at = key === undefined ? keyOf('workspace') : firingOf(parseKey(key));
    // Another worktree is another firing, also after a crash.
    const own = partOf(at, `workspace-${relative(base.folder, workspace).split('/')[0]}`, event);
    const result = await loop.fire(loop.session.now.position, event, { key: own, fields: { workspace }, signal });
    return result.decision.kind === 'proceed' ? undefined : refusalText(result);
  };
  return {
    base,
    recheck:
      protect &&
      createSecondLook({
        ...{ root, protect, folder: base.folder, base: base.tree, now: base.now, env, isGate: isGateAsWritten },
        prepare: (workspace, { key, signal }) => told('workspace.preparing', workspace, key, signal),
        async leave(workspace, { key, signal }) {
          await told('workspace.removing', workspace, key, signal);
        },
        warn: text => watcher.remark({ level: 'warning', text: mask(text) }),
      }),
    async filesMark(hook) {
      const found = await base.capture();
      const mark = await filesMark(hook, hook.root ?? root, found, { env, stop });
      if (mark === undefined) return {};
      const isSame = durable.state().hooks.passedWith.get(hook.id) === mark;
      const files = hook.match.files?.join(', ');
      return isSame ? { mark, unchanged: `no file that matches ${files} changed since it last passed` } : { mark };
    },
    async bind(assembled) {
      loop = assembled;
      if (protect) await removeLeftWorkplaces(base.folder, root, { env, stop });
    },
  };
}
