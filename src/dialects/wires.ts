import { type DialectName, type DialectWire, type EventName, eventNames } from '../model/index.ts';
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
