import { write } from 'node:fs';

/**
 * Writes to a stream without ever waiting for its reader: a full pipe would else hold up timeouts and signals.
 * What was written is kept in order. A reader that has gone away is not our failure; `onFailure` hears of everything
 * else, once, and nothing is written from then on.
 */
export function createPatientWriter(fd: number, onFailure: (reason: string) => void): (text: string) => void {
  let waiting: string[] = [];
  let waitingLength = 0;
  let state: 'idle' | 'busy' | 'broken' = 'idle';
  const fail = (reason: string | undefined): void => {
    [state, waiting, waitingLength] = ['broken', [], 0];
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
      else writeWaiting();
    });
  };
  const writeWaiting = (): void => {
    state = waiting.length > 0 ? 'busy' : 'idle';
    if (state === 'idle') return;
    const bytes = Buffer.from(waiting.join(''));
    [waiting, waitingLength] = [[], 0];
    writeAll(bytes);
  };
  return text => {
    if (state === 'broken') return;
    if (waitingLength + text.length > maxWaiting) {
      fail('nobody reads it');
      return;
    }
    waiting.push(text);
    waitingLength += text.length;
    if (state === 'idle') writeWaiting();
  };
}

/** Another program made the pipe answer "not yet". */
const retryMs = 5;
const maxWaiting = 64 * 1024 * 1024;
