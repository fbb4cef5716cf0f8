import { callKey } from '../../model/call-key.ts';
import { type Decision, type HookEvent, type HookId, isPending } from '../../model/index.ts';
import { isOwnCommand } from '../../model/own-entry.ts';
import { shortHash } from '../../platform/cache.ts';
import { statOf, wordsOf } from '../../platform/processes.ts';
import type { ClaimStore, Kept } from './claim-store.ts';

/**
 * `mine`: the hooks are ours to run; `done` keeps what they decided, undefined where they were cut short and another call
 * has to run them. `theirs`: another call of ours has run those.
 */
export type Claim =
  | { kind: 'mine'; done(decision: Decision | undefined): void }
  | { kind: 'theirs'; decision: Decision; hooks: readonly HookId[] };

/** Who asks: the project that is asked about, and the agent's process; empty where that cannot be told. */
export interface Asking {
  root: string;
  process: string;
}

/**
 * Some agents read the hook files of others, and then one event calls us twice. The second call gives the first one's
 * answer. The same entry called again later is a new event, even with the same input: its hooks run. Whoever knows what
 * an agent is about to do can ask in its place, with programs of its own on PATH, and its shell can look like the agent:
 * a refusal counts for everyone, the pass of a gate only under the same name, for a call with an identity that no one
 * knows before. What has happened cannot be let through.
 */
export async function claim(
  store: ClaimStore,
  event: HookEvent,
  hooks: readonly HookId[],
  patienceMs: number,
  asking: Asking,
): Promise<Claim> {
  const key = await shortened(eventKey(event, asking.root));
  const name = shortHash(key);
  const own: Kept = {
    ...{ key, agent: event.agent ?? '', process: asking.process, call: callOf(event), hooks },
    ...{ at: Date.now(), pid: process.pid },
  };
  const mine: Claim = {
    kind: 'mine',
    done: decision => (decision ? store.decide(name, own, decision) : store.drop(name, own)),
  };
  const hasId = event.toolCallId !== undefined;
  for (const until = Date.now() + patienceMs; ; ) {
    if (store.create(name, own)) return mine;
    const kept = store.read(name);
    if (kept && isSame(kept, own, hasId)) {
      const isPassed = !isPending(event.name) || (hasId && kept.agent === own.agent);
      const isBelieved = isPassed && own.process !== '' && kept.process === own.process;
      if (kept.decision && (isBelieved || kept.decision.kind !== 'proceed'))
        return { kind: 'theirs', decision: kept.decision, hooks: kept.hooks };
      if (!kept.decision && isBelieved && isAlive(kept.pid) && Date.now() < until) {
        await new Promise(resolve => setTimeout(resolve, 5));
        continue;
      }
    }
    // It is another event's or another process's, or its owner has died: the hooks run here. Where nothing can be kept they run as well.
    return store.replace(name, own) ? mine : { kind: 'mine', done: () => {} };
  }
}

/** What makes two calls of ours one event: the project, the session, and the tool call with its identity. */
function eventKey(event: HookEvent, root: string): string {
  const { name, session = '', toolCallId = '', message = '' } = event;
  return JSON.stringify([name, root, session, toolCallId, message, callKey(event, root)]);
}

const longChars = 2000;

/** Inputs may be large, and many are remembered. */
async function shortened(key: string): Promise<string> {
  if (key.length <= longChars) return key;
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(key).digest('base64');
}

/** To the letter: only such a call can be let through by what another was answered. */
const callOf = ({ tool, input, file }: HookEvent): string => shortHash(JSON.stringify([tool, input, file]));

/** A call that is told twice is told at once, or as soon as the first telling is answered. */
const toldTwiceMs = 2000;
const sameIdMs = 60_000;

function isSame(kept: Kept, own: Kept, hasId: boolean): boolean {
  if (kept.key !== own.key || own.at - kept.at > (hasId ? sameIdMs : toldTwiceMs)) return false;
  const { decision, decidedAt = kept.at } = kept;
  // What passed then need not pass now, whatever the call is called.
  if (decision?.kind === 'proceed' && own.at - decidedAt > toldTwiceMs) return false;
  return kept.agent !== own.agent || (kept.call === own.call && (decision === undefined || hasId));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * The process of the agent that has called us, with the time of its start, above the shells that ran our entry; empty
 * where the system does not tell. `parent`: the process that started us, or our launcher.
 */
export function agentProcess(parent: number): string {
  for (let pid = parent; pid > 0; ) {
    const stat = statOf(pid);
    if (stat === undefined) return '';
    if (!isEntryShell(wordsOf(pid))) return `${pid}@${stat.startTicks}`;
    pid = stat.parent;
  }
  return '';
}

/** `sh -c ENTRY` and nothing else: a shell that has an entry among other words does other things too. */
function isEntryShell(words: readonly string[]): boolean {
  const [entry = '', ...before] = words.slice(1).reverse();
  return isOwnCommand(entry) && before.length > 0 && before.every(option => /^-[a-z]+$/.test(option));
}
