import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { SessionRecord } from '../../../src/model/record.ts';
import type { SessionStart } from '../../../src/session/store.ts';

/** Another process with the same store. It works on one session at a time. */
export interface StoreProcess {
  pid: number;
  create(name: string, start: Omit<SessionStart, 'mask'>): Promise<Reply>;
  hold(name: string): Promise<Reply>;
  append(record: SessionRecord): Promise<Reply>;
  release(): Promise<Reply>;
  /** Reads all of a session, keeps nothing of it, and counts. */
  count(name: string): Promise<Reply>;
  /** Ends it without a word. */
  kill(): Promise<void>;
}

export interface Reply {
  kind: string;
  lastSeq?: number;
  seq?: number;
  entries?: number;
}

export type Request =
  | { op: 'create'; name: string; start: Omit<SessionStart, 'mask'> }
  | { op: 'hold'; name: string }
  | { op: 'count'; name: string }
  | { op: 'append'; record: SessionRecord }
  | { op: 'release' };

/** Starts a program that calls `serveStore`; it goes with the test. */
export async function startStoreProcess(command: readonly [string, ...string[]]): Promise<StoreProcess> {
  const [file, ...args] = command;
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  onTestFinished(kill);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<Reply> => {
    const { value, done } = await lines.next();
    return done ? { kind: 'ended' } : (JSON.parse(value) as Reply);
  };
  const ask = (request: Request): Promise<Reply> => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return answer();
  };
  await answer();
  return {
    pid: child.pid!,
    create: (name, start) => ask({ op: 'create', name, start }),
    hold: name => ask({ op: 'hold', name }),
    append: record => ask({ op: 'append', record }),
    release: () => ask({ op: 'release' }),
    count: name => ask({ op: 'count', name }),
    kill,
  };
}
