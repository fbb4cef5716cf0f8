import type { Report } from '../../app/session-ports.ts';
import type { Mask } from '../../model/mask.ts';
import type { Watcher } from '../../model/notice.ts';
import type { Io } from '../io.ts';
import { createColours } from '../print/paint.ts';
import type { LiveOptions } from './live/live.ts';
import {
  createJsonWatcher,
  createLinesWatcher,
  createQuietWatcher,
  type Shown,
  sayNoOneIsAsked,
} from './plain-watchers.ts';

/** How a session is shown. */
export type WatchMode = 'live' | 'lines' | 'json' | 'quiet';

/** The live view moves the cursor about: it is for a person at a terminal that can do so, everyone else gets lines. */
export function watchMode(flags: ReadonlySet<string>, io: Io): WatchMode {
  if (flags.has('json')) return 'json';
  if (flags.has('quiet')) return 'quiet';
  const { TERM = '', CI = '' } = io.env;
  const canMove = TERM !== '' && TERM !== 'dumb' && ['', '0', 'false'].includes(CI);
  return canMove && io.terminal('err').columns !== undefined ? 'live' : 'lines';
}

/** Where the code of the live view cannot be read, plain lines do. */
export async function createWatcher(mode: WatchMode, io: Io, mask: Mask, options: LiveOptions): Promise<Report> {
  const { color, columns = Number.POSITIVE_INFINITY } = io.terminal('err');
  const shown = { err: io.err, mask, colours: createColours(color), columns };
  const live = mode === 'live' ? await import('./live/live.ts').catch(() => undefined) : undefined;
  if (live) return live.createLive({ ...shown, term: io.env['TERM'] }, options);
  const watcher = watchers[mode](shown);
  if (options.askPermission) sayNoOneIsAsked(watcher);
  return { ask: () => Promise.resolve('no-one'), settled() {}, close() {}, ...watcher };
}

const watchers: Readonly<Record<WatchMode, (shown: Shown) => Watcher & { close?(): void }>> = {
  live: createLinesWatcher,
  lines: createLinesWatcher,
  json: createJsonWatcher,
  quiet: createQuietWatcher,
};
