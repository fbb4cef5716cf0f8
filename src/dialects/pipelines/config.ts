import { childOf, itemsOf, type Located, type LocatedEntry } from '../../config/located.ts';
import {
  count,
  duration,
  either,
  filled,
  flag,
  json,
  list,
  map,
  oneOf,
  record,
  text,
  type ValueOf,
  variant,
} from '../../config/shape.ts';
import { parseYaml } from '../../config/yaml.ts';
import type { DialectConfig, Normalised } from '../../model/index.ts';
import { nearest } from '../../model/nearest.ts';
import { actionShapes, agentsShape } from '../shared/action-shapes.ts';
import {
  disablesOf,
  type Grammar,
  type HooksFile,
  hooksShapeOf,
  mayRefuse,
  type Part,
  readHooksFile,
  variableTypes,
} from '../shared/hooks-file.ts';
import type { FoundText } from '../shared/text-file.ts';
import { events, pipelineVariables } from './wire.ts';

const variables = variableTypes(pipelineVariables);
const action = variant(actionShapes(variables), { noun: 'an action' });
const hooksShape = hooksShapeOf(
  () => action,
  events,
  { each: 'hook point', doc: 'Hook points and their actions' },
  {
    refuses: mayRefuse,
  },
);

export const grammar: Grammar = { dialect: 'pipelines', events, via: 'bash', hooks: hooksShape, variables };

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

const termination = record(
  {
    type: oneOf(['fixed', 'queue', 'judgment'], 'When the stage ends'),
    iterations: count('How many iterations a fixed stage has'),
    max: count('At most so many iterations (default 25)'),
    min_iterations: count('A judgment stage ends at the earliest here'),
    consensus: count('So many stops in a row end a judgment stage (default 2)'),
    judge: either([flag(), text(), record({ agent: filled() }, { open: true })], 'Who judges'),
  },
  { required: ['type'] },
);

const anyStage = {
  name: filled('Name'),
  description: text('What it is for'),
  termination,
  delay: duration('Pause between iterations (default 0)'),
  prompt: filled('A file, or the text itself'),
  agent: agentsShape('Agent that runs it; of a list the next one takes over while the first is limited'),
  role: oneOf(['planner', 'builder'], 'Gates run for builders only'),
  perspectives: list(filled(), 'One iteration looks from each'),
  context: text('Added to every prompt'),
  commands: map(filled(), 'Commands that prompts may name'),
  pass_env: list(filled(), 'Names of environment variables for a child'),
  hooks: hooksShape,
  disable_global_hooks: flag("Leave the user's global hooks out"),
};

const source = either([filled(), list(filled())]);
const stageShape = record(
  {
    id: filled('Name'),
    ...anyStage,
    loop: filled('Name or path of the loop that this stage runs'),
    stage: filled('Name or path of the stage file'),
    runs: count('How many iterations'),
    max: count('At most so many iterations'),
    inputs: either([
      list(filled()),
      record(
        { from: source, select: oneOf(['latest', 'all']), from_initial: flag() },
        { doc: 'Outputs of earlier stages' },
      ),
    ]),
  },
  { doc: 'One stage of a pipeline', vital: 'hooks' },
);

/** loop.yaml, stage.yaml and pipeline.yaml, for their JSON Schema. */
export const pipelineFileShape = record(
  {
    ...anyStage,
    version: either([count(), text()]),
    inputs: json('Inputs of the pipeline'),
    stages: list(stageShape, 'Stages in the order they run'),
    nodes: list(stageShape, 'Stages in the order they run'),
  },
  { doc: 'A pipeline, or one loop of it', vital: 'hooks' },
);

export type PipelineSettings = ValueOf<typeof pipelineFileShape>;

export interface PipelineFile {
  /** Shown to people: relative to the root for project files, else absolute. */
  file: string;
  path: string;
  text: string;
  scope: 'stage' | 'pipeline';
}

/** The file itself and each of its stages may have hooks. */
export const readPipelineHooks = (found: FoundText): HooksFile<PipelineSettings> =>
  readHooksFile(found, pipelineFileShape, grammar, partsOf);

/** Validates one loop, stage or pipeline file and gives its hooks. A file of another program has no problems. */
export function readPipelineFile(given: PipelineFile): Normalised & { looksLikeOurs: boolean } {
  const { file, path, text: content, scope } = given;
  const location = { scope, base: 'root', path: file, holds: 'file' } as const;
  const read = readPipelineHooks({ kind: 'text', location, path, file, text: content });
  const looksLikeOurs = read.root ? isOurs(read.root) : ourKeys.test(content);
  if (!looksLikeOurs) return { looksLikeOurs, hooks: [], problems: [] };
  for (const stage of stagesOf(read.root))
    if (stage.kind === 'map' && !['loop', 'stage', 'prompt'].some(key => childOf(stage, key)))
      read.report.refusing(false).error(stage.span, 'a stage without work', 'write loop:, stage: or prompt:');
  const hooks = [...read.hooks, ...[...read.ofParts.values()].flat()];
  return { looksLikeOurs, hooks, ...disablesOf(read, file, scope), problems: read.report.problems };
}

/**
 * Whether nothing in a file speaks against its being ours: it is empty, or has our keys alone. Such a file has no hooks, but
 * `run` takes it for what it names.
 */
export function couldBeOurs(content: string): boolean {
  const parsed = parseYaml(content);
  if (parsed.kind !== 'parsed') return false;
  const { root } = parsed;
  if (!root) return true;
  const hasOurKeys =
    root.kind === 'map' && root.entries.every(({ key }) => Object.hasOwn(pipelineFileShape.fields, key));
  return hasOurKeys && (childOf(root, 'hooks')?.kind ?? 'map') === 'map' && stagesOf(root).every(isOurStage);
}

export const stagesOf = (root: Located | undefined): readonly Located[] => partsOf(root).map(({ node }) => node);

const partsOf = (root: Located | undefined): readonly Part[] =>
  ['stages', 'nodes'].flatMap(key =>
    itemsOf(childOf(root, key)).map((node, index) => ({ node, label: `${key}[${index}]` })),
  );

/** For a file that cannot be parsed there is only its text to go by. */
const ourKeys = /^(hooks|termination|stages|nodes)[ \t]*:/m;

function isOurs(root: Located): boolean {
  return (
    (root.kind === 'map' && root.entries.some(hasHookPoints)) ||
    childOf(root, 'termination')?.kind === 'map' ||
    stagesOf(root).some(isOurStage)
  );
}

const hasHookPoints = ({ key, value }: LocatedEntry): boolean =>
  nearest(key, ['hooks']) !== undefined &&
  value.kind === 'map' &&
  value.entries.some(point => point.key.startsWith('on_'));

/** Build servers have `stages` too: names only, or maps of jobs and steps. */
const isOurStage = (stage: Located): boolean =>
  stage.kind === 'map' && !stage.entries.some(({ key }) => key === 'jobs' || key === 'steps');
