import { record } from '../../config/shape.ts';
import type { DialectConfig } from '../../model/index.ts';
import { readHooksFile } from '../shared/hooks-file.ts';
import { grammar, hooksShape } from './grammar.ts';

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
