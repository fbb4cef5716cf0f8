import { printableJson } from '../../model/index.ts';
import type { Watcher } from '../../model/notice.ts';
import type { Colours } from '../print/paint.ts';
import { createPatientWriter } from './patient-writer.ts';
import { type Mask, remarkWords } from './remark-words.ts';

export interface JsonOptions {
  err(text: string): void;
  mask: Mask;
  colours: Colours;
}

/** Each notice as one line of JSON on stdout, remarks on stderr. */
export function createJsonWatcher(options: JsonOptions): Watcher {
  const remark: Watcher['remark'] = told => options.err(`hookloop: ${remarkWords(told, options)}\n`);
  const out = createPatientWriter(1, reason =>
    remark({ level: 'warning', text: `events can no longer be written to stdout: ${reason}` }),
  );
  return { notice: notice => out(`${printableJson(notice)}\n`), remark };
}
