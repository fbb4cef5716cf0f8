import type { Watcher } from '../../model/notice.ts';
import type { Io } from '../io.ts';
import { createColours } from '../print/paint.ts';
import { createJsonWatcher } from './json.ts';
import { createLinesWatcher } from './lines.ts';
import { createLiveLater } from './live-later.ts';
import type { WatchMode } from './mode.ts';
import { createQuietWatcher } from './quiet.ts';
import type { Mask } from './remark-words.ts';
import { type AnswerApproval, type SessionWatcher, sayNobodyAsks } from './session-watcher.ts';

export interface WatchOptions {
  io: Io;
  mode: WatchMode;
  /** Hides secrets in remarks and questions; notices come masked. */
  mask?: Mask;
  /** The pipeline's stages in their order, for `stage 2 of 3`. */
  stages?: readonly string[];
  /** Answers an approval. Where it is given the keys a and r answer the oldest one. */
  answer?: AnswerApproval;
  /** Whether `ask` will be used: keys are read for it. */
  askPermission?: boolean;
}

export function createWatcher(options: WatchOptions): SessionWatcher {
  const { io, mode, mask = same, stages, answer, askPermission = false } = options;
  const { color, columns } = io.terminal('err');
  const shown = { err: io.err, mask, colours: createColours(color), columns };
  const alone = (watcher: Watcher & { close?(): void }): SessionWatcher => {
    if (askPermission) sayNobodyAsks(watcher);
    return withoutPerson(watcher);
  };
  switch (mode) {
    case 'json':
      return alone(createJsonWatcher(shown));
    case 'quiet':
      return alone(createQuietWatcher(shown));
    case 'lines':
      return alone(createLinesWatcher(shown));
    case 'live':
      return createLiveLater(
        async () => {
          const { createLive } = await import('./live/live.ts');
          return createLive({ ...shown, io, stages, answer, askPermission });
        },
        () => withoutPerson(createLinesWatcher(shown)),
      );
  }
}

const same: Mask = text => text;

/** Nobody is there to be asked. */
const withoutPerson = (watcher: Watcher & { close?(): void }): SessionWatcher => ({
  notice: watcher.notice,
  remark: watcher.remark,
  ask: () => Promise.resolve('nobody'),
  settled() {},
  close: () => watcher.close?.(),
});
