import { dirname } from 'node:path';
import { childOf, itemsOf, type Located } from '../../config/located.ts';
import { fileProblem, type Report } from '../../config/report.ts';
import { type PipelineSettings, readPipelineHooks } from '../../dialects/pipelines/config.ts';
import { shownPath } from '../../hooks/discovery/find-files.ts';
import type { Look } from '../../hooks/discovery/look.ts';
import type { HookDefinition, Places, Problem } from '../../model/index.ts';
import { isName, nameOfFile, nameRule, toName } from './find-pipeline.ts';

export type StageSettings = NonNullable<PipelineSettings['stages']>[number];

/** One place that says something about a stage: its entry in the pipeline, or a loop file. */
export interface Part {
  settings: Omit<StageSettings, 'inputs'>;
  node: Located;
  report: Report;
  /** Where the file stands that it is written in. */
  folder: string;
  hooks: readonly HookDefinition[];
}

/** A loop, stage or pipeline file that can be used. */
export interface ReadFile extends Part {
  settings: PipelineSettings;
  path: string;
  file: string;
  name: string;
  isPipeline: boolean;
  /** Hooks that stages of the file have of their own. */
  ofStages: ReadonlyMap<Located, readonly HookDefinition[]>;
}

/** Reads each file once and collects what is wrong with those that are used. */
export interface Reader {
  places: Places;
  look: Look;
  use(path: string): ReadFile | undefined;
  isPipeline(path: string): boolean;
  /** Paths of the files that were used. */
  used(): readonly string[];
  problems(): readonly Problem[];
}

export function createReader(places: Places, look: Look, agentFlaw?: AgentFlaw): Reader {
  const read = new Map<string, Reading>();
  const used = new Set<string>();
  const readingOf = (path: string): Reading => {
    const known = read.get(path) ?? readPath(path, shownPath(path, places), look);
    read.set(path, known);
    return known;
  };
  return {
    places,
    look,
    use: path => {
      const { usable } = readingOf(path);
      if (usable && agentFlaw && !used.has(path)) reportAgents(usable.node, usable.report, agentFlaw);
      used.add(path);
      return usable;
    },
    isPipeline: path => readingOf(path).usable?.isPipeline === true,
    used: () => [...used],
    problems: () => [...used].flatMap(path => readingOf(path).problems),
  };
}

/** `problems` grows while the stages are put together. */
interface Reading {
  usable: ReadFile | undefined;
  problems: readonly Problem[];
}

function readPath(path: string, file: string, look: Look): Reading {
  const content = look.text(path);
  if (content.kind === 'text') return readText(path, file, content.text);
  const reason = content.kind === 'absent' ? 'does not exist' : content.reason;
  return { usable: undefined, problems: [fileProblem(file, reason, true)] };
}

function readText(path: string, file: string, text: string): Reading {
  const location = { scope: 'stage', base: 'root', path: file, holds: 'file' } as const;
  const { root, settings, hooks, ofParts, report } = readPipelineHooks({ kind: 'text', location, path, file, text });
  const own = report.refusing(false);
  if (!root) {
    if (report.problems.length === 0) own.error({ start: 0, end: 0 }, 'the file is empty', 'write prompt: or stages:');
    return { usable: undefined, problems: report.problems };
  }
  if (!settings) return { usable: undefined, problems: report.problems };
  const isPipeline = settings.stages !== undefined || settings.nodes !== undefined;
  const scope = isPipeline ? 'pipeline' : 'stage';
  const usable = {
    settings,
    node: root,
    report: own,
    folder: dirname(path),
    path,
    file,
    name: nameFor(settings, root, path, own),
    isPipeline,
    hooks: hooks.map(hook => ({ ...hook, source: { ...hook.source, scope } }) as const),
    ofStages: ofParts,
  };
  return { usable, problems: report.problems };
}

/** `name:`, or what the file is called. Nothing stands or falls with it, so a bad one is only told. */
function nameFor(settings: PipelineSettings, root: Located, path: string, report: Report): string {
  if (settings.name !== undefined && isName(settings.name)) return settings.name;
  const name = toName(nameOfFile(path), 'pipeline');
  const written = root.kind === 'map' ? root.entries.find(({ key }) => key === 'name') : undefined;
  if (written)
    report.warning(written.value.span, `"${settings.name}" is not a name, so it is called ${name}`, nameRule);
  return name;
}

/** Why a text names no agent; undefined where it does. */
export type AgentFlaw = (spec: string) => { message: string; hint?: string } | undefined;

/** Tells of agents and judges that no one knows, in a loop, stage or pipeline file and in each of its stages. */
function reportAgents(root: Located, report: Report, flawOf: AgentFlaw): void {
  const stages = ['stages', 'nodes'].flatMap(key => itemsOf(childOf(root, key)));
  for (const node of [root, ...stages].flatMap(agentsOf)) {
    const flaw = flawOf(node.value);
    if (flaw) report.error(node.span, flaw.message, flaw.hint);
  }
}

type Text = Extract<Located, { kind: 'scalar' }> & { value: string };

/** `judge: true` is the stage's own agent. */
function agentsOf(node: Located): Text[] {
  const judge = childOf(childOf(node, 'termination'), 'judge');
  const agent = childOf(node, 'agent');
  return [agent, ...itemsOf(agent), judge, childOf(judge, 'agent')].filter(isText);
}

const isText = (node: Located | undefined): node is Text =>
  node?.kind === 'scalar' && typeof node.value === 'string' && node.value.trim() !== '';
