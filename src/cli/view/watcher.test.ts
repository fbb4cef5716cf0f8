import { expect, test } from 'vitest';
import type { Io } from '../io.ts';
import { watchMode } from './watcher.ts';

const io = (env: Record<string, string>, isTerminal: boolean, color = isTerminal): Io => ({
  cwd: '/',
  env,
  out() {},
  err() {},
  input: () => undefined,
  terminal: () => ({ color, columns: isTerminal ? 80 : undefined }),
});
const terminal = { TERM: 'xterm-256color' };

test.each([
  ['a terminal', io(terminal, true), [], 'live'],
  ['a terminal without colours', io(terminal, true, false), [], 'live'],
  ['a pipe', io(terminal, false), [], 'lines'],
  ['a terminal that cannot move its cursor', io({ TERM: 'dumb' }, true), [], 'lines'],
  ['a terminal without a name', io({}, true), [], 'lines'],
  ['a terminal of a build', io({ ...terminal, CI: 'true' }, true), [], 'lines'],
  ['a terminal where CI is false', io({ ...terminal, CI: 'false' }, true), [], 'live'],
  ['--quiet', io(terminal, true), ['quiet'], 'quiet'],
  ['--json', io(terminal, true), ['json', 'quiet'], 'json'],
] as const)('%s', (_, shown, flags, mode) => expect(watchMode(new Set(flags), shown)).toBe(mode));
