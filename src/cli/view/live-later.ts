import type { SessionWatcher } from './session-watcher.ts';

/**
 * Stands in for the live view while its code is read, and hands it what has happened since. Where that fails, or the
 * session is over before, plain lines do.
 */
export function createLiveLater(
  load: () => Promise<SessionWatcher>,
  createPlain: () => SessionWatcher,
): SessionWatcher {
  let watcher: SessionWatcher | undefined;
  let waiting: ((watcher: SessionWatcher) => void)[] = [];
  const become = (ready: SessionWatcher): void => {
    watcher = ready;
    for (const tell of waiting) tell(ready);
    waiting = [];
  };
  const later = (tell: (watcher: SessionWatcher) => void): void => {
    if (watcher) tell(watcher);
    else waiting.push(tell);
  };
  load().then(
    ready => (watcher ? ready.close() : become(ready)),
    () => watcher ?? become(createPlain()),
  );
  return {
    notice: notice => later(ready => ready.notice(notice)),
    remark: remark => later(ready => ready.remark(remark)),
    ask: (question, options) =>
      new Promise(resolve => later(ready => ready.ask(question, options).then(resolve, () => resolve('nobody')))),
    settled: approval => later(ready => ready.settled(approval)),
    close() {
      if (!watcher) become(createPlain());
      watcher?.close();
    },
  };
}
