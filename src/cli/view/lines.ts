import type { Notice, Watcher } from '../../model/notice.ts';
import { clock } from '../../model/words.ts';
import { painted, type Style } from '../print/paint.ts';
import { createProgress } from '../print/progress.ts';
import { summaryLines } from '../print/summary.ts';
import { named } from '../print/text.ts';
import { eventWords, type Mark, type Told } from '../print/told.ts';
import { remarkWords, type Shown } from './session-watcher.ts';
import { createTelling } from './telling.ts';

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
    const head = `${stamp()} ${where}${painted(text, markStyles[mark], colours)}${more}`;
    err(`${[head, ...details.map(line => `        ${colours.dim('|')} ${line}`)].join('\n')}\n`);
  };
  /** A hook that hangs would else leave no trace in the log. */
  const watchHook = (notice: Notice): void => {
    if (notice.type !== 'hook.started' && notice.type !== 'hook.finished') return;
    const key = `${notice.hook} ${notice.event}`;
    clearTimeout(slow.get(key));
    slow.delete(key);
    if (notice.type === 'hook.finished') return;
    const tell = (): void => say({ mark: 'begun', text: `hook ${named(notice.name)} is running`, aside: notice.event });
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

const markStyles: Partial<Record<Mark, Style>> = { failed: 'red', refused: 'yellow', asked: 'yellow', note: 'dim' };

/** Only what someone has to do something about: warnings, questions, and a session that did not complete. */
export function createQuietWatcher(options: Shown): Watcher {
  return {
    notice(notice) {
      if (notice.type === 'approval.requested') {
        const { text, details = [] } = eventWords(notice, createProgress())!;
        options.err(`hookloop: ${[`session ${notice.session} ${text}`, ...details].join('; ')}\n`);
      }
      if (notice.type !== 'session.summary' || notice.status === 'completed') return;
      const lines = summaryLines({ ...notice, stages: [], hooks: [], tasks: [], gone: [] }, options);
      options.err(`${lines.filter(line => line !== '').join('\n')}\n`);
    },
    remark(remark) {
      if (remark.level !== 'info') options.err(`hookloop: ${remarkWords(remark, options)}\n`);
    },
  };
}
