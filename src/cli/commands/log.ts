import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createMask, maskDeep } from '../../hooks/secrets/mask.ts';
import { entryToShow } from '../../loop/start.ts';
import { printable, printableJson } from '../../model/index.ts';
import { holderOf } from '../../platform/lock.ts';
import { streamJournal } from '../../session/history/stream.ts';
import { type Followed, followJournal } from '../../session/journal/follow.ts';
import type { Entry } from '../../session/journal/line.ts';
import type { Damage } from '../../session/journal/scan.ts';
import { isThere, whyLost } from '../../session/lost.ts';
import type { SessionPaths } from '../../session/paths.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { findSession } from '../find-session.ts';
import { createLogLines } from '../print/log.ts';
import { createColours } from '../print/paint.ts';
import { watchSignals } from '../signals.ts';

export const log: Command = {
  name: 'log',
  summary: "Show every event of a session and every hook's result, with what it printed",
  arguments: ['SESSION'],
  options: {
    follow: { short: 'f', doc: 'go on until the session ends' },
    hooks: { doc: 'only the hooks' },
  },
  streams: true,
  example: 'hookloop log release-20260824-101500 --follow',
  async run({ positionals, flags }, io) {
    const { name, paths } = findSession(positionals[0]!, io);
    const onlyHooks = flags.has('hooks');
    const lines = createLogLines(name, createColours(io.terminal('out').color), onlyHooks);
    const mask = createMask(io.env);
    const toText = flags.has('json')
      ? (entry: Entry<object>) => (onlyHooks && !isHook(entry) ? '' : `${printableJson(entry)}\n`)
      : (entry: Entry<object>) =>
          lines
            .of(entry)
            .map(line => `${line}\n`)
            .join('');
    const out = createBatch(io.out);
    let first: object | undefined;
    const onEntry = (entry: Entry<object>): void => {
      first ??= entry;
      out.add(toText(entryToShow(maskDeep(entry, mask) as Entry<object>, mask)));
    };
    const tell = (text: string): void => io.err(`hookloop log: ${printable(text)}\n`);
    const code = (ended: Ended): number => codeFor(ended, { name, lost: whyLost(paths, first), tell });
    if (!isThere(paths.journal)) {
      const lost = whyLost(paths, undefined);
      if (lost !== undefined) {
        tell(lost);
        return exit.badInput;
      }
    }
    if (!flags.has('follow')) {
      if (!existsSync(paths.journal)) {
        tell(`nothing is written yet: ${name} is just starting, or its start was cut short`);
        return exit.done;
      }
      const ended = streamJournal(paths.journal, onEntry);
      out.flush();
      return code(ended);
    }
    const interruption = watchSignals();
    const onDeserted = (): void => tell(`nobody works on ${name} now; hookloop resume ${name} goes on with it`);
    const ended = await followSession({ paths, onEntry, onDeserted, signal: interruption.signal });
    out.flush();
    return interruption.exitCode() ?? code(ended);
  },
};

const isHook = (entry: Entry<object>): boolean => String((entry as { kind?: unknown }).kind).startsWith('hook.');

type Ended =
  | { kind: 'read' | 'stopped' }
  | { kind: 'damaged'; damage: Damage }
  | { kind: 'unreadable'; reason: string };

interface Telling {
  name: string;
  lost: string | undefined;
  tell(text: string): void;
}

function codeFor(ended: Ended, { name, lost, tell }: Telling): number {
  if ('damage' in ended) {
    const { line, reason } = ended.damage;
    tell(`journal.jsonl:${line}: ${reason}; hookloop repair ${name} shows what can be kept`);
  } else if ('reason' in ended) {
    tell(`journal.jsonl cannot be read: ${ended.reason}`);
  } else if (lost !== undefined) {
    tell(lost);
  } else return exit.done;
  return exit.badInput;
}

const batchLength = 64 * 1024;

/** One write for many lines: a large journal has hundreds of thousands. What is left goes out when nothing follows at once. */
function createBatch(write: (text: string) => void): { add(text: string): void; flush(): void } {
  let waiting = '';
  const flush = (): void => {
    if (waiting !== '') write(waiting);
    waiting = '';
  };
  return {
    add(text) {
      if (waiting === '' && text !== '') setImmediate(flush);
      waiting += text;
      if (waiting.length > batchLength) flush();
    },
    flush,
  };
}

interface FollowSession {
  paths: SessionPaths;
  onEntry(entry: Entry<object>): void;
  /** No one works on the session, and its journal does not say that it ended: told each time this begins. */
  onDeserted(): void;
  signal: AbortSignal;
}

/** Hands over entries until the session's last word is that it ended. */
async function followSession({ paths, onEntry, onDeserted, signal }: FollowSession): Promise<Followed> {
  const end = new AbortController();
  const watch = watchHolder(paths.folder, onDeserted);
  let isClosed = false;
  try {
    await journalOf(paths, signal);
    return await followJournal<object>(
      paths.journal,
      entry => {
        onEntry(entry);
        const { kind } = entry as { kind?: unknown };
        isClosed = kind === 'session.closed' || (isClosed && kind !== 'session.resumed');
        // All entries there are come before this: one of them may say that the session goes on.
        if (isClosed) setImmediate(() => isClosed && end.abort());
      },
      AbortSignal.any([signal, end.signal]),
    );
  } finally {
    clearInterval(watch);
  }
}

/** A session that is just starting has none yet. */
async function journalOf({ journal }: SessionPaths, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !existsSync(journal)) await delay(100, undefined, { signal }).catch(() => {});
}

const lookMs = 1000;

/** Two looks in a row: a session changes hands in less. */
function watchHolder(folder: string, onDeserted: () => void): NodeJS.Timeout {
  let misses = 0;
  return setInterval(() => {
    misses = holderOf(folder) ? 0 : misses + 1;
    if (misses === 2) onDeserted();
  }, lookMs);
}
