import { isUnchanged } from '../discovery/look.ts';
import { type ActionKind, type HookDefinition, printable, type RunAction } from '../model/index.ts';
import { refusalOf } from './gates.ts';
import type { Pins } from './pins.ts';

/** Runs an action only if every script that its hook names is as it was pinned; a gate whose script is not says no. */
export function ifStillTrusted<Kind extends ActionKind>(run: RunAction<Kind>, pins: Pins): RunAction<Kind> {
  return async (action, context) => {
    const changed = await changedScript(context.hook, pins);
    if (changed === undefined) return run(action, context);
    const reason = `${printable(changed)} is not what was trusted; the user can look at it with: hookloop trust`;
    return (isGated(context.hook, pins) && refusalOf(context.hook, reason)) || { kind: 'not-started', reason };
  };
}

/** The first path that a hook names whose file is not as it was pinned. Files that look the same are not read again. */
export async function changedScript({ id }: HookDefinition, { scripts }: Pins): Promise<string | undefined> {
  for (const [path, hash, looked] of Object.hasOwn(scripts, id) ? scripts[id]! : []) {
    if (looked !== undefined && isUnchanged(path, looked)) continue;
    const { hashFile } = await import('./script-hash.ts');
    if (hashFile(path) !== hash) return path;
  }
  return undefined;
}

const isGated = ({ event, source: { file } }: HookDefinition, { files }: Pins): boolean =>
  Object.hasOwn(files, file) && files[file]!.gates.some(gate => gate.event === event);
