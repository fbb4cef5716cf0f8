import { basename, join } from 'node:path';
import { fileProblem } from '../../config/report.ts';
import { type PipelineFile, readPipelineFile } from '../../dialects/pipelines/pipeline-file.ts';
import type { HookDefinition, Places, Problem } from '../../model/index.ts';
import type { Look } from './look.ts';
import { shownPath } from './places.ts';

/** Where pipelines, loops and stages are looked for, nearest first; relative to the root. */
export const pipelineFolders = [
  '.hookloop/pipelines',
  '.hookloop/loops',
  'pipelines',
  'loops',
  'stages',
  'scripts/pipelines',
  'scripts/loops',
  'scripts/stages',
] as const;

/** What a folder NAME may hold. */
const namesInFolder = ['pipeline.yaml', 'loop.yaml', 'stage.yaml'] as const;

export interface LoadedPipelines {
  files: readonly string[];
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
}

/** The hooks of every pipeline, loop and stage file of the project, which run only with their pipeline. Files of other programs are left aside. */
export function loadPipelineFiles(places: Places, look: Look): LoadedPipelines {
  const { found, problems } = findPipelineFiles(places, look);
  const read = found.map(file => ({ file: file.file, ...readPipelineFile(file) })).filter(file => file.looksLikeOurs);
  return {
    files: read.map(({ file }) => file),
    hooks: read.flatMap(({ hooks }) => hooks),
    problems: [...problems, ...read.flatMap(file => file.problems)],
  };
}

export function findPipelineFiles(places: Places, look: Look): { found: PipelineFile[]; problems: Problem[] } {
  const found: PipelineFile[] = [];
  const problems: Problem[] = [];
  for (const { folder, path } of pathsIn(places, look)) {
    const file = shownPath(path, places);
    const content = look.text(path);
    if (content.kind === 'text') found.push({ file, path, text: content.text, scope: scopeOf(folder, path) });
    if (content.kind === 'unreadable') problems.push(unreadable(file, content.reason, folder));
  }
  return { found, problems };
}

function pathsIn(places: Places, look: Look): { folder: string; path: string }[] {
  return pipelineFolders.flatMap(folder =>
    look.list(join(places.root, folder)).flatMap(({ path }) => {
      if (path === undefined) return [];
      if (look.stat(path)?.isDirectory()) return namesInFolder.map(name => ({ folder, path: join(path, name) }));
      return /\.ya?ml$/.test(path) ? [{ folder, path }] : [];
    }),
  );
}

/** `NAME/loop.yaml` says itself what it is; `NAME.yaml` is what its folder is for. */
function scopeOf(folder: string, path: string): PipelineFile['scope'] {
  const name = basename(path);
  if (name === 'pipeline.yaml') return 'pipeline';
  if (name === 'loop.yaml' || name === 'stage.yaml') return 'stage';
  return folder.endsWith('pipelines') ? 'pipeline' : 'stage';
}

/** Only in our own folder is a file that cannot be read surely meant for us. */
const unreadable = (file: string, reason: string, folder: string): Problem => ({
  ...fileProblem(file, reason, false),
  severity: folder.startsWith('.hookloop/') ? 'error' : 'warning',
});
