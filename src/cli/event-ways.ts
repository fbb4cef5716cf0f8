import { gitEventNames } from '../hosts/git-events.ts';
import { agentNames, hosts } from '../hosts/index.ts';
import { type EventName, eventNames } from '../model/index.ts';
import { wrap } from './print/table.ts';

/** Events that `hookloop run` has no moment for. */
const neverInRun: ReadonlySet<EventName> = new Set<EventName>(['teammate.idling']);

/** Where an event fires by itself: in `run`, and in the hooks of agents that can call us. `dispatch` fires any. */
export const waysOf = (event: EventName): string[] => [
  ...(neverInRun.has(event) ? [] : ['run']),
  ...agentNames.filter(agent => Object.values(hosts[agent].events).some(({ fires }) => fires.includes(causeOf(event)))),
];

/** What git is about to do shows in the tool call that does it. */
const causeOf = (event: EventName): EventName =>
  (gitEventNames as readonly EventName[]).includes(event) ? 'tool.calling' : event;

/** For each way of running hooks, the events that never fire in it. */
export function wayLines(columns: number): string[] {
  const forNone = eventNames.filter(event => agentsFiring(event).length === 0);
  const rows: (readonly [way: string, never: readonly EventName[]])[] = [
    ['hookloop run', [...neverInRun]],
    ['hooks of agents', forNone],
    ...agentNames.map(
      agent =>
        [
          `... of ${agent}`,
          eventNames.filter(event => !forNone.includes(event) && !waysOf(event).includes(agent)),
        ] as const,
    ),
  ];
  const told = rows.filter(([, never]) => never.length > 0);
  const width = Math.max(...told.map(([way]) => way.length)) + 4;
  const lines = told.flatMap(([way, never]) =>
    wrap(never, columns - width - 1, ', ').map((line, at) => `  ${(at === 0 ? way : '').padEnd(width - 2)}${line}`),
  );
  return ['Never fired by itself (hookloop dispatch fires whatever it is told):', ...lines];
}

const agentsFiring = (event: EventName): string[] => waysOf(event).filter(way => way !== 'run');

/** The same for the events of some hooks, a line where something never fires. */
export function neverNotes(events: readonly EventName[]): string[] {
  const listed = [...new Set(events)];
  const inRun = listed.filter(event => neverInRun.has(event));
  const forNone = listed.filter(event => agentsFiring(event).length === 0);
  const forSome = listed.filter(event => {
    const { length } = agentsFiring(event);
    return length > 0 && length < agentNames.length;
  });
  return [
    inRun.length > 0 && `Never fires in hookloop run: ${inRun.join(', ')}`,
    forNone.length > 0 && `Never fires from agents' own hooks (hookloop install): ${forNone.join(', ')}`,
    ...forSome.map(event => `Fires from the own hooks of ${agentsFiring(event).join(', ')} only: ${event}`),
  ].filter(line => line !== false);
}
