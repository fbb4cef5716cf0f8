import type { DialectWire } from '../../model/index.ts';
import { hookVariables } from '../shared/outcome.ts';
import { pipelineVariables } from '../shared/pipeline-variables.ts';
import { interpretAction } from '../shared/pipeline-wire.ts';
import { events } from './events.ts';

export const wire: DialectWire = {
  name: 'pipelines',
  events,
  order: 'in-order',
  chain: 'actions',
  present: (event, _hook, { carried }) => ({ env: { ...hookVariables(event), ...pipelineVariables(event, carried) } }),
  interpret: interpretAction,
};
