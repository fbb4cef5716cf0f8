import { printableJson } from '../../model/index.ts';
import type { Watcher } from '../../model/notice.ts';
import { createPatientWriter } from '../io.ts';
import { remarkWords, type Shown } from './session-watcher.ts';

/** Each notice as one line of JSON on stdout, remarks on stderr. */
export function createJsonWatcher(options: Pick<Shown, 'err' | 'mask' | 'colours'>): Watcher {
  const remark: Watcher['remark'] = told => options.err(`hookloop: ${remarkWords(told, options)}\n`);
  const out = createPatientWriter(1, reason =>
    remark({ level: 'warning', text: `events can no longer be written to stdout: ${reason}` }),
  );
  return { notice: notice => out.write(`${printableJson(notice)}\n`), remark };
}
