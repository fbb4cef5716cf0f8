import { childOf, entryOf, itemsOf, type Located } from '../../config/located.ts';
import { shownPath } from '../../hooks/discovery/find.ts';
import type { Look } from '../../hooks/discovery/look.ts';
import type { Places } from '../../model/index.ts';
import type { StagePlan } from '../../model/pipeline.ts';
import type { Reader, ReadFile, StageSettings } from './file.ts';
import { findPipeline } from './find.ts';
import { inputsOf } from './inputs.ts';
import { isName, nameOfFile, nameRule } from './names.ts';
import { buildStage } from './stage.ts';

interface Entry {
  id: string;
  settings: StageSettings;
  node: Located;
}

/** The stages of a pipeline file in order. Undefined where one of them cannot run, which is reported at its place. */
export function stagesOf(file: ReadFile, reader: Reader, places: Places, look: Look): readonly StagePlan[] | undefined {
  warnOfNoEffect(file);
  const entries = entriesOf(file);
  const all = entries.map(({ id }) => id);
  const areNamed = entries.map((entry, index) => isWellNamed(entry, all.slice(0, index), file)).every(Boolean);
  const stages = entries.map(({ id, settings, node }, index): StagePlan | undefined => {
    const inputs = inputsOf(settings, node, file.report, { earlier: all.slice(0, index), all });
    const loop = loopOf(settings, node, file, reader, places, look);
    if (loop === undefined || inputs === undefined) return undefined;
    const entry = { settings, node, report: file.report, folder: file.folder, hooks: file.ofStages.get(node) ?? [] };
    return buildStage({ id, index, entry, ...(loop !== 'inline' && { loop }), inputs, pipeline: file.settings }, look);
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
  places: Places,
  look: Look,
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
