import type { Io } from '../io.ts';

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
