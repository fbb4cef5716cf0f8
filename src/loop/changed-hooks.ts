import { createHash } from 'node:crypto';
import type { HookDefinition } from '../model/index.ts';
import { keyOf } from '../model/step-key.ts';
import type { Loop } from './loop.ts';

const key = keyOf('hooks');

/** Keeps what the hook files say, and tells what is another since the session was last at work: it counts from now on. */
export function compareHooks(loop: Loop): void {
  const before = loop.durable.known(key) as Readonly<Record<string, string>> | undefined;
  const now = fingerprints(loop.hooks);
  const files = new Set([...Object.keys(before ?? {}), ...Object.keys(now)]);
  const changed = before ? [...files].filter(file => before[file] !== now[file]) : [];
  if (changed.length > 0)
    loop.watcher.remark({
      level: 'warning',
      text: `changed since this session last ran: the hooks of ${changed.map(file => (now[file] ? file : `${file} (gone)`)).join(', ')}; they count as they are now`,
    });
  if (!before || changed.length > 0) loop.durable.remember(key, now);
}

function fingerprints(hooks: readonly HookDefinition[]): Record<string, string> {
  const byFile = new Map<string, HookDefinition[]>();
  for (const hook of hooks) byFile.set(hook.source.file, [...(byFile.get(hook.source.file) ?? []), hook]);
  return Object.fromEntries([...byFile].map(([file, own]) => [file, hashOf(own)]));
}

const hashOf = (hooks: readonly HookDefinition[]): string =>
  createHash('sha256').update(JSON.stringify(hooks)).digest('hex').slice(0, 16);
