import { canRefuse } from '../../dialects/wires.ts';
import type { HookDefinition } from '../../model/index.ts';
import { guardedEvents } from './guarded.ts';

/** Whether a hook can refuse one of these events; its own dialect knows. */
export const isGate = (hook: HookDefinition): boolean => guardedEvents.has(hook.event) && canRefuse(hook);
