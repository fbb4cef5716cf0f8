import { intVariables, type VariableTypes } from '../../config/conditions/variables.ts';
import type { Carried } from '../../model/index.ts';
import { nativeVariables, pipelineVariables } from './pipeline-variables.ts';

const nothing: Carried = { lastHookStatus: '', hookResponse: '', spawnOutput: '' };
const typesOf = (variables: Record<string, string>): VariableTypes =>
  Object.fromEntries(Object.keys(variables).map(name => [name, intVariables.has(name) ? 'int' : 'string']));

/** Names and types for conditions. CALLBACK_URL is there only behind a question. */
export const pipelineVariableTypes: VariableTypes = {
  ...typesOf(pipelineVariables({ name: 'session.starting' }, nothing)),
  CALLBACK_URL: 'string',
};
export const nativeVariableTypes: VariableTypes = {
  ...pipelineVariableTypes,
  ...typesOf(nativeVariables({ name: 'session.starting' }, nothing)),
};
