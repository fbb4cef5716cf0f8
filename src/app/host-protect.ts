import { join } from 'node:path';
import { isGateAsWritten } from '../dialects/gates.ts';
import type { Recheck } from '../engine/recheck.ts';
import type { HostPlan } from '../hosts/respond.ts';
import { type HostBase, keepHostBase, readHostBase } from '../hosts/sessions/task-base.ts';
import type { HookEvent } from '../model/index.ts';
import { given } from '../model/json.ts';
import type { Protect } from '../model/protect.ts';
import { shortHash } from '../platform/cache.ts';
import { presentTree, type SeenTree, treeOrWhy } from '../protect/present-tree.ts';
import { readingOf } from '../protect/reading.ts';
import { createSecondLook } from '../protect/second-look.ts';
import { workplacesOf } from '../protect/workplace.ts';
import { removeIndex } from '../workspace/tree.ts';
import type { Env } from './context.ts';

interface HostProtection {
  /** The user's state folder. */
  state: string;
  session: string;
  root: string;
  env: Env;
  /** Its hooks make a worktree ready, and clean up in it. */
  plan: Pick<HostPlan, 'hooks' | 'mayRun' | 'fire'>;
  warn(text: string): void;
}

type Where = Pick<HostProtection, 'state' | 'session' | 'root' | 'env'>;

/** At the first call of an agent's session: its work is compared with how the files are now. */
export async function settleHostBase(protect: Protect, where: Where): Promise<void> {
  const { state, session, root } = where;
  const memory = join(state, 'hosts');
  if (readHostBase(memory, { session, root })) return;
  const found = await capture(where);
  keepHostBase(memory, {
    session,
    root,
    protect,
    ...(found.kind === 'tree' ? given({ tree: found.tree, reading: found.reading }) : { why: found.why }),
  });
}

/** What looks at gates once more in an agent's session; undefined where nothing was protected when it began. */
export function hostRecheck(protection: HostProtection): Recheck | undefined {
  const { state, session, root, env, plan, warn } = protection;
  const kept: HostBase | undefined = readHostBase(join(state, 'hosts'), { session, root });
  if (!kept) return undefined;
  const base: SeenTree =
    kept.tree === undefined
      ? { kind: 'failed', why: kept.why ?? 'unknown' }
      : { kind: 'tree', tree: kept.tree, ...(kept.reading && { reading: kept.reading }) };
  return createSecondLook({
    ...{ root, protect: kept.protect, folder: workplacesOf(state, root), env, warn, isGate: isGateAsWritten },
    base: async () => base,
    now: () => capture(protection),
    prepare: (workspace, { signal }) =>
      tell({ name: 'workspace.preparing', session, cwd: root, workspace }, plan, signal),
    async leave(workspace, { signal }) {
      await tell({ name: 'workspace.removing', session, cwd: root, workspace }, plan, signal);
    },
  });
}

/** Fires those hooks that are trusted. Says what refuses it. */
async function tell(
  event: HookEvent,
  { hooks, mayRun, fire }: HostProtection['plan'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const heard = hooks.filter(hook => hook.event === event.name);
  const permit = mayRun(event, heard);
  if (permit.refusal !== undefined) return permit.refusal;
  const { decision } = await fire(event, permit.hooks, signal);
  return decision.kind === 'proceed' ? undefined : decision.reason;
}

let captures = 0;

async function capture({ state, session, root, env }: Where): Promise<SeenTree> {
  // Two calls of one session may come at the same time, and the gates of one call run side by side.
  captures += 1;
  const index = join(workplacesOf(state, root), `index-${shortHash(session)}-${process.pid}-${captures}`);
  const found = await presentTree(root, { index, env });
  removeIndex(index);
  return treeOrWhy(found, { reading: await readingOf(root, { env }) });
}
