import { childOf, entryOf, itemsOf, type Located } from '../../config/located.ts';
import type { Report } from '../../config/report.ts';
import { shownPath } from '../../hooks/discovery/find-files.ts';
import { createLook, type Look } from '../../hooks/discovery/look.ts';
import { namedAgents } from '../../model/agent.ts';
import type { Places, Problem } from '../../model/index.ts';
import { didYouMean } from '../../model/nearest.ts';
import type { PipelinePlan, StagePlan } from '../../model/pipeline.ts';
import { findPipeline, isName, nameOfFile, nameRule } from './find-pipeline.ts';
import type { AgentFlaw } from './pipeline-reader.ts';
import { createReader, type Reader, type ReadFile, type StageSettings } from './pipeline-reader.ts';
import { buildStage } from './stage-plan.ts';

interface ResolveOptions {
  places: Places;
  /** The file that names the pipeline; absent: the name was given on the command line. */
  from?: string;
  look?: Look;
  /** Tells of agents and judges that no one knows; absent: they are not looked at. */
  agentFlaw?: AgentFlaw | undefined;
}

export type ResolvedPipeline =
  /** Problems that are left do not stop it: warnings, and hooks that cannot refuse anything. */
  | { kind: 'plan'; plan: PipelinePlan; problems: readonly Problem[]; paths: readonly string[] }
  | { kind: 'not-found'; name: string; tried: readonly string[]; hint?: string }
  /** `paths`: of every file that it consists of. */
  | { kind: 'bad'; problems: readonly Problem[]; paths: readonly string[] };

/** Finds a pipeline, loop or stage by path or name and reads everything it consists of. */
export function resolvePipeline(name: string, options: ResolveOptions): ResolvedPipeline {
  const { places, from, look = createLook(), agentFlaw } = options;
  const found = findPipeline({ name, ...(from !== undefined && { from }) }, places, look);
  if (found.kind === 'not-found') return { ...found, name };
  const reader = createReader(places, look, agentFlaw);
  const plan = planOf(reader.use(found.path), reader);
  const read = { problems: reader.problems(), paths: reader.used() };
  return plan === undefined || read.problems.some(({ refuses }) => refuses)
    ? { kind: 'bad', ...read }
    : { kind: 'plan', plan, ...read };
}

function planOf(file: ReadFile | undefined, reader: Reader): PipelinePlan | undefined {
  if (!file) return undefined;
  const { name, settings } = file;
  if (!file.isPipeline) {
    const stage = buildStage({ id: name, index: 0, loop: file, inputs: [], pipeline: {} }, reader.look);
    return stage && { name, file: file.file, stages: [stage], hooks: [], disableGlobalHooks: false, passEnv: [] };
  }
  const stages = stagesOf(file, reader);
  return (
    stages && {
      name,
      file: file.file,
      stages,
      hooks: file.hooks,
      disableGlobalHooks: settings.disable_global_hooks ?? false,
      ...namedAgents(settings.agent),
      passEnv: settings.pass_env ?? [],
    }
  );
}

interface Entry {
  id: string;
  settings: StageSettings;
  node: Located;
}

/** The stages of a pipeline file in order. Undefined where one of them cannot run, which is reported at its place. */
function stagesOf(file: ReadFile, reader: Reader): readonly StagePlan[] | undefined {
  warnOfNoEffect(file);
  const entries = entriesOf(file);
  const all = entries.map(({ id }) => id);
  const areNamed = entries.map((entry, index) => isWellNamed(entry, all.slice(0, index), file)).every(Boolean);
  const stages = entries.map(({ id, settings, node }, index): StagePlan | undefined => {
    const inputs = inputsOf(settings, node, file.report, { earlier: all.slice(0, index), all });
    const loop = loopOf(settings, node, file, reader);
    if (loop === undefined || inputs === undefined) return undefined;
    const entry = { settings, node, report: file.report, folder: file.folder, hooks: file.ofStages.get(node) ?? [] };
    const parts = { id, index, entry, ...(loop !== 'inline' && { loop }), inputs, pipeline: file.settings };
    return buildStage(parts, reader.look);
  });
  return areNamed && entries.length > 0 && stages.every(stage => stage !== undefined) ? stages : undefined;
}

