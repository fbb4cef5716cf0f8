import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { missingAgent, presetNames, resolveAgent } from '../agents/index.ts';
import { dialects } from '../dialects/index.ts';
import { findConfigs } from '../hooks/discovery/find-files.ts';
import { findPlaces } from '../hooks/discovery/load.ts';
import { createLook, statOf } from '../hooks/discovery/look.ts';
import { presentPrograms } from '../hosts/doctor/examine.ts';
import { agentNames } from '../hosts/index.ts';
import { whyUnreadable, writeWhereNone } from '../platform/files.ts';
import { withFoldersAbove } from '../platform/folders.ts';
import { unknownAgentText } from './check-references.ts';
import type { Where } from './context.ts';
import { type FoundGates, findGates, manifests } from './init/find-gates.ts';
import { findProtected } from './init/find-protected.ts';
import { type Starter, starterText } from './init/starter-file.ts';

/** What a project has that a first hookloop.yaml can build upon. */
export interface Surroundings extends FoundGates {
  kind: 'new';
  /** The file to be written. */
  path: string;
  /** Agents that are installed here, those that `hookloop run` knows first. */
  agents: readonly string[];
  /** The one of them that `hookloop run` is to start. */
  usual: string | undefined;
  /** Hook files of other formats, which apply as well. */
  hookFiles: readonly string[];
  schema: string | undefined;
}

const fileName = 'hookloop.yaml';
const schemaPath = 'node_modules/hookloop/schema/native.schema.json';

/** Looks only at the files of one folder, however large the project is. */
export function lookAround(
  where: Where & { program: string },
): Surroundings | { kind: 'exists'; path: string; what: string } {
  const folder = projectFolder(where.cwd);
  const path = join(folder, fileName);
  const what = whatIsAt(path);
  if (what !== undefined) return { kind: 'exists', path, what };
  const agents = agentsHere(where);
  return {
    kind: 'new',
    path,
    ...findGates(folder),
    ...{ agents, usual: agents.find(isPreset) },
    hookFiles: hookFilesIn(folder, where),
    schema: existsSync(join(folder, schemaPath)) ? `./${schemaPath}` : undefined,
  };
}

/** The nearest folder that is a project of its own, up to the top of the repository; without a repository, where we are. */
function projectFolder(cwd: string): string {
  const folders = withFoldersAbove(cwd);
  const top = folders.findIndex(folder => existsSync(join(folder, '.git')));
  const inside = top === -1 ? [cwd] : folders.slice(0, top + 1);
  const marks = [fileName, ...manifests];
  return inside.find(folder => marks.some(name => whatIsAt(join(folder, name)) !== undefined)) ?? inside.at(-1)!;
}

/** Also a link to nothing is something that must not be written over. */
function whatIsAt(path: string): string | undefined {
  const looked = statOf(path);
  if (looked === undefined) return undefined;
  if (typeof looked === 'object') return looked.isDirectory() ? 'exists, and is a folder' : 'already exists';
  return looked === 'dead link'
    ? 'exists, and is a link to nothing'
    : (whyUnreadable[looked] ?? `cannot be read (${looked})`);
}

const isPreset = (name: string): boolean => presetNames.includes(name);

function agentsHere({ cwd, env, program }: Where & { program: string }): string[] {
  const canRun = (name: string): boolean => missingAgent(name, { cwd, env, root: cwd }) === undefined;
  const programs = new Set<string>(presentPrograms({ cwd, searchPath: env['PATH'] ?? '', ownFile: program }));
  const found = agentNames.filter(name => programs.has(name) || (isPreset(name) && canRun(name)));
  return found.toSorted((a, b) => Number(isPreset(b)) - Number(isPreset(a)));
}

/** Those that hold hooks: an agent's settings may hold none. */
function hookFilesIn(folder: string, { cwd, env }: Where): string[] {
  const places = { ...findPlaces(cwd, env, []), root: folder, repo: folder };
  const look = createLook();
  const files = dialects.flatMap(dialect => {
    const locations = dialect.locations.filter(({ scope }) => scope === 'project');
    const { found } = findConfigs({ ...dialect, locations }, places, look);
    return found.filter(one => dialect.normalise([one], places).hooks.length > 0).map(({ file }) => file);
  });
  return [...new Set(files)].sort();
}

/** `text`: what the file holds where it was written. */
export function writeStarter(path: string, starter: Starter) {
  const folder = dirname(path);
  const gates = findGates(folder).gates.filter(gate => starter.gates.some(({ command }) => command === gate.command));
  const text = starterText({ ...starter, protect: findProtected(folder, gates) });
  return { ...writeWhereNone(path, text), text };
}

/** Why a text names no agent that `hookloop run` knows; undefined where it does. */
export function agentTrouble(spec: string, where: Where): string | undefined {
  const known = resolveAgent(spec, where);
  return 'message' in known ? unknownAgentText(known) : undefined;
}

/** What `hookloop run` lacks to start an agent, and how to get it; undefined where nothing. */
export const agentLack = (spec: string, { cwd, env }: Where): string | undefined =>
  missingAgent(spec, { cwd, env, root: cwd });
