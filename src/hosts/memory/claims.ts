import type { Decision, HookEvent, HookId } from '../../model/index.ts';
import { claudeToolName } from '../../model/tools.ts';
import type { ClaimStore, Kept } from './claim-store.ts';
import { shortHash } from './files.ts';

/**
 * `mine`: the hooks are ours to run; `done` keeps what they decided, undefined where they were cut short and another call
 * has to run them. `theirs`: another call of ours has run those.
 */
export type Claim =
  | { kind: 'mine'; done(decision: Decision | undefined): void }
  | { kind: 'theirs'; decision: Decision; hooks: readonly HookId[] };

/** What makes two calls of ours one event: the call's identity, else the session, the tool and what it is called with. */
export function claimKey({ name, session = '', toolCallId, tool, input, message, file }: HookEvent): string {
  if (toolCallId !== undefined) return JSON.stringify([name, session, toolCallId, file ?? '']);
  return JSON.stringify([name, session, claudeToolName(tool ?? ''), input ?? null, message ?? '', file ?? '']);
}

/**
 * Some agents read the hook files of others, and then one event calls us twice. The second call gives the first one's
 * answer. The same entry called again later is a new event, even with the same input: its hooks run.
 */
export async function claim(
  store: ClaimStore,
  event: HookEvent,
  hooks: readonly HookId[],
  patienceMs: number,
): Promise<Claim> {
  const key = await shortened(claimKey(event));
  const name = shortHash(key);
  const own: Kept = { key, agent: event.agent ?? '', call: callOf(event), hooks, at: Date.now(), pid: process.pid };
  const mine: Claim = {
    kind: 'mine',
    done: decision => (decision ? store.decide(name, own, decision) : store.drop(name, own)),
  };
  const windowMs = event.toolCallId === undefined ? 2000 : 60_000;
  for (const until = Date.now() + patienceMs; ; ) {
    if (store.create(name, own)) return mine;
    const kept = store.read(name);
    if (kept && isSame(kept, own, windowMs)) {
      if (kept.decision) return { kind: 'theirs', decision: kept.decision, hooks: kept.hooks };
      if (isAlive(kept.pid) && Date.now() < until) {
        await new Promise(resolve => setTimeout(resolve, 5));
        continue;
      }
    }
    // It is another event's, or its owner has died: the hooks run here. Where nothing can be kept they run as well.
    return store.replace(name, own) ? mine : { kind: 'mine', done: () => {} };
  }
}

const longChars = 2000;

/** Inputs may be large, and many are remembered. */
async function shortened(key: string): Promise<string> {
  if (key.length <= longChars) return key;
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(key).digest('base64');
}

const callOf = ({ tool, input, file }: HookEvent): string => shortHash(JSON.stringify([tool, input, file]));

function isSame(kept: Kept, own: Kept, windowMs: number): boolean {
  if (kept.key !== own.key || own.at - kept.at > windowMs) return false;
  const isInFlight = kept.decision === undefined;
  return kept.agent !== own.agent || (kept.call === own.call && (isInFlight || windowMs > 2000));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
