import type { HookDefinition, HookEvent } from '../model/index.ts';
import { firingOf, formatKey, parseKey } from '../model/step-key.ts';
import type { LeftHook } from '../session/state/work.ts';
import type { Loop } from './loop.ts';

/**
 * Lets hooks that nobody waited for and that a crash cut off go on beside the session. The work they belong to is
 * done, so nothing that follows comes past them again.
 */
export function takeUpLeft(loop: Loop): void {
  const hooks = [...loop.plan.stages.flatMap(stage => stage.hooks), ...loop.plan.hooks, ...loop.hooks];
  for (const left of loop.left) {
    const hook = hooks.find(({ id }) => id === left.hook);
    const event = left.background?.event;
    if (hook && event) takeUp(loop, left, event, hook);
    else tellLost(loop, left, hook ? 'what it was told was too long to be kept' : 'no hook file has it any more');
  }
}

function takeUp(loop: Loop, { key }: LeftHook, event: HookEvent, hook: HookDefinition): void {
  const { when: _held, ...match } = hook.match;
  // Its condition held when it was started, and may have been about actions before it.
  const engine = loop.engines.alone({ ...hook, match });
  const firing = formatKey(firingOf(parseKey(key)));
  engine.fire(event, { key: firing, signal: loop.hooksEnd }).catch(() => {
    // Only the journal can be the reason, and whoever writes to it next ends the session.
  });
}

function tellLost({ watcher, mask }: Loop, { name, event }: LeftHook, why: string): void {
  const text = `hook ${name} (${event}) was cut off, nobody waited for it, and it does not run again: ${why}`;
  watcher.remark({ level: 'warning', text: mask(text) });
}
