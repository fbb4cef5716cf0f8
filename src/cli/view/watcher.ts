import type { Mask } from '../../hooks/secrets/mask.ts';
import type { Watcher } from '../../model/notice.ts';
import type { Io } from '../io.ts';
import { createColours } from '../print/paint.ts';
import { createJsonWatcher } from './json.ts';
import { createLinesWatcher, createQuietWatcher } from './lines.ts';
import { type AnswerApproval, type SessionWatcher, sayNoOneIsAsked } from './session-watcher.ts';

/** How a session is shown. */
export type WatchMode = 'live' | 'lines' | 'json' | 'quiet';

export interface ModeOptions {
  io: Io;
  json?: boolean;
  quiet?: boolean;
  /** false: `--no-color`. */
  color?: boolean;
}

/** The live view moves the cursor about: it is for a person at a terminal that can do so, everyone else gets lines. */
export function watchMode({ io, json = false, quiet = false, color = true }: ModeOptions): WatchMode {
  if (json) return 'json';
  if (quiet) return 'quiet';
  const { TERM = '', CI = '' } = io.env;
  const canMove = TERM !== '' && TERM !== 'dumb' && ['', '0', 'false'].includes(CI);
  return color && canMove && io.terminal('err').color ? 'live' : 'lines';
}

export interface WatchOptions {
  io: Io;
  mode: WatchMode;
  mask: Mask;
  /** The pipeline's stages in their order, for `stage 2 of 3`. */
  stages: readonly string[];
  /** Answers an approval. Where it is given the keys a and r answer the oldest one. */
  answer?: AnswerApproval;
  /** Whether `ask` will be used: keys are read for it. */
  askPermission: boolean;
}

export function createWatcher({ io, mode, mask, stages, answer, askPermission }: WatchOptions): SessionWatcher {
  const { color, columns } = io.terminal('err');
  const shown = { err: io.err, mask, colours: createColours(color), columns };
  if (mode === 'live')
    return createLiveLater(
      async () => {
        const { createLive } = await import('./live/live.ts');
        return createLive({ ...shown, term: io.env['TERM'], stages, answer, askPermission });
      },
      () => withoutPerson(createLinesWatcher(shown)),
    );
  const watcher = { json: createJsonWatcher, quiet: createQuietWatcher, lines: createLinesWatcher }[mode](shown);
  if (askPermission) sayNoOneIsAsked(watcher);
  return withoutPerson(watcher);
}

/** No one is there to be asked. */
const withoutPerson = (watcher: Watcher & { close?(): void }): SessionWatcher => ({
  notice: watcher.notice,
  remark: watcher.remark,
  ask: () => Promise.resolve('nobody'),
  settled() {},
  close: () => watcher.close?.(),
});

/**
 * Stands in for the live view while its code is read, and hands it what has happened since. Where that fails, or the
 * session is over before, plain lines do.
 */
function createLiveLater(load: () => Promise<SessionWatcher>, createPlain: () => SessionWatcher): SessionWatcher {
  let watcher: SessionWatcher | undefined;
  let pending: ((watcher: SessionWatcher) => void)[] = [];
  const become = (ready: SessionWatcher): void => {
    watcher = ready;
    for (const tell of pending) tell(ready);
    pending = [];
  };
  const later = (tell: (watcher: SessionWatcher) => void): void => {
    if (watcher) tell(watcher);
    else pending.push(tell);
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
