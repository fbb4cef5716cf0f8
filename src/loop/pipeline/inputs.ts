import { childOf, itemsOf, type Located } from '../../config/located.ts';
import { didYouMean } from '../../config/nearest.ts';
import type { Report } from '../../config/report.ts';
import type { StagePlan } from '../../model/pipeline.ts';
import type { StageSettings } from './file.ts';

type Inputs = StagePlan['inputs'];

/** Which earlier stages a stage reads from. Undefined where one is named that has not run by then, which is reported. */
export function inputsOf(
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
