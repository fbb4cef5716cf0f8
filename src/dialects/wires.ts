import {
  type ActionOutcome,
  type DialectName,
  type DialectWire,
  decide,
  type EventName,
  eventNames,
  type HookDefinition,
} from '../model/index.ts';
import { wire as babysitter } from './babysitter/wire.ts';
import { wire as claude } from './claude/wire.ts';
import { wire as iteratr } from './iteratr/wire.ts';
import { wire as native } from './native/wire.ts';
import { wire as nyzhi } from './nyzhi/wire.ts';
import { wire as pipelines } from './pipelines/wire.ts';
import { wire as sauna } from './sauna/wire.ts';

/** The running halves alone: what a compiled plan needs, without any parser. */
export const wires: readonly DialectWire[] = [native, sauna, iteratr, nyzhi, babysitter, claude, pipelines];

/** The events that a name stands for: our own, or any dialect's spelling. */
export function eventsSpelled(spelling: string): readonly EventName[] | undefined {
  if ((eventNames as readonly string[]).includes(spelling)) return [spelling as EventName];
  return wires.find(wire => Object.hasOwn(wire.events, spelling))?.events[spelling];
}

/** A spelling that means success and failure (`on-iteration-end`) is the failure when the payload tells of one. */
export function pickEvent(events: readonly EventName[], payload: Readonly<Record<string, unknown>>): EventName {
  const status = String(payload['status'] ?? '').toLowerCase();
  const isFailure = failures.includes(status) || Boolean(payload['error'] ?? payload['ERROR']);
  return events.find(name => name.endsWith('.failed') === isFailure) ?? events[0]!;
}

const failures = ['failed', 'failure', 'error'];

/** How each dialect spells an event. */
export const spellingsOf = (event: EventName): { dialect: DialectName; spellings: string[] }[] =>
  wires.map(wire => ({
    dialect: wire.name,
    spellings: Object.keys(wire.events).filter(spelling => wire.events[spelling]!.includes(event)),
  }));

export const allSpellings = (): string[] => [
  ...new Set([...eventNames, ...wires.flatMap(wire => Object.keys(wire.events))]),
];

/** Whether a hook is a gate: it is awaited, and its own dialect takes some answer of it for a no. */
export const canRefuse = (hook: HookDefinition): boolean =>
  hook.wait && outcomesOf(hook, 'no').some(outcome => isRefusal(outcome, hook));

/** An outcome that this hook's dialect takes for a no, in the place of one that does not count. */
export const refusingOutcome = (hook: HookDefinition, reason: string): ActionOutcome | undefined =>
  [{ kind: 'judged', ok: false, reason } as const, ...outcomesOf(hook, reason)].find(outcome =>
    isRefusal(outcome, hook),
  );

function isRefusal(outcome: ActionOutcome, hook: HookDefinition): boolean {
  const wire = wires.find(({ name }) => name === hook.source.dialect)!;
  const { verdict } = wire.interpret(outcome, hook, { name: hook.event });
  return decide(verdict, outcome, hook).kind !== 'proceed';
}

/** The ways in which a hook may say no. */
function outcomesOf({ action }: HookDefinition, reason: string): readonly ActionOutcome[] {
  const broken = { kind: 'not-started', reason } as const;
  switch (action.kind) {
    case 'shell':
      return [
        { kind: 'exited', exitCode: 2, stdout: '', stderr: reason },
        broken,
        { kind: 'exited', exitCode: 0, stdout: JSON.stringify({ decision: 'block', reason }), stderr: '' },
        { kind: 'exited', exitCode: 1, stdout: '', stderr: reason },
      ];
    case 'webhook':
      return [{ kind: 'answered', action: 'reject', message: reason, response: {} }, broken];
    case 'ask':
      return [{ kind: 'answered', action: 'reject', message: reason, response: {} }, broken];
    case 'deny':
    case 'tell':
      return [{ kind: 'ruled', text: reason }];
    case 'spawn':
      return [{ kind: 'child-finished', succeeded: false, output: reason }, broken];
    case 'prompt':
    case 'agent':
    case 'judge':
    case 'function':
      return [{ kind: 'judged', ok: false, reason }, broken];
  }
}
