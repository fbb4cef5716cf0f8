import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { unlessCancelled } from '../../actions/process/cancel.ts';
import type { HookEvent } from '../../model/index.ts';
import { toolKind } from '../../model/tools.ts';
import type { Calls } from './calls.ts';
import type { Desk } from './desk.ts';
import { insideRoot, toolName } from './tool-call.ts';

export type Written = { kind: 'written' } | { kind: 'refused'; reason: string };

export interface WriteContext {
  root: string;
  calls: Calls;
  desk: Desk;
  /** Aborted when the turn is cancelled or the agent has died. */
  interrupted: AbortSignal;
}

/**
 * Serves `fs/write_text_file`, for some agents the only way they write. What a call that was allowed has shown is not asked
 * for again; anything else is, as it is written. Contract: never rejects.
 */
export async function writeForAgent(
  { path, content }: { path: string; content: string },
  { root, calls, desk, interrupted }: WriteContext,
): Promise<Written> {
  const file = insideRoot(root, path);
  if (!calls.mayWrite(file, content)) {
    const call = calls.about(file);
    const own = call && toolName(call);
    // By its call's name alone a write could hide; and a command is not run once more.
    const names = ['Edit', ...(own === undefined || toolKind(own) === 'shell' ? [] : [own])];
    const event: HookEvent<'tool.calling'> = {
      name: 'tool.calling',
      tool: 'Write',
      input: { file_path: resolve(root, path), content },
      file,
      ...(call && { toolCallId: call.id }),
      facts: { names: [...new Set(names)].filter(name => name !== 'Write') },
    };
    const decision = await desk.ask(event, interrupted);
    if (decision === undefined) return { kind: 'refused', reason: 'the turn was cancelled' };
    if (decision.kind !== 'proceed') return { kind: 'refused', reason: decision.reason };
  }
  try {
    await mkdir(dirname(resolve(root, path)), { recursive: true });
    await writeFile(resolve(root, path), content);
  } catch (error) {
    return { kind: 'refused', reason: (error as Error).message };
  }
  await unlessCancelled(calls.tellEdited(file), interrupted);
  return { kind: 'written' };
}
