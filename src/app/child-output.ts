import { wholeLength } from '../model/cut-text.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import { readRegularFile } from '../platform/files.ts';
import { stageOutputs } from '../session/inputs.ts';
import type { SessionFiles } from '../session/paths.ts';

export type ChildOutput = { kind: 'output'; text: string } | { kind: 'bad'; reason: string };

/** More than this is a file to be read, not a value to be handed on. */
const maxBytes = 1024 * 1024;
/** A last output may be longer and is cut then; at some size it is no text any more. */
const maxReadBytes = 64 * 1024 * 1024;

/** What a child has to say: its output.json, else the output of its last iteration. */
export function readChildOutput(paths: SessionFiles, plan: PipelinePlan): ChildOutput {
  const written = readRegularFile(paths.output, maxBytes);
  if (written.kind === 'bytes') return { kind: 'output', text: written.bytes.toString().trimEnd() };
  if (written.kind === 'unreadable') return { kind: 'bad', reason: `output.json ${written.reason}` };
  const last = plan.stages
    .toReversed()
    .flatMap(stage => stageOutputs(paths, stage).slice(-1))
    .at(0);
  if (last === undefined) return { kind: 'output', text: '' };
  const found = readRegularFile(last, maxReadBytes);
  if (found.kind !== 'bytes') return { kind: 'output', text: '' };
  const { bytes } = found;
  return { kind: 'output', text: bytes.toString('utf8', 0, wholeLength(bytes, maxBytes)).trimEnd() };
}
