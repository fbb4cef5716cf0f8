import { type LogEnd, type LogOptions, readLog } from '../../app/sessions.ts';
import { printable, printableJson } from '../../model/index.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { sessionNamed } from '../find-session.ts';
import type { Io } from '../io.ts';
import { createLogLines } from '../print/log.ts';
import { terminalOf } from '../print/paint.ts';
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
    const session = await sessionNamed(positionals[0]!, io);
    const { name } = session;
    const onlyHooks = flags.has('hooks');
    const lines = createLogLines(name, terminalOf(io).colours, onlyHooks);
    const out = createBatch(io.out);
    const told: Pick<LogOptions, 'onEntry' | 'onLogEntry'> = flags.has('json')
      ? { onLogEntry: entry => (!onlyHooks || entry.type.startsWith('hook.')) && out.add([printableJson(entry)]) }
      : { onEntry: entry => out.add(lines(entry)) };
    const tell = (text: string): void => io.err(`hookloop log: ${printable(text)}\n`);
    const interruption = flags.has('follow') ? watchSignals() : undefined;
    const onDeserted = (): void => tell(`nobody works on ${name} now; hookloop resume ${name} goes on with it`);
    const follow = interruption && { onDeserted, signal: interruption.signal };
    try {
      const end = await readLog(session, io, { ...told, follow });
      out.flush();
      return interruption?.exitCode() ?? codeFor(end, name, tell);
    } catch (error) {
      if (error instanceof Unread) return exit.done;
      throw error;
    }
  },
};

/** Ends the reading of a journal that no one wants to see more of. */
class Unread extends Error {}

function codeFor(end: LogEnd, name: string, tell: (text: string) => void): number {
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
function createBatch(write: Io['out']): { add(lines: readonly string[]): void; flush(): void } {
  let waiting = '';
  let isUnread = false;
  const flush = (): void => {
    if (waiting !== '') isUnread = write(waiting) === 'unread';
    waiting = '';
  };
  return {
    add(lines) {
      if (waiting === '' && lines.length > 0) setImmediate(flush);
      for (const line of lines) waiting += `${line}\n`;
      if (waiting.length > batchLength) flush();
      if (isUnread) throw new Unread();
    },
    flush,
  };
}
