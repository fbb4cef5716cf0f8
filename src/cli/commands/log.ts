import { followSession } from '../../app/sessions.ts';
import { createMask } from '../../hooks/secrets/mask.ts';
import { printable, printableJson } from '../../model/index.ts';
import { maskDeep } from '../../model/mask.ts';
import { createLogEntries } from '../../session/log-entries.ts';
import { entryToShow } from '../../session/mask-start.ts';
import type { ReadEnd, StoredEntry } from '../../session/store.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { sessionNamed } from '../find-session.ts';
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
    const { name, store } = await sessionNamed(positionals[0]!, io);
    const onlyHooks = flags.has('hooks');
    const lines = createLogLines(name, createColours(io.terminal('out').color), onlyHooks);
    const mask = createMask(io.env);
    const logEntries = createLogEntries();
    const toLines = flags.has('json')
      ? (entry: StoredEntry) =>
          logEntries(entry)
            .filter(({ type }) => !onlyHooks || type.startsWith('hook.'))
            .map(line => printableJson(line))
      : lines;
    const toText = (entry: StoredEntry): string =>
      toLines(entry)
        .map(line => `${line}\n`)
        .join('');
    const out = createBatch(io.out);
    const onEntry = (entry: StoredEntry): void =>
      out.add(toText(entryToShow(maskDeep(entry, mask) as StoredEntry, mask)));
    const tell = (text: string): void => io.err(`hookloop log: ${printable(text)}\n`);
    if (!flags.has('follow')) {
      const end = await store.read(name, onEntry);
      out.flush();
      return codeFor(end, name, tell);
    }
    const interruption = watchSignals();
    const onDeserted = (): void => tell(`nobody works on ${name} now; hookloop resume ${name} goes on with it`);
    const end = await followSession(store, name, { onEntry, onDeserted, signal: interruption.signal });
    out.flush();
    return interruption.exitCode() ?? codeFor(end, name, tell);
  },
};

function codeFor(end: ReadEnd, name: string, tell: (text: string) => void): number {
  switch (end.kind) {
    case 'read':
      return exit.done;
    case 'empty':
      tell(`nothing is written yet: ${name} is just starting, or its start was cut short`);
      return exit.done;
    case 'damaged':
      tell(`journal.jsonl:${end.damage.line}: ${end.damage.reason}; hookloop repair ${name} shows what can be kept`);
      return exit.badInput;
    case 'unreadable':
      tell(`journal.jsonl cannot be read: ${end.reason}`);
      return exit.badInput;
    case 'lost':
      tell(end.reason);
      return exit.badInput;
  }
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
