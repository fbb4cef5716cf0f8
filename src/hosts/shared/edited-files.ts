import { resolve } from 'node:path';
import type { HookEvent } from '../../model/index.ts';
import { fileOf, toolKind } from '../../model/tools.ts';

/** The files that a call of an edit tool has left changed, absolute where the agent's folder is known; none for other tools. */
export function editedFiles({ tool, input, output, cwd }: HookEvent): readonly string[] {
  if (tool === undefined || toolKind(tool) !== 'edit') return [];
  const patch = patchText(input);
  const named = patch === undefined ? namedFiles(input, output) : hasFailed(output) ? [] : patchedFiles(patch);
  return [...new Set(named.map(file => absolute(file, cwd)))];
}

export const absolute = (file: string, cwd: string | undefined): string =>
  cwd?.startsWith('/') ? resolve(cwd, file) : file;

/** One file, and in some forms of a multiple edit one more for each edit. */
function namedFiles(input: unknown, output: unknown): string[] {
  const edits: unknown = (input as { edits?: unknown } | undefined)?.edits;
  const files = [fileOf(input), ...(Array.isArray(edits) ? edits.map(fileOf) : [])];
  const found = files.filter(file => file !== undefined);
  const answered = found.length > 0 ? undefined : fileOf(output);
  return answered === undefined ? found : [answered];
}

const patchStart = '*** Begin Patch';

function patchText(input: unknown): string | undefined {
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  return values.flat(2).find((value): value is string => typeof value === 'string' && value.includes(patchStart));
}

/** A deleted file is none that a formatter could open; a moved one is where it went. */
function patchedFiles(patch: string): string[] {
  const files: string[] = [];
  for (const line of patch.split(/\r?\n/)) {
    const [, action, file] = /^\*\*\* (Add File|Update File|Move to): (.+?)\s*$/.exec(line) ?? [];
    if (file === undefined) continue;
    if (action === 'Move to') files.pop();
    files.push(file);
  }
  return files;
}

/** Codex has no event for a tool that failed: its answer begins with the exit code. */
const hasFailed = (output: unknown): boolean => typeof output === 'string' && /^Exit code: [1-9]/.test(output);
