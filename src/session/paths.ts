import { join } from 'node:path';

/** Where everything of a session stands. Pure: nothing is looked at. */
export interface SessionFiles {
  name: string;
  folder: string;
  /** The folder that the session's real path must stay directly inside, and the trusted folder above that. */
  inside: { trusted: string; parts: readonly string[] };
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

const ownFolders = ['.hookloop', 'sessions'] as const;

export const sessionsFolder = (root: string): string => join(root, ...ownFolders);

/** Contract: the name has passed `checkSessionName`; anything else throws. */
export function sessionFiles(root: string, name: string): SessionFiles {
  const checked = checkSessionName(name);
  if (checked.kind === 'bad') throw new RangeError(checked.reason);
  return pathsIn(root, [...ownFolders, name], name);
}

/** A child pipeline's folder: `children/{hook_point}-{iteration}`, `-2`, `-3` for further ones at that point. */
export function childFiles(parent: SessionFiles, point: string, iteration: number, nth = 1): SessionFiles {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(point)) throw new RangeError(`not a hook point: ${point}`);
  const name = `${point}-${iteration}${nth > 1 ? `-${nth}` : ''}`;
  const { trusted, parts } = parent.inside;
  return pathsIn(trusted, [...parts, 'children', name], name);
}

export const stageFolder = (paths: SessionFiles, stage: StageRef): string =>
  join(paths.folder, stageFolderName(stage.index, stage.id));

/** Iterations count from 1 and are written with at least three digits. */
export function iterationPaths(paths: SessionFiles, stage: StageRef, iteration: number): IterationPaths {
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

function pathsIn(trusted: string, parts: readonly string[], name: string): SessionFiles {
  const folder = join(trusted, ...parts);
  const current = join(folder, 'current');
  return {
    name,
    folder,
    inside: { trusted, parts },
    progress: join(folder, 'progress.md'),
    current: { folder: current, context: join(current, 'context.json'), status: join(current, 'status.json') },
    children: join(folder, 'children'),
    hooks: join(folder, 'hooks'),
    inputs: join(folder, 'inputs.json'),
    output: join(folder, 'output.json'),
  };
}

/** undefined where no child can have this name. */
export function childNamed(parent: SessionFiles, name: string): SessionFiles | undefined {
  const [, point, iteration] = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63})-(0|[1-9]\d{0,8})$/.exec(name) ?? [];
  return point === undefined ? undefined : childFiles(parent, point, Number(iteration));
}

/** The project that this path, however deep among its sessions, belongs to; the innermost where a session's folder holds another project. */
export function rootAbove(path: string): string | undefined {
  const end = path.lastIndexOf(`/${ownFolders.join('/')}/`);
  return end > 0 ? path.slice(0, end) : undefined;
}

/** Of a session's folder, also a child's; undefined where it is none of a project. */
export function locateSession(folder: string): { root: string; name: string } | undefined {
  const [, root, name] = /^(\/.*?)\/\.hookloop\/sessions\/([^/]+(?:\/children\/[^/]+)*)$/.exec(folder) ?? [];
  return root === undefined || name === undefined ? undefined : { root, name: name.replaceAll('/children/', '/') };
}

/** Session names become folders, arguments and parts of URLs. */
const sessionName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export type NameCheck = { kind: 'good' } | { kind: 'bad'; reason: string };

export function checkSessionName(name: string): NameCheck {
  if (sessionName.test(name)) return { kind: 'good' };
  const shown = JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}...` : name);
  const reason =
    name.length > 64
      ? `the session name ${shown} is longer than 64 characters`
      : `${shown} is not a session name: write letters, digits, "_" and "-", the first a letter or digit`;
  return { kind: 'bad', reason };
}

/** What events outside sessions ask and start is kept under this name. */
export const sessionWithoutName = 'dispatch';

/** For a session that is yet to begin. */
export const checkNewName = (name: string): NameCheck =>
  name === sessionWithoutName
    ? { kind: 'bad', reason: `"${name}" is reserved for hooks that run outside sessions: choose another name` }
    : checkSessionName(name);

/** `release-20261115-221758`, in local time. A further `attempt` in the same second gets `-2`, `-3`. */
export function makeSessionName(pipeline: string, now: Date, attempt = 1): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join('');
  const suffix = `-${day}-${time}${attempt > 1 ? `-${attempt}` : ''}`;
  const plain = pipeline.replaceAll(/[^A-Za-z0-9_]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return `${plain.slice(0, 64 - suffix.length).replace(/-+$/, '') || 'session'}${suffix}`;
}

/** Names of stages were checked when the pipeline was read; here a wrong one is a bug that must not reach the disk. */
function stageFolderName(index: number, id: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id)) throw new RangeError(`not a stage name: ${JSON.stringify(id)}`);
  return `stage-${String(index).padStart(2, '0')}-${id}`;
}
