import { fileOf } from '../../model/tools.ts';
import { editedFiles, insideRoot, recordOf, type ToolCall, toolInput } from './tool-call.ts';

/** The contents that a call shows that it will write, by file. */
export type ShownWrites = ReadonlyMap<string, string>;

export function shownWrites(call: ToolCall, root: string): ShownWrites {
  const input = toolInput(call);
  const [named, { content }] = [fileOf(input), recordOf(input)];
  const shown = new Map<string, string>();
  if (named !== undefined && typeof content === 'string') shown.set(insideRoot(root, named), content);
  for (const { path, after } of call.diffs) shown.set(insideRoot(root, path), after);
  const edited = editedFiles(call, root);
  return new Map([...shown].filter(([file]) => edited.includes(file)));
}
