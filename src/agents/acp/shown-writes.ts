import { fileOf } from '../../model/tools.ts';
import { editedFiles, insideRoot, recordOf, type ToolCall, toolInput } from './tool-call.ts';

/** What a call shows that it will write: its files, each with its content where that is shown as well. */
export type ShownWrites = ReadonlyMap<string, string | undefined>;

export function shownWrites(call: ToolCall, root: string): ShownWrites {
  const input = toolInput(call);
  const [named, { content }] = [fileOf(input), recordOf(input)];
  const shown = new Map<string, string>();
  if (named !== undefined && typeof content === 'string') shown.set(insideRoot(root, named), content);
  for (const { path, after } of call.diffs) shown.set(insideRoot(root, path), after);
  return new Map(editedFiles(call, root).map(file => [file, shown.get(file)]));
}

/** Whether a write is no other than what was shown. */
export const isShown = (writes: ShownWrites, file: string, content: string): boolean =>
  writes.has(file) && (writes.get(file) ?? content) === content;
