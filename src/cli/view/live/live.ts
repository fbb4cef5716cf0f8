import type { Report } from '../../../app/session-ports.ts';
import type { StopAfter } from '../../../model/control.ts';
import { summaryLines } from '../../print/summary.ts';
import { indentedLine } from '../../print/text.ts';
import type { Told } from '../../print/told.ts';
import { type AnswerApproval, remarkWords, type Shown, sayNoOneIsAsked } from '../plain-watchers.ts';
import { createTelling } from '../telling.ts';
import { lastingLines, symbolsFor } from './line.ts';
import { flashMs, frameLines, isTurning, spinMs } from './live-area.ts';
import { createView, followOutput, followView } from './live-state.ts';
import { createScreen, type ScreenSize } from './screen.ts';
import { createQuestions } from './shown-questions.ts';
import { readKeys, restoreAtEnd } from './terminal.ts';

export interface LiveOptions {
  /** The pipeline's stages in their order, for `stage 2 of 3`. */
  stages: readonly string[];
  /** What the keys that answer an approval do. */
  answer: AnswerApproval;
  /** What the keys that stop the session do. */
  stop(after: StopAfter): void;
  /** Whether `ask` will be used. */
  askPermission: boolean;
}

/**
 * A person's view of a session: what is finished scrolls away, what is going on stands below it. `term`: the terminal's
 * name, as TERM has it.
 */
export function createLive(
  { err, mask, colours, term }: Shown & { term: string | undefined },
  { stages, answer, stop, askPermission }: LiveOptions,
): Report {
  const symbols = symbolsFor(term);
  const sinceMs = Date.now();
  const telling = createTelling({ toolsTold: 'ended', messageLines: 40, lineOf: indentedLine });
  const hasStages = stages.length > 1;
  const view = createView(telling.progress, stages);
  const screen = createScreen(terminalSize);
  let lasting: string[] = [];
  let state: 'live' | 'stopped' | 'closed' = 'live';
  let isOver = false;

  const pace = createPace(() => draw());
  const keep = (lines: readonly string[]): void => {
    lasting = [...lasting, ...lines].slice(-maxLasting);
    pace.change();
  };
  let isSpeaking = false;
  /** Where all is in one stage, its name says nothing, except where something of another iteration ends or this one does. */
  const tell = (told: Told, isOfIteration = false): void => {
    const here = telling.position();
    const { position = here, continues = false } = told;
    const shown = hasStages || isOfIteration || position !== here ? position : '';
    const { columns } = terminalSize();
    keep(lastingLines({ ...told, position: shown, continues: continues && isSpeaking }, { columns, colours, symbols }));
    isSpeaking = told.mark === 'said';
  };
  const press = (typed: string): void => {
    if (questions.press(typed, Date.now())) return;
    const open = opens[typed];
    const after = stops[typed];
    if (open) view.open = view.open === open ? undefined : open;
    if (after) {
      view.stopping = view.stopping === 'now' ? 'now' : after;
      stop(after);
    }
    pace.change();
  };
  const keys = readKeys(press);
  const questions = createQuestions({ answer, hasKeys: keys !== undefined, tell, changed: pace.change });

  const draw = (): void => {
    if (state === 'stopped') return;
    if (!screen.isIdle()) {
      pace.next(stuckMs);
      return;
    }
    const nowMs = Date.now();
    const size = terminalSize();
    const asked = questions.lines(size.columns, nowMs);
    const area =
      isOver || telling.progress.startMs === undefined
        ? []
        : frameLines(view, {
            ...size,
            nowMs,
            sinceMs,
            colours,
            symbols,
            questions: asked,
            hasKeys: keys !== undefined,
          });
    screen.draw(lasting, area);
    lasting = [];
    if (area.length > 0) pace.next(isTurning(view, nowMs) ? spinMs : view.hooks.length > 0 ? flashMs : 1000);
  };
  const resize = (): void => {
    screen.resized();
    pace.change();
  };
  const stopRestoring = restoreAtEnd({
    restore() {
      keys?.release();
      screen.restore();
    },
    suspend() {
      if (screen.isIdle()) screen.leave(lasting);
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

  const watcher: Report = {
    notice(notice) {
      if (state === 'closed') return;
      const told = telling.tell(notice);
      followView(view, notice, Date.now());
      questions.follow(notice);
      const isShown = !questions.isOurs(notice) && (hasStages || !notice.type.startsWith('stage.'));
      if (isShown) for (const one of told) if (one.lasting) tell(one, notice.type.startsWith('iteration.'));
      if (notice.type === 'session.summary') {
        isOver = true;
        keep(['', ...summaryLines(notice, { colours, columns: terminalSize().columns - 1 })]);
        draw();
      }
      pace.change();
    },
    output(output) {
      followOutput(view, output);
      pace.change();
    },
    remark: remark => {
      const lines = remarkWords(remark, { mask, colours }).split('\n');
      if (state === 'closed') err(`${lines.join('\n')}\n`);
      else keep(lines);
      isSpeaking = false;
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
      stopRestoring();
      keys?.release();
      screen.close();
    },
  };
  if (askPermission && !keys) sayNoOneIsAsked(watcher);
  return watcher;
}

const opens: Readonly<Record<string, 'help' | 'output'>> = { '?': 'help', o: 'output' };
const stops: Readonly<Record<string, StopAfter>> = { s: 'now', p: 'turn' };

/** A terminal that does not know its size is a usual one. */
const terminalSize = (): ScreenSize => ({
  columns: Math.max(minColumns, process.stderr.columns || 80),
  rows: Math.max(2, process.stderr.rows || 24),
});

const minColumns = 20;
const stuckMs = 200;
/** What a terminal that is stuck shows of the time meanwhile. */
const maxLasting = 2000;

/** Draws at most eight times a second. */
function createPace(draw: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let dueMs = Number.POSITIVE_INFINITY;
  let drawnMs = 0;
  const schedule = (atMs: number): void => {
    if (atMs >= dueMs) return;
    clearTimeout(timer);
    dueMs = atMs;
    timer = setTimeout(run, Math.max(0, atMs - Date.now())).unref();
  };
  const run = (): void => {
    dueMs = Number.POSITIVE_INFINITY;
    drawnMs = Date.now();
    draw();
  };
  return {
    /** Something has changed: draw soon. */
    change: (): void => schedule(Math.max(Date.now(), drawnMs + minGapMs)),
    /** Draw again after that time even if nothing happens. */
    next: (afterMs: number): void => schedule(Date.now() + afterMs),
    stop(): void {
      clearTimeout(timer);
      dueMs = Number.NEGATIVE_INFINITY;
    },
  };
}

const minGapMs = 120;
