import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile, writeJson } from '../platform/files.ts';
import { iterationPaths, type SessionFiles, type StageRef, stageFolder } from './paths.ts';

/** Paths of a stage's outputs in the order of its iterations. Reads the folder each time: only where a hook wants to know. */
export function stageOutputs(paths: SessionFiles, stage: StageRef): string[] {
  return iterationsOf(paths, stage)
    .map(iteration => iterationPaths(paths, stage, iteration).output)
    .filter(path => existsSync(path));
}

function iterationsOf(paths: SessionFiles, stage: StageRef): number[] {
  try {
    const names = readdirSync(join(stageFolder(paths, stage), 'iterations'));
    return names
      .filter(name => /^\d{3,}$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export type Inputs = { kind: 'inputs'; values: Readonly<Record<string, unknown>> } | { kind: 'bad'; reason: string };

const maxInputsBytes = 16 * 1024 * 1024;

export const writeInputs = (paths: SessionFiles, values: Readonly<Record<string, unknown>>): void =>
  writeJson(paths.inputs, values, { sync: 'bytes' });

/** inputs.json of a child, or the file of `--input`. None means no inputs. */
export function readInputs(path: string): Inputs {
  const found = readRegularFile(path, maxInputsBytes);
  if (found.kind === 'absent') return { kind: 'inputs', values: {} };
  if (found.kind === 'unreadable') return { kind: 'bad', reason: `${path} ${found.reason}` };
  try {
    const values: unknown = JSON.parse(found.bytes.toString().replace(/^\uFEFF/, ''));
    if (typeof values === 'object' && values !== null && !Array.isArray(values))
      return { kind: 'inputs', values: values as Record<string, unknown> };
    return { kind: 'bad', reason: `${path} is not a JSON object` };
  } catch (error) {
    return { kind: 'bad', reason: `${path} is not valid JSON: ${(error as Error).message}` };
  }
}
