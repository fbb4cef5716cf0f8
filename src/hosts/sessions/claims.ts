import { closeSync, constants, lstatSync, openSync, realpathSync, renameSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { callKey } from '../../model/call-key.ts';
import { type Decision, type HookEvent, type HookId, isPending } from '../../model/index.ts';
import { jsonOf } from '../../model/json.ts';
import { isOwnCommand } from '../../model/own-entry.ts';
import { shortHash } from '../../platform/cache.ts';
import { inPrivateFolder, makePrivateFolder, removeQuietly, writeNew } from '../../platform/files.ts';
import { memoryFolder, statOf, wordsOf } from '../../platform/processes.ts';
import { failureOf, isDone, readIfThere, removeOld, removeOldMemory, replacePrivate } from './session-memory.ts';

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

/** Where claims are, which all processes of the user see. */
export interface ClaimStore {
  memory: string;
  folder: string;
  /** Does what no one waits for. */
  later(work: () => void): void;
}

export const fileClaims = (memory: string, folder = claimsFolder(memory)): ClaimStore => ({
  ...{ memory, folder },
  later: work => work(),
});

/** Who runs the hooks of an event: the first line of a claim's file. */
interface ClaimLine {
  key: string;
  /** The agent whose entry called us. */
  agent: string;
  /** The agent's process. */
  process: string;
  call: string;
  hooks: readonly HookId[];
  at: number;
  pid: number;
  /** Of all claims of that process: it may make several in one millisecond. */
  number: number;
}

type Maker = 'at' | 'pid' | 'number';

/** The second line. Appending it takes a fraction of what replacing the file does. */
interface DecisionLine extends Pick<ClaimLine, Maker> {
  decision: Decision;
  decidedAt: number;
}

/**
 * Some agents read the hook files of others, and then one event calls us twice. The second call gives the first one's
 * answer. The same entry called again later is a new event, even with the same input: its hooks run.
 * A program that knows what an agent is about to do could ask first, under conditions of its own (another PATH), and a
 * shell of the agent looks like the agent. So a refusal counts for everyone, but that a gate has passed only for the
 * same agent and a call whose id no one knows beforehand. For what has already happened there is nothing to let through.
 * Contract: never rejects.
 */
export async function claim(
  store: ClaimStore,
  event: HookEvent,
  hooks: readonly HookId[],
  patienceMs: number,
  asking: Asking,
): Promise<Claim> {
  const key = await shortened(eventKey(event, asking.root));
  const file = join(store.folder, `${shortHash(key)}.json`);
  const own: ClaimLine = {
    ...{ key, agent: event.agent ?? '', process: asking.process, call: callOf(event), hooks },
    ...{ at: Date.now(), pid: process.pid, number: nextNumber() },
  };
  const line = `${JSON.stringify(own)}\n`;
  const mine: Claim = {
    kind: 'mine',
    done(decision) {
      if (decision)
        store.later(() => {
          decide(file, own, decision);
          sweep(store);
        });
      else if (isBy(readClaim(readIfThere(file)).kept, own)) removeQuietly(file);
    },
  };
  const until = Date.now() + patienceMs;
  for (let unsettledMs = 0; ; unsettledMs += pollMs) {
    const failure = failureOf(() => inPrivateFolder(file, () => writeNew(file, line)));
    if (failure === undefined) return mine;
    // Where nothing can be written the hooks run here.
    if (failure !== 'EEXIST') return unkept;
    const text = readIfThere(file);
    const told = whatItTells(readClaim(text), own, event);
    if (told.kind === 'theirs') return told;
    if (told.kind === 'wait' && isAlive(told.pid) && Date.now() < until) unsettledMs = 0;
    else {
      if (told.kind !== 'unsettled' && takeOver(file, text, line)) return mine;
      // Not settled yet, or someone else takes it over; unless whoever did that has died.
      if (unsettledMs >= maxUnsettledMs) return replace(file, line) ? mine : unkept;
    }
    await nextLook();
  }
}

/** What a claim that another call has made says to ours. */
type Told =
  /** Its hooks have decided for us too. */
  | Extract<Claim, { kind: 'theirs' }>
  /** They will, unless the process that runs them has died. */
  | { kind: 'wait'; pid: number }
  /** It is another event's, or its answer does not count for this call: the hooks run here. */
  | { kind: 'take-over' }
  /** Half-written or just taken back. */
  | { kind: 'unsettled' };

function whatItTells({ kept, decided }: FoundClaim, own: ClaimLine, event: HookEvent): Told {
  if (!kept) return { kind: 'unsettled' };
  const hasId = event.toolCallId !== undefined;
  if (!isSame(kept, decided, own, hasId)) return { kind: 'take-over' };
  const isPassed = !isPending(event.name) || (hasId && kept.agent === own.agent);
  const isBelieved = isPassed && own.process !== '' && kept.process === own.process;
  if (!decided) return isBelieved ? { kind: 'wait', pid: kept.pid } : { kind: 'take-over' };
  const { decision } = decided;
  if (decision.kind === 'proceed' && !isBelieved) return { kind: 'take-over' };
  return { kind: 'theirs', decision, hooks: kept.hooks };
}

const isAlive = (pid: number): boolean => isDone(() => process.kill(pid, 0));

const unkept: Claim = { kind: 'mine', done: () => {} };

const pollMs = 5;
const nextLook = (): Promise<void> => new Promise(resolve => setTimeout(resolve, pollMs));

/** Far more than two writes take, on a busy machine too. */
const maxUnsettledMs = 1000;

/** The file that replaces a claim; only one process can create it. */
const nextOf = (file: string): string => `${file}.next`;

/** True for one of all the processes that have found the same claim; the others then see a new one. */
function takeOver(file: string, found: string | undefined, line: string): boolean {
  const next = nextOf(file);
  if (!isDone(() => writeNew(next, line))) return false;
  if (readIfThere(file) === found && isDone(() => renameSync(next, file))) return true;
  removeQuietly(next);
  return false;
}

/** Takes a claim from whoever has begun to write it or to take it over. False where nothing can be written. */
function replace(file: string, line: string): boolean {
  const isKept = isDone(() => replacePrivate(file, line));
  removeQuietly(nextOf(file));
  return isKept;
}

let count = 0;
const nextNumber = (): number => {
  count += 1;
  return count;
};

const isBy = (line: Pick<ClaimLine, Maker> | undefined, { at, pid, number }: ClaimLine): boolean =>
  line?.at === at && line.pid === pid && line.number === number;

interface FoundClaim {
  kept?: ClaimLine;
  decided?: DecisionLine;
}

function readClaim(text = ''): FoundClaim {
  const lines = text.split('\n').map(jsonOf);
  const [kept, ...later] = lines as [ClaimLine | undefined, ...(DecisionLine | undefined)[]];
  const decided = kept && later.find(line => isBy(line, kept));
  return { ...(kept && { kept }), ...(decided && { decided }) };
}

/** Without it a second call runs the hooks again, which is only slower. */
function decide(file: string, { at, pid, number }: ClaimLine, decision: Decision): void {
  const decided: DecisionLine = { at, pid, number, decision, decidedAt: Date.now() };
  isDone(() => {
    const fd = openSync(file, constants.O_WRONLY | constants.O_APPEND);
    try {
      writeSync(fd, `${JSON.stringify(decided)}\n`);
    } finally {
      closeSync(fd);
    }
  });
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

function isSame(kept: ClaimLine, decided: DecisionLine | undefined, own: ClaimLine, hasId: boolean): boolean {
  if (kept.key !== own.key || own.at - kept.at > (hasId ? sameIdMs : toldTwiceMs)) return false;
  // What passed then need not pass now, whatever the call is called.
  if (decided?.decision.kind === 'proceed' && own.at - decided.decidedAt > toldTwiceMs) return false;
  return kept.agent !== own.agent || (kept.call === own.call && (decided === undefined || hasId));
}

/** The folder in memory for the claims of all this user's memories: on a disk a new file takes longer than a short hook. */
export const claimsInMemory = (within = memoryFolder()): string | undefined =>
  within === undefined ? undefined : join(within, `hookloop-${process.getuid?.()}`);

/** Where the claims of a memory are: in the machine's if that can be the user's alone. Contract: never throws. */
export function claimsFolder(memory: string, within = memoryFolder()): string {
  const own = claimsInMemory(within);
  return own !== undefined && isOwn(own) ? join(own, nameOf(memory)) : join(memory, 'claims');
}

/** Whoever was here first, it must be the user, and no one else may look. */
function isOwn(path: string): boolean {
  try {
    makePrivateFolder(path);
    const { uid, mode } = lstatSync(path);
    return (mode & 0o170777) === 0o040700 && uid === process.getuid?.();
  } catch {
    return false;
  }
}

/** However the home is spelled, and whether or not the folder itself has been made yet. */
function nameOf(memory: string): string {
  try {
    return shortHash(join(realpathSync.native(dirname(memory)), basename(memory)));
  } catch {
    return shortHash(memory);
  }
}

const keptMs = 10 * 60 * 1000;

/** Now and then: looking through folders for every event would cost more than it saves. */
function sweep({ memory, folder }: ClaimStore): void {
  if (Math.random() > 1 / 64) return;
  removeOld(folder, keptMs);
  removeOldMemory(memory);
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
