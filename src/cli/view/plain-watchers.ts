import { printable, printableJson } from '../../model/index.ts';
import type { Mask } from '../../model/mask.ts';
import type { Notice, Remark, Watcher } from '../../model/notice.ts';
import { clock } from '../../model/words.ts';
import { createPatientWriter } from '../io.ts';
import { painted, type Style, type Terminal } from '../print/paint.ts';
import { createProgress } from '../print/progress.ts';
import { summaryLines } from '../print/summary.ts';
import { named } from '../print/text.ts';
import { eventWords, type Mark, type Told } from '../print/told.ts';
import { createTelling } from './telling.ts';

/** Takes a person's answer to an approval; a rejected promise says that it was not taken. */
export type AnswerApproval = (approval: string, answer: 'approve' | 'reject', message: string) => unknown;

/** Where and how a session is shown. */
export interface Shown extends Terminal {
  err(text: string): void;
  /** Hides secrets in remarks and questions; notices come masked. */
  mask: Mask;
}

/** A remark for stderr; warnings and errors say that they are. */
export function remarkWords({ level, text }: Remark, { mask, colours }: Pick<Shown, 'mask' | 'colours'>): string {
  const said = printable(mask(text)).trimEnd();
  if (level === 'info') return said;
  return `${(level === 'error' ? colours.red : colours.yellow)(level)}: ${said}`;
}

/** For whoever runs with `--permissions ask` where there is no terminal, or none whose keys can be read. */
export const sayNoOneIsAsked = ({ remark }: Watcher): void =>
  remark({
    level: 'warning',
    text: '--permissions ask: it needs a terminal and no one can be asked here, so every call that the agent asks about is refused',
  });

/** One line for each thing that happens, for logs and for terminals that cannot do more. */
export function createLinesWatcher(options: Shown): Watcher & { close(): void } {
  const { err, colours } = options;
  const telling = createTelling();
  const slow = new Map<string, NodeJS.Timeout>();
  let arrivedMs = Date.now();
  const stamp = (): string => {
    const { startMs = 0, nowMs } = telling.progress;
    return colours.dim(`[${clock(nowMs - startMs + Date.now() - arrivedMs)}]`);
  };
  const say = ({ mark, text, aside, position = telling.position(), details = [] }: Told): void => {
    const where = position === '' ? '' : colours.dim(`${position}: `);
    const more = aside === undefined ? '' : colours.dim(` (${aside})`);
    const words = mark === 'said' ? `agent: ${text}` : text;
    const head = `${stamp()} ${where}${painted(words, markStyles[mark], colours)}${more}`;
    err(`${[head, ...details.map(line => `        ${colours.dim('|')} ${line}`)].join('\n')}\n`);
  };
  /** A hook that hangs would else leave no trace in the log. */
  const watchHook = (notice: Notice): void => {
    if (notice.type !== 'hook.started' && notice.type !== 'hook.finished') return;
    const key = `${notice.hook} ${notice.event}`;
    clearTimeout(slow.get(key));
    slow.delete(key);
    if (notice.type === 'hook.finished') return;
    const tell = (): void =>
      say({ mark: 'begun', text: `hook ${named(notice.status ?? notice.name)} is running`, aside: notice.event });
    slow.set(key, setTimeout(tell, slowMs).unref());
  };
  return {
    notice(notice) {
      arrivedMs = Date.now();
      for (const told of telling.tell(notice)) say(told);
      watchHook(notice);
      if (notice.type === 'session.summary') err(`\n${summaryLines(notice, options).join('\n')}\n`);
    },
    remark: remark => err(`${stamp()} ${remarkWords(remark, options)}\n`),
    close() {
      for (const timer of slow.values()) clearTimeout(timer);
      slow.clear();
    },
  };
}

const slowMs = 2000;

const markStyles: Partial<Record<Mark, Style>> = {
  failed: 'red',
  refused: 'yellow',
  asked: 'yellow',
  note: 'dim',
  said: 'dim',
};

/** Only what someone has to do something about: warnings, questions, and a session that did not complete. */
export function createQuietWatcher(options: Shown): Watcher {
  return {
    notice(notice) {
      if (notice.type === 'approval.requested') {
        const { text, details = [] } = eventWords(notice, createProgress())!;
        options.err(`hookloop: ${[`session ${notice.session} ${text}`, ...details].join('; ')}\n`);
      }
      if (notice.type !== 'session.summary' || notice.status === 'completed') return;
      const { usage: _, ...told } = notice;
      const nothing = { stages: [], hooks: [], tasks: [], gone: [], files: [], time: noTime };
      const lines = summaryLines({ ...told, ...nothing }, options);
      options.err(`${lines.filter(line => line !== '').join('\n')}\n`);
    },
    remark(remark) {
      if (remark.level !== 'info') options.err(`hookloop: ${remarkWords(remark, options)}\n`);
    },
  };
}

const noTime = { agentMs: 0, hooksMs: 0, peopleMs: 0 };

/** Each notice as one line of JSON on stdout, remarks on stderr. */
export function createJsonWatcher(options: Pick<Shown, 'err' | 'mask' | 'colours'>): Watcher {
  const remark: Watcher['remark'] = told => options.err(`hookloop: ${remarkWords(told, options)}\n`);
  const out = createPatientWriter(1, reason =>
    remark({ level: 'warning', text: `events can no longer be written to stdout: ${reason}` }),
  );
  return { notice: notice => out.write(`${printableJson(notice)}\n`), remark };
}