function entriesOf({ settings, node, report }: ReadFile): Entry[] {
  const entries = (['stages', 'nodes'] as const).flatMap(key => {
    const nodes = itemsOf(childOf(node, key));
    return (settings[key] ?? []).map((entry, index) => ({ settings: entry, node: nodes[index]! }));
  });
  const [stages, nodes] = [entryOf(node, 'stages'), entryOf(node, 'nodes')];
  if (entries.length === 0) report.error((stages ?? nodes)!.keySpan, 'a pipeline without stages', 'write at least one');
  else if (stages && nodes) report.warning(nodes.keySpan, 'nodes: run after stages:', 'write all of them in one list');
  return entries.map(entry => ({ ...entry, id: idOf(entry.settings) }));
}

const idOf = ({ id, name, loop, stage }: StageSettings): string => id ?? name ?? nameOfFile(loop ?? stage ?? 'stage');

function isWellNamed({ id, node }: Entry, earlier: readonly string[], { report }: ReadFile): boolean {
  const place = childOf(node, 'id') ?? childOf(node, 'name') ?? node;
  if (!isName(id)) report.error(place.span, `"${id}" is not a name`, nameRule);
  else if (earlier.includes(id)) report.error(place.span, `two stages are called "${id}"`, 'give each its own name:');
  else return true;
  return false;
}

function loopOf(
  { loop, stage, prompt }: StageSettings,
  node: Located,
  file: ReadFile,
  reader: Reader,
): ReadFile | 'inline' | undefined {
  const name = loop ?? stage;
  if (name === undefined) {
    if (prompt !== undefined) return 'inline';
    file.report.error(node.span, 'a stage without work', 'write loop:, stage: or prompt:');
    return undefined;
  }
  if (loop !== undefined && stage !== undefined) {
    file.report.error(childOf(node, 'stage')!.span, 'a stage runs one loop', 'write loop: or stage:, not both');
    return undefined;
  }
  const span = childOf(node, loop === undefined ? 'stage' : 'loop')!.span;
  const { places, look } = reader;
  const accept = (path: string): boolean => !reader.isPipeline(path);
  const found = findPipeline({ name, from: file.path, accept }, places, look);
  if (found.kind === 'found') return reader.use(found.path);
  if (found.kind === 'not-found')
    file.report.error(
      span,
      `no loop or stage "${name}"`,
      [found.hint, `looked at ${found.tried.join(', ')}`].filter(Boolean).join(' '),
    );
  else if (found.path === file.path)
    file.report.error(span, `"${name}" is this pipeline itself`, 'a stage runs a loop; give the loop another name');
  else
    file.report.error(
      span,
      `"${name}" is a pipeline (${shownPath(found.path, places)})`,
      'a stage runs a loop; a pipeline is started by run, or by a spawn hook',
    );
  return undefined;
}

const ofOneStage = ['prompt', 'termination', 'delay', 'role', 'perspectives', 'context'] as const;

function warnOfNoEffect({ node, report }: ReadFile): void {
  for (const key of ofOneStage) {
    const written = entryOf(node, key);
    if (written) report.warning(written.keySpan, `"${key}" has no effect beside stages`, 'write it in a stage');
  }
}

type Inputs = StagePlan['inputs'];

/** Which earlier stages a stage reads from. Undefined where one is named that has not run by then, which is reported. */
function inputsOf(
  settings: StageSettings,
  node: Located,
  report: Report,
  ids: { earlier: readonly string[]; all: readonly string[] },
): Inputs | undefined {
  const written = childOf(node, 'inputs');
  const given = settings.inputs;
  const source = given === undefined || Array.isArray(given) ? written : childOf(written, 'from');
  const select =
    given === undefined || Array.isArray(given) ? 'latest' : ((given.select ?? 'latest') as Inputs[number]['select']);
  const names = source?.kind === 'list' ? itemsOf(source) : source ? [source] : [];
  const inputs = names.map(name => {
    const from = name.kind === 'scalar' ? String(name.value) : '';
    if (ids.earlier.includes(from)) return { from, select };
    const message = ids.all.includes(from)
      ? `stage "${from}" has not run by then`
      : `no stage "${from}" in this pipeline`;
    report.error(name.span, message, hintFor(from, ids.earlier));
    return undefined;
  });
  return inputs.every(input => input !== undefined) ? inputs : undefined;
}

const hintFor = (from: string, earlier: readonly string[]): string =>
  didYouMean(from, earlier) ??
  (earlier.length === 0 ? 'the first stage has none before it' : `stages before it: ${earlier.join(', ')}`);
