import { type DialectName, type DialectWire, type EventName, eventNames } from '../model/index.ts';

/** What an event is called by anybody: our name, or any dialect's spelling. */
export function eventsSpelled(spelling: string, wires: readonly DialectWire[]): readonly EventName[] | undefined {
  if ((eventNames as readonly string[]).includes(spelling)) return [spelling as EventName];
  return wires.find(wire => Object.hasOwn(wire.events, spelling))?.events[spelling];
}

/** A spelling that means success and failure (`on-iteration-end`) is the failure when the payload tells of one. */
export function pickEvent(events: readonly EventName[], payload: Readonly<Record<string, unknown>>): EventName {
  const isFailure =
    /^(failed|failure|error)$/i.test(String(payload['status'] ?? '')) || Boolean(payload['error'] ?? payload['ERROR']);
  return events.find(name => name.endsWith('.failed') === isFailure) ?? events[0]!;
}

/** How each dialect spells an event. */
export const spellingsOf = (
  event: EventName,
  wires: readonly DialectWire[],
): { dialect: DialectName; spellings: string[] }[] =>
  wires.map(wire => ({
    dialect: wire.name,
    spellings: Object.keys(wire.events).filter(spelling => wire.events[spelling]!.includes(event)),
  }));

export const allSpellings = (wires: readonly DialectWire[]): string[] => [
  ...new Set([...eventNames, ...wires.flatMap(wire => Object.keys(wire.events))]),
];
