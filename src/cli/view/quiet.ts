import type { Watcher } from '../../model/notice.ts';
import { eventWords } from '../print/event-words.ts';
import type { Colours } from '../print/paint.ts';
import { createProgress } from '../print/progress.ts';
import { summaryLines } from '../print/summary.ts';
import { type Mask, remarkWords } from './remark-words.ts';

export interface QuietOptions {
  err(text: string): void;
  mask: Mask;
  colours: Colours;
  columns: number | undefined;
}

/** Only what somebody has to do something about: warnings, questions, and a session that did not complete. */
export function createQuietWatcher(options: QuietOptions): Watcher {
  return {
    notice(notice) {
      if (notice.type === 'approval.requested') {
        const { text, details = [] } = eventWords(notice, createProgress())!;
        options.err(`hookloop: ${[`session ${notice.session} ${text}`, ...details].join('; ')}\n`);
      }
      if (notice.type !== 'session.summary' || notice.status === 'completed') return;
      const lines = summaryLines(
        { ...notice, stages: [], hooks: [], tasks: [], gone: [] },
        { ...options, session: notice.session },
      );
      options.err(`${lines.filter(line => line !== '').join('\n')}\n`);
    },
    remark(remark) {
      if (remark.level !== 'info') options.err(`hookloop: ${remarkWords(remark, options)}\n`);
    },
  };
}
