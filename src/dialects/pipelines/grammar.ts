import { either, list, record } from '../../config/shape.ts';
import { actionShapes } from '../shared/action-shapes.ts';
import type { Grammar } from '../shared/hooks-block.ts';
import { pipelineVariableTypes } from '../shared/pipeline-variable-types.ts';
import { events } from './events.ts';

const shapes = actionShapes({});

export const grammar: Grammar = {
  dialect: 'pipelines',
  events,
  via: 'bash',
  shapes,
  variables: pipelineVariableTypes,
};

const actions = list(either(Object.values(shapes)), 'Actions in the order they run');

/** The `hooks:` block, for JSON Schemas. */
export const hooksShape = record(Object.fromEntries(Object.keys(events).map(point => [point, actions])), {
  doc: 'Hook points and their actions',
  closed: true,
});
