import { createHash } from 'node:crypto';
import type { HookDefinition, HookEvent } from '../model/index.ts';
import { firingOf, formatKey, keyOf, parseKey } from '../model/step-key.ts';
import type { LeftHook } from '../session/state/work.ts';
import type { Loop } from './loop-parts.ts';
import { hooksOf, type Session, warn } from './session.ts';
import { SessionEnd } from './session-end.ts';

/** Records what the hook files say, and warns of what has changed since the session last ran: it counts from now on. */
export function compareHooks(session: Session): void {
  const before = session.durable.known(hooksKey) as Readonly<Record<string, string>> | undefined;
  const now = fingerprints(session.hooks);
  const files = new Set([...Object.keys(before ?? {}), ...Object.keys(now)]);
  const changed = before ? [...files].filter(file => before[file] !== now[file]) : [];
  if (changed.length > 0)
    warn(
      session,
      `changed since this session last ran: the hooks of ${changed.map(file => (now[file] ? file : `${file} (gone)`)).join(', ')}; their current versions apply`,
    );
  if (!before || changed.length > 0) session.durable.remember(hooksKey, now);
}

/** Where the journal keeps what the hook files said. */
export const hooksKey = keyOf('hooks');

function fingerprints(hooks: readonly HookDefinition[]): Record<string, string> {
  const byFile = new Map<string, HookDefinition[]>();
  for (const hook of hooks) byFile.set(hook.source.file, [...(byFile.get(hook.source.file) ?? []), hook]);
  return Object.fromEntries([...byFile].map(([file, own]) => [file, hashOf(own)]));
}

const hashOf = (hooks: readonly HookDefinition[]): string =>
  createHash('sha256').update(JSON.stringify(hooks)).digest('hex').slice(0, 16);

/** Where the journal keeps the mark of what hooks of the session's start have exported. */
export const exportsKey = keyOf('exports');

/**
 * Takes in what hooks of the start have exported, as they left it: the agent can write to the session's folder as well,
 * and what stands in that file decides which programs the gates find. Contract: throws a SessionEnd if it has changed.
 */
export async function takeExports({ durable, outside: { takeEnvFile } }: Session): Promise<void> {
  if (!takeEnvFile) return;
  const known = durable.known(exportsKey) as string | undefined;
  const taken = await takeEnvFile(known);
  if ('refused' in taken) throw new SessionEnd('failed', taken.refused);
  if (taken.mark !== known) durable.remember(exportsKey, taken.mark);
}

/**
 * Lets hooks that no one waited for and that a crash cut off go on beside the session. The work they belong to is
 * done, so the loop does not come to them again.
 */
export function resumeLeft(loop: Loop): void {
  const { session } = loop;
  const hooks = hooksOf(session);
  for (const left of session.left) {
    const hook = hooks.find(({ id }) => id === left.hook);
    const event = left.background?.event;
    if (hook && event) resumeHook(loop, left, event, hook);
    else tellLost(session, left, hook ? 'what it was told was too long to be kept' : 'no hook file has it any more');
  }
}

function resumeHook({ session, fire }: Loop, { key }: LeftHook, event: HookEvent, hook: HookDefinition): void {
  const { when: _held, ...match } = hook.match;
  // Its condition held when it was started, and may have been about actions before it.
  const engine = fire.engines.alone({ ...hook, match });
  const firing = formatKey(firingOf(parseKey(key)));
  engine.fire(event, { key: firing, signal: session.hooksEnd }).catch(() => {
    // Only the journal can be the reason, and whoever writes to it next ends the session.
  });
}

function tellLost(session: Session, { name, event }: LeftHook, why: string): void {
  const text = `hook ${name} (${event}) was cut off; no one waited for it, and it does not run again: ${why}`;
  warn(session, text);
}
