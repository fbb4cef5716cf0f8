import { join } from 'node:path';
import { checkSessionName, stageFolderName } from './names.ts';

/** Where everything of a session stands. Pure: nothing is looked at. */
export interface SessionPaths {
  name: string;
  folder: string;
  /** The folder that the session's real path must stay directly inside of, and the trusted folder above that. */
  inside: { trusted: string; parts: readonly string[] };
  journal: string;
  state: string;
  progress: string;
  /** Follows the running iteration: CTX and STATUS. */
  current: { folder: string; context: string; status: string };
  children: string;
  hooks: string;
  /** Of a child pipeline. */
  inputs: string;
  output: string;
}

export interface IterationPaths {
  folder: string;
  stageFolder: string;
  prompt: string;
  context: string;
  status: string;
  output: string;
}

/** What is needed of a stage to find its folder. */
export interface StageRef {
  index: number;
  id: string;
}

export const sessionsFolder = (root: string): string => join(root, '.hookloop', 'sessions');

/** Contract: the name has passed `checkSessionName`; anything else throws. */
export function sessionPaths(root: string, name: string): SessionPaths {
  const checked = checkSessionName(name);
  if (checked.kind === 'bad') throw new RangeError(checked.reason);
  return pathsIn(root, ['.hookloop', 'sessions', name], name);
}

/** A child pipeline's folder: `children/{hook_point}-{iteration}`, `-2`, `-3` for further ones at that point. */
export function childPaths(parent: SessionPaths, point: string, iteration: number, nth = 1): SessionPaths {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(point)) throw new RangeError(`not a hook point: ${point}`);
  const name = `${point}-${iteration}${nth > 1 ? `-${nth}` : ''}`;
  const { trusted, parts } = parent.inside;
  return pathsIn(trusted, [...parts, 'children', name], name);
}

export const stageFolder = (paths: SessionPaths, stage: StageRef): string =>
  join(paths.folder, stageFolderName(stage.index, stage.id));

/** Iterations count from 1 and are written with at least three digits. */
export function iterationPaths(paths: SessionPaths, stage: StageRef, iteration: number): IterationPaths {
  const within = stageFolder(paths, stage);
  const folder = join(within, 'iterations', String(iteration).padStart(3, '0'));
  return {
    folder,
    stageFolder: within,
    prompt: join(folder, 'prompt.md'),
    context: join(folder, 'context.json'),
    status: join(folder, 'status.json'),
    output: join(folder, 'output.md'),
  };
}

function pathsIn(trusted: string, parts: readonly string[], name: string): SessionPaths {
  const folder = join(trusted, ...parts);
  const current = join(folder, 'current');
  return {
    name,
    folder,
    inside: { trusted, parts },
    journal: join(folder, 'journal.jsonl'),
    state: join(folder, 'state.json'),
    progress: join(folder, 'progress.md'),
    current: { folder: current, context: join(current, 'context.json'), status: join(current, 'status.json') },
    children: join(folder, 'children'),
    hooks: join(folder, 'hooks'),
    inputs: join(folder, 'inputs.json'),
    output: join(folder, 'output.json'),
  };
}
