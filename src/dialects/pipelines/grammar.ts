import { either, list, record } from '../../config/shape.ts';
import { commonShapes } from '../shared/action-shapes.ts';
import type { Grammar } from '../shared/hooks-block.ts';
import { pipelineVariableTypes } from '../shared/pipeline-variable-types.ts';
import { events } from './events.ts';

export const grammar: Grammar = {
  dialect: 'pipelines',
  events,
  via: 'bash',
  shapes: commonShapes,
  variables: pipelineVariableTypes,
};

const actions = list(either(Object.values(commonShapes)), 'Actions in the order they run');

/** The `hooks:` block, for JSON Schemas. */
export const hooksShape = record(Object.fromEntries(Object.keys(events).map(point => [point, actions])), {
  doc: 'Hook points and their actions',
});
