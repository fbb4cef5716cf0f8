import type { DialectWire } from '../../model/index.ts';

/** agent-pipelines' six hook points. */
export const events = {
  on_session_start: ['session.starting'],
  on_iteration_start: ['iteration.starting'],
  on_iteration_complete: ['iteration.completed'],
  on_stage_complete: ['stage.completed'],
  on_session_complete: ['session.completed'],
  on_error: ['iteration.failed'],
} as const satisfies DialectWire['events'];
