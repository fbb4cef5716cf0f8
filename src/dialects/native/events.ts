import { type DialectWire, eventNames } from '../../model/index.ts';
import { events as pipelineEvents } from '../pipelines/events.ts';

/** Our own names, and agent-pipelines' six. */
export const events: DialectWire['events'] = {
  ...Object.fromEntries(eventNames.map(name => [name, [name]])),
  ...pipelineEvents,
};
