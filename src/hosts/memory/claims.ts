import { dirname, join } from 'node:path';
import type { Decision, HookEvent, HookId } from '../../model/index.ts';
import { claudeToolName } from '../../model/tools.ts';
import { createPrivate, readIfThere, removeOld, replacePrivate, shortHash } from './files.ts';

/** `mine`: the hooks are ours to run, and `done` keeps what they decided. `theirs`: another process of ours has run those. */
export type Claim =
  | { kind: 'mine'; done(decision: Decision): void }
  | { kind: 'theirs'; decision: Decision; hooks: readonly HookId[] };

/** What makes two calls of ours one event: the call's identity, else the session, the tool and what it is called with. */
export function claimKey({ name, session = '', toolCallId, tool, input, message, file }: HookEvent): string {
  if (toolCallId !== undefined) return JSON.stringify([name, session, toolCallId, file ?? '']);
  return JSON.stringify([name, session, claudeToolName(tool ?? ''), input ?? null, message ?? '', file ?? '']);
}

interface Kept {
  key: string;
  /** The agent whose entry called us. */
  agent: string;
  call: string;
  hooks: readonly HookId[];
  at: number;
  pid: number;
  decision?: Decision;
}

/**
 * Some agents read the hook files of others, and then one event calls us twice. The second call gives the first one's
 * answer. The same entry called again later is a new event, even with the same input: its hooks run.
 */
export async function claim(
  folder: string,
  event: HookEvent,
  hooks: readonly HookId[],
  patienceMs: number,
): Promise<Claim> {
  const key = claimKey(event);
  const file = join(folder, 'claims', `${shortHash(key)}.json`);
  const own: Kept = { key, agent: event.agent ?? '', call: callOf(event), hooks, at: Date.now(), pid: process.pid };
  const windowMs = event.toolCallId === undefined ? 2000 : 60_000;
  for (const until = Date.now() + patienceMs; ; ) {
    if (create(file, own)) return mine(file, own);
    const kept = readKept(file);
    if (kept && isSame(kept, own, windowMs)) {
      if (kept.decision) return { kind: 'theirs', decision: kept.decision, hooks: kept.hooks };
      if (isAlive(kept.pid) && Date.now() < until) {
        await new Promise(resolve => setTimeout(resolve, 5));
        continue;
      }
    }
    return takeOver(file, own);
  }
}

const callOf = ({ tool, input, file }: HookEvent): string => shortHash(JSON.stringify([tool, input, file]));

function isSame(kept: Kept, own: Kept, windowMs: number): boolean {
  if (kept.key !== own.key || own.at - kept.at > windowMs) return false;
  const isInFlight = kept.decision === undefined;
  return kept.agent !== own.agent || (kept.call === own.call && (isInFlight || windowMs > 2000));
}

function create(file: string, own: Kept): boolean {
  try {
    createPrivate(file, JSON.stringify(own));
    sweep(dirname(dirname(file)));
    return true;
  } catch {
    return false;
  }
}

/** The file is another event's, or its owner has died: the hooks run here. A folder that cannot be written changes nothing. */
function takeOver(file: string, own: Kept): Claim {
  try {
    replacePrivate(file, JSON.stringify(own));
  } catch {
    return { kind: 'mine', done: () => {} };
  }
  return mine(file, own);
}

const mine = (file: string, own: Kept): Claim => ({
  kind: 'mine',
  done(decision) {
    try {
      replacePrivate(file, JSON.stringify({ ...own, decision }));
    } catch {
      // A second call runs the hooks again, which is only slower.
    }
  },
});

function readKept(file: string): Kept | undefined {
  try {
    return JSON.parse(readIfThere(file) ?? '') as Kept;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const dayMs = 24 * 60 * 60 * 1000;

/** Now and then: looking through folders for every event would cost more than it saves. */
function sweep(folder: string): void {
  if (Math.random() > 1 / 64) return;
  removeOld(join(folder, 'claims'), 10 * 60 * 1000);
  for (const name of ['notes', 'turns']) removeOld(join(folder, name), 7 * dayMs);
}
