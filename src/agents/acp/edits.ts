import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { AgentListener } from '../../model/agent.ts';
import type { HookEvent } from '../../model/index.ts';
import { fileOf, toolKind } from '../../model/tool-call.ts';
import { createChangeWatch, toldEdits } from '../changes.ts';
import { recordOf } from './protocol.ts';
import type { ToolCall } from './tool-call.ts';
import { editedFiles, insideRoot, toolInput, toolName } from './tool-events.ts';

/** Finds what shell commands have edited. Of commands that run side by side each edit is told with the first that ends. */
export function createShellEdits(root: string, listener: AgentListener, hurry: () => AbortSignal) {
  const watch = createChangeWatch(root, hurry);
  let running = 0;
  return {
    async begin(sinceMs: number): Promise<void> {
      running += 1;
      if (running === 1) await watch.begin(sinceMs);
    },
    /** No command runs that anyone knows of, but one that waits for leave: whatever is there is known. */
    async anew(): Promise<void> {
      if (running <= 1) await watch.begin();
    },
    async end(): Promise<readonly string[]> {
      running -= 1;
      return toldEdits(await watch.changedSince(), listener);
    },
    /** A command that was announced and never ran. */
    leave(): void {
      running -= 1;
    },
    /** The file's present state is known to everyone. */
    taken: (path: string): void => watch.taken(path),
  };
}

/** The contents that a call shows that it will write, by file. */
export function shownWrites(call: ToolCall, root: string): ReadonlyMap<string, string> {
  const input = toolInput(call);
  const [named, { content }] = [fileOf(input), recordOf(input)];
  const shown = new Map<string, string>();
  if (named !== undefined && typeof content === 'string') shown.set(insideRoot(root, named), content);
  for (const { path, after } of call.diffs) shown.set(insideRoot(root, path), after);
  const edited = editedFiles(call, root);
  return new Map([...shown].filter(([file]) => edited.includes(file)));
}

export interface Write {
  path: string;
  content: string;
}

export type Written = { kind: 'written' } | { kind: 'refused'; reason: string };

/** How hooks are asked about a write through us, for the call that is about its file. */
export function writeEvent({ path, content }: Write, call: ToolCall | undefined, root: string) {
  const own = call && toolName(call);
  // By its call's name alone a write could hide; and a command is not run once more.
  const names = ['Edit', ...(own === undefined || toolKind(own) === 'shell' ? [] : [own])];
  const event: HookEvent<'tool.calling'> = {
    name: 'tool.calling',
    tool: 'Write',
    input: { file_path: resolve(root, path), content },
    file: insideRoot(root, path),
    ...(call && { toolCallId: call.id }),
    facts: { names: [...new Set(names)].filter(name => name !== 'Write') },
  };
  return event;
}

/** Contract: never rejects. */
export async function writeText({ path, content }: Write, root: string): Promise<Written> {
  try {
    await mkdir(dirname(resolve(root, path)), { recursive: true });
    await writeFile(resolve(root, path), content);
    return { kind: 'written' };
  } catch (error) {
    return { kind: 'refused', reason: (error as Error).message };
  }
}
