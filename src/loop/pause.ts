import { inRun } from '../model/step-key.ts';
import type { Attendance } from './attendance.ts';
import type { Loop } from './loop.ts';
import { createToldCalls } from './told-calls.ts';
import type { Transcript } from './transcript.ts';

/** What the agent does between two turns, while gates run or hooks wait: it is no turn, and gates hold all the same. */
export function createPause(loop: Loop, number: number, transcript: Transcript): Attendance {
  const { here, run, settings } = loop;
  return {
    // Where the session is just then.
    get scene() {
      return here.scene;
    },
    // Numbered in this run: what a crash cut off here is not told again.
    key: inRun(run.number, `p${number}`),
    count: 0,
    progressed: false,
    turnEnd: new AbortController(),
    transcript,
    calls: createToldCalls(settings.root),
    isPause: true,
    get ending() {
      return here.ending;
    },
    set ending(end) {
      here.ending = end;
    },
  };
}
