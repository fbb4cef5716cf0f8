import { resolve } from 'node:path';
import type { HookEvent } from '../../model/index.ts';
import { callKinds, patchedFiles, patchIn } from '../../model/tool-call.ts';
import { fileOf } from '../../model/tools.ts';

/** The files that a call of an edit tool has left changed, absolute where the agent's folder is known; none for other tools. */
export function editedFiles(event: HookEvent): readonly string[] {
  const { input, output, cwd } = event;
  if (!callKinds(event).has('edit')) return [];
  const patch = patchIn(input);
  const named = patch === undefined ? namedFiles(input, output) : hasFailed(output) ? [] : filesLeftBy(patch);
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

/** A deleted file is none that a formatter could open; a moved one is where it went. */
function filesLeftBy(patch: string): string[] {
  const files: string[] = [];
  for (const { action, file } of patchedFiles(patch)) {
    if (action === 'Delete File') continue;
    if (action === 'Move to') files.pop();
    files.push(file);
  }
  return files;
}

/** Codex has no event for a tool that failed: its answer begins with the exit code. */
const hasFailed = (output: unknown): boolean => typeof output === 'string' && /^Exit code: [1-9]/.test(output);
