import type { Io } from '../../io.ts';
import type { Colours } from '../../print/paint.ts';
import { summaryLines } from '../../print/summary.ts';
import type { Told } from '../../print/told.ts';
import { type Mask, remarkWords } from '../remark-words.ts';
import { type AnswerApproval, type SessionWatcher, sayNobodyAsks } from '../session-watcher.ts';
import { createTelling } from '../telling.ts';
import { flashMs, frameLines, isTurning, spinMs } from './frame.ts';
import { guardTerminal } from './guard.ts';
import { readKeys } from './keys.ts';
import { lastingLines } from './lasting.ts';
import { createPace } from './pace.ts';
import { createQuestions } from './questions.ts';
import { createScreen, type ScreenSize, showAgain } from './screen.ts';
import { symbolsFor } from './symbols.ts';
import { createTerminalWriter } from './terminal-writer.ts';
import { createView, followView } from './view.ts';

export interface LiveOptions {
  io: Io;
  mask: Mask;
  colours: Colours;
  stages: readonly string[] | undefined;
  answer: AnswerApproval | undefined;
  askPermission: boolean;
}

/** A person's view of a session: what is finished scrolls away, what is going on stands below it. */
export function createLive({ io, mask, colours, stages, answer, askPermission }: LiveOptions): SessionWatcher {
  const symbols = symbolsFor(io.env['TERM']);
  const sinceMs = Date.now();
  const telling = createTelling();
  const view = createView(telling.progress, stages);
  const terminal = createTerminalWriter();
  const screen = createScreen(terminal.write, terminalSize);
  let lasting: string[] = [];
  let state: 'live' | 'stopped' | 'closed' = 'live';
  let isOver = false;

  const pace = createPace(() => draw());
  const keep = (lines: readonly string[]): void => {
    lasting = [...lasting, ...lines].slice(-maxLasting);
    pace.change();
  };
  const tell = (told: Told): void =>
    keep(
      lastingLines(told, { place: told.place ?? telling.place(), columns: terminalSize().columns, colours, symbols }),
    );
  const wantsKeys = answer !== undefined || askPermission;
  const keys = wantsKeys ? readKeys(key => questions.press(key, Date.now())) : undefined;
  const questions = createQuestions({ answer, hasKeys: keys !== undefined, tell, changed: pace.change });

  const draw = (): void => {
    if (state === 'stopped') return;
    if (!terminal.isIdle()) {
      pace.next(stuckMs);
      return;
    }
    const nowMs = Date.now();
    const size = terminalSize();
    const asked = questions.lines(size.columns, nowMs);
    const area =
      isOver || telling.progress.startMs === undefined
        ? []
        : frameLines(view, { ...size, nowMs, sinceMs, colours, symbols, questions: asked });
    screen.draw(lasting, area);
    lasting = [];
    if (area.length > 0) pace.next(isTurning(view, nowMs) ? spinMs : view.hooks.length > 0 ? flashMs : 1000);
  };
  const resize = (): void => {
    screen.resized();
    pace.change();
  };
  const restore = (): void => {
    keys?.release();
    if (terminal.isIdle()) terminal.write(showAgain);
  };
  const lift = guardTerminal({
    restore,
    suspend() {
      if (terminal.isIdle()) screen.leave(lasting);
      [lasting, state] = [[], 'stopped'];
      keys?.release();
    },
    goOn() {
      if (state === 'closed') return;
      state = 'live';
      keys?.again();
      draw();
    },
  });
  process.stderr.on('resize', resize);
  pace.change();

  const watcher: SessionWatcher = {
    notice(notice) {
      if (state === 'closed') return;
      const told = telling.tell(notice);
      followView(view, notice, Date.now());
      questions.follow(notice);
      if (!questions.isOurs(notice)) for (const one of told) if (one.lasting) tell(one);
      if (notice.type === 'session.summary') {
        isOver = true;
        keep(['', ...summaryLines(notice, { session: notice.session, colours, columns: terminalSize().columns - 1 })]);
        draw();
      }
      pace.change();
    },
    remark: remark => {
      const lines = remarkWords(remark, { mask, colours }).split('\n');
      if (state === 'closed') io.err(`${lines.join('\n')}\n`);
      else keep(lines);
    },
    ask: (question, { signal } = {}) => questions.ask(mask(question), signal),
    settled: approval => questions.settled(approval),
    close() {
      if (state === 'closed') return;
      state = 'closed';
      questions.close();
      pace.stop();
      process.stderr.off('resize', resize);
      screen.leave(lasting);
      lift();
      keys?.release();
      terminal.close();
    },
  };
  if (askPermission && !keys) sayNobodyAsks(watcher);
  return watcher;
}

/** A terminal that does not know its size is a usual one. */
const terminalSize = (): ScreenSize => ({
  columns: Math.max(minColumns, process.stderr.columns || 80),
  rows: Math.max(2, process.stderr.rows || 24),
});

const minColumns = 20;
const stuckMs = 200;
/** What a terminal that is stuck shows of the time meanwhile. */
const maxLasting = 2000;
