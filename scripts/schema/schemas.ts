import { toJsonSchema } from '../../src/config/schema.ts';
import type { Shape } from '../../src/config/shape.ts';
import { fileShape as claude } from '../../src/dialects/claude/config.ts';
import { fileShape as iteratr } from '../../src/dialects/iteratr/config.ts';
import { fileShape as native } from '../../src/dialects/native/config.ts';
import { fileShape as nyzhi } from '../../src/dialects/nyzhi/config.ts';
import { pipelineFileShape, fileShape as pipelinesHooks } from '../../src/dialects/pipelines/config.ts';
import { fileShape as sauna } from '../../src/dialects/sauna/config.ts';
import { payloadSchema } from './payload.ts';
import { resultSchema } from './result.ts';
import { shared } from './share.ts';
import { testFileSchema } from './test-file.ts';

export type Json = Record<string, unknown>;

const shapes: Readonly<Record<string, { title: string; shape: Shape; yaml?: true }>> = {
  native: { title: 'hookloop.yaml', shape: native, yaml: true },
  sauna: { title: '.sauna/hooks.json', shape: sauna },
  iteratr: { title: '.iteratr.hooks.yml', shape: iteratr, yaml: true },
  nyzhi: { title: 'config.toml of nyzhi', shape: nyzhi },
  claude: { title: 'Claude-style hooks', shape: claude },
  'pipelines-hooks': { title: 'hooks.yaml of agent-pipelines', shape: pipelinesHooks, yaml: true },
  pipeline: { title: 'pipeline.yaml, loop.yaml and stage.yaml', shape: pipelineFileShape, yaml: true },
};

/** Every schema by its file name. */
export const schemas: Readonly<Record<string, Json>> = Object.fromEntries([
  ...Object.entries(shapes).map(([name, { title, shape, yaml }]) => {
    return entryOf(name, { title, description: shape.doc, ...toJsonSchema(shape, { yaml: yaml ?? false }) });
  }),
  entryOf('payload', payloadSchema()),
  entryOf('result', resultSchema),
  entryOf('test', testFileSchema()),
]);

/** A reference, or a list of values, is one line. */
export const asFile = (schema: Json): string =>
  `${JSON.stringify(schema, null, 2).replaceAll(/(\{\s+"\$ref": "[^"]+"\s+\}|\[[^[\]{}]+\])/g, part => part.replaceAll(/\s*\n\s*/g, ' '))}\n`;

function entryOf(name: string, schema: Json): [file: string, schema: Json] {
  const head = { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: `urn:hookloop:schema:${name}` };
  return [`${name}.schema.json`, { ...head, ...shared(schema) }];
}
