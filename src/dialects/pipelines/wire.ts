import type { DialectWire } from '../../model/index.ts';
import { hookVariables } from '../shared/outcome.ts';
import { interpretAction, pipelineVariables } from '../shared/pipeline-wire.ts';

/** agent-pipelines' six hook points. */
export const events = {
  on_session_start: ['session.starting'],
  on_iteration_start: ['iteration.starting'],
  on_iteration_complete: ['iteration.completed'],
  on_stage_complete: ['stage.completed'],
  on_session_complete: ['session.completed'],
  on_error: ['iteration.failed'],
} as const satisfies DialectWire['events'];

export const wire: DialectWire = {
  name: 'pipelines',
  events,
  order: 'in-order',
  chain: 'actions',
  present: (event, _hook, { carried }) => ({ env: { ...hookVariables(event), ...pipelineVariables(event, carried) } }),
  interpret: interpretAction,
};
