import type { Report } from '../../app/session-ports.ts';
import type { Mask } from '../../model/mask.ts';
import type { Watcher } from '../../model/notice.ts';
import type { Io } from '../io.ts';
import { createColours } from '../print/paint.ts';
import {
  type AnswerApproval,
  createJsonWatcher,
  createLinesWatcher,
  createQuietWatcher,
  type Shown,
  sayNoOneIsAsked,
} from './plain-watchers.ts';

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

/** Where the code of the live view cannot be read, plain lines do. */
export async function createWatcher(options: WatchOptions): Promise<Report> {
  const { io, mode, mask, stages, answer, askPermission } = options;
  const { color, columns } = io.terminal('err');
  const shown = { err: io.err, mask, colours: createColours(color), columns };
  const live = mode === 'live' ? await import('./live/live.ts').catch(() => undefined) : undefined;
  if (live) return live.createLive({ ...shown, term: io.env['TERM'], stages, answer, askPermission });
  const watcher = watchers[mode](shown);
  if (askPermission) sayNoOneIsAsked(watcher);
  return { ...watcher, ask: () => Promise.resolve('no-one'), settled() {}, close: () => watcher.close?.() };
}

const watchers: Readonly<Record<WatchMode, (shown: Shown) => Watcher & { close?(): void }>> = {
  live: createLinesWatcher,
  lines: createLinesWatcher,
  json: createJsonWatcher,
  quiet: createQuietWatcher,
};
