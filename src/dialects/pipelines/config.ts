import { either, list, record } from '../../config/shape.ts';
import type { DialectConfig } from '../../model/index.ts';
import { actionShapes } from '../shared/action-shapes.ts';
import { type Grammar, readHooksFile, variableTypes } from '../shared/hooks-file.ts';
import { events, pipelineVariables } from './wire.ts';

const shapes = actionShapes({});

export const grammar: Grammar = {
  dialect: 'pipelines',
  events,
  via: 'bash',
  shapes,
  variables: variableTypes(pipelineVariables),
};

const actions = list(either(Object.values(shapes)), 'Actions in the order they run');

/** The `hooks:` block, for JSON Schemas. */
export const hooksShape = record(Object.fromEntries(Object.keys(events).map(point => [point, actions])), {
  doc: 'Hook points and their actions',
  closed: true,
});

/** The whole global file, for its JSON Schema. */
export const fileShape = record({ hooks: hooksShape }, { doc: 'Global hooks of agent-pipelines', vital: 'hooks' });

export const config: DialectConfig = {
  name: 'pipelines',
  badFile: 'refuse',
  locations: [{ scope: 'user', base: 'config', path: 'agent-pipelines/hooks.yaml', holds: 'file' }],
  normalise(found) {
    const files = found.filter(file => file.kind === 'text').map(file => readHooksFile(file, fileShape, grammar));
    return { hooks: files.flatMap(file => file.hooks), problems: files.flatMap(file => file.report.problems) };
  },
};
