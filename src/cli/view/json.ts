import { write } from 'node:fs';
import { printableJson } from '../../model/index.ts';
import type { Watcher } from '../../model/notice.ts';
import { remarkWords, type Shown } from './session-watcher.ts';

/** Each notice as one line of JSON on stdout, remarks on stderr. */
export function createJsonWatcher(options: Pick<Shown, 'err' | 'mask' | 'colours'>): Watcher {
  const remark: Watcher['remark'] = told => options.err(`hookloop: ${remarkWords(told, options)}\n`);
  const out = createPatientWriter(1, reason =>
    remark({ level: 'warning', text: `events can no longer be written to stdout: ${reason}` }),
  );
  return { notice: notice => out(`${printableJson(notice)}\n`), remark };
}

/**
 * Writes to a stream without ever waiting for its reader: a full pipe would else hold up timeouts and signals.
 * What was written is kept in order. A reader that has gone away is not our failure; `onFailure` hears of everything
 * else, once, and nothing is written from then on.
 */
function createPatientWriter(fd: number, onFailure: (reason: string) => void): (text: string) => void {
  let pending: string[] = [];
  let pendingLength = 0;
  let state: 'idle' | 'busy' | 'broken' = 'idle';
  const fail = (reason: string | undefined): void => {
    [state, pending, pendingLength] = ['broken', [], 0];
    if (reason !== undefined) onFailure(reason);
  };
  const writeAll = (bytes: Buffer): void => {
    write(fd, bytes, (error, written) => {
      if (state === 'broken') return;
      if (error && error.code !== 'EAGAIN') {
        fail(error.code === 'EPIPE' ? undefined : (error.code ?? error.message));
        return;
      }
      const rest = bytes.subarray(error ? 0 : written);
      if (error) setTimeout(() => writeAll(rest), retryMs);
      else if (rest.length > 0) writeAll(rest);
      else writePending();
    });
  };
  const writePending = (): void => {
    state = pending.length > 0 ? 'busy' : 'idle';
    if (state === 'idle') return;
    const bytes = Buffer.from(pending.join(''));
    [pending, pendingLength] = [[], 0];
    writeAll(bytes);
  };
  return text => {
    if (state === 'broken') return;
    if (pendingLength + text.length > maxPending) {
      fail('nobody reads it');
      return;
    }
    pending.push(text);
    pendingLength += text.length;
    if (state === 'idle') writePending();
  };
}

/** Another program made the pipe answer "not yet". */
const retryMs = 5;
const maxPending = 64 * 1024 * 1024;
