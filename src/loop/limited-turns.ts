import type { LimitRecord } from '../model/record.ts';
import { formatKey, type StepKey } from '../model/step-key.ts';
import { takeoverWords } from '../model/words.ts';
import type { Pauses } from '../session/state/pauses.ts';
import type { Loop } from './loop-parts.ts';
import { limitText, pause } from './pause.ts';
import { agentName, agentSpecsOf, type Session, warn } from './session.ts';
import type { SentTurn, TurnEnd } from './session-agent.ts';
import { SessionEnd } from './session-end.ts';
import type { Talk } from './talk.ts';

/**
 * Sends a prompt until its turn is over, with the agent that may work: while one is limited or no one is signed in to it
 * the next of its list takes over, and where all are limited the session pauses. `begun`: the agent has worked on the
 * iteration before. Contract: rejects with a SessionEnd where none can work, or may for too long.
 */
export async function throughLimits(
  loop: Loop,
  talk: Talk,
  { key, begun }: { key: StepKey; begun: boolean },
  send: (spec: string) => Promise<SentTurn>,
): Promise<TurnEnd> {
  const { session } = loop;
  if (!talk.isLast) await pause(loop, talk.position, key, undefined);
  for (;;) {
    const spec = await chooseAgent(session, talk, begun || wasBegun(session, key));
    if (spec === undefined) {
      const first = firstFree(session, talk);
      if (talk.isLast) return { kind: 'failed', reason: limitText(first), progressed: false };
      await pause(loop, talk.position, key, first);
      continue;
    }
    const end = await send(spec);
    if (end.kind === 'limited') await noteLimit(session, spec, key, end);
    else if (end.kind === 'failed' && end.signedOut) {
      session.now.signedOut.set(spec, { iteration: formatKey(talk.key), reason: end.reason });
      if (!hasAnother(session, talk, spec)) return failedAlone(end);
      warn(session, `${agentName(spec)} cannot work: ${end.reason}`);
    } else return end;
  }
}

/** Whether what a turn came to is its end: else it is sent again, maybe to another agent. */
export const isFinal = (session: Session, talk: Talk, spec: string) => (end: SentTurn) =>
  end.kind !== 'limited' && !(end.kind === 'failed' && end.signedOut === true && hasAnother(session, talk, spec));

/** Whether some of a turn was done by an attempt before this one: what a crash cut off may have begun. */
export function wasBegun(session: Session, key: StepKey, attempt?: number): boolean {
  const { last } = session.durable.state().pauses;
  const isLast = last?.key === formatKey(key) && (attempt === undefined || last.attempt === attempt - 1);
  return isLast ? last.begun : attempt !== undefined && attempt > 1;
}

/** Who works on an iteration from now on: whoever does already, else the first of the list that may. Undefined: none may. */
export async function chooseAgent(session: Session, talk: Talk, begun: boolean): Promise<string | undefined> {
  const { durable, mask } = session;
  const specs = agentSpecsOf(session, talk.position.stage);
  const { worker } = durable.state().pauses;
  const key = formatKey(talk.key);
  const own = worker?.key === key ? specs.find(spec => mask(spec) === worker.agent) : undefined;
  const free = [...(own === undefined ? [] : [own]), ...specs].find(spec => isFree(session, spec, talk.key));
  if (free === undefined || free === own || specs.length === 1) return free;
  const before = specs.find(spec => mask(spec) === worker?.agent) ?? specs[0];
  if (free === specs[0] && before === free) return free;
  const reason = whyNot(session, before);
  await durable.write({
    ...{ kind: 'agent.chosen', key, agent: mask(free) },
    ...(before !== free && { from: mask(before), ...(reason !== undefined && { reason }) }),
    ...(begun && { begun: true }),
  });
  if (before !== free) tellChange(session, before, free, reason);
  return free;
}

function tellChange({ watcher, mask }: Session, before: string, free: string, reason: string | undefined): void {
  const [from, to] = [agentName(before), agentName(free)];
  watcher.remark({ level: 'info', text: mask(takeoverWords({ agent: to, from, reason })) });
}

const hasAnother = (session: Session, talk: Talk, spec: string): boolean =>
  agentSpecsOf(session, talk.position.stage).some(other => other !== spec && !isSignedOut(session, other, talk.key));

/** An agent that cannot even start ends the session, as it would at its beginning. */
function failedAlone({ isUnavailable, ...end }: Extract<SentTurn, { kind: 'failed' }>): TurnEnd {
  if (isUnavailable) throw new SessionEnd('failed', end.reason, { because: 'agent-unavailable' });
  return end;
}

const isFree = (session: Session, spec: string, iteration: StepKey): boolean =>
  !isSignedOut(session, spec, iteration) && limitOf(session, spec) === undefined;

const isSignedOut = ({ now }: Session, spec: string, iteration: StepKey): boolean =>
  now.signedOut.get(spec)?.iteration === formatKey(iteration);

type Limit = NonNullable<ReturnType<Pauses['limits']['get']>>;

/** The limit of an agent that still lasts. A clock that was set back makes none longer than it was. */
function limitOf({ durable, mask }: Session, spec: string): Limit | undefined {
  const limit = durable.state().pauses.limits.get(mask(spec));
  if (!limit) return undefined;
  const [nowMs, untilMs] = [Date.now(), Date.parse(limit.until)];
  const leftMs = Math.min(untilMs - nowMs, untilMs - Date.parse(limit.at));
  return leftMs > 0 ? { ...limit, until: new Date(nowMs + leftMs).toISOString() } : undefined;
}

/** Of the agents that someone is signed in to. */
function firstFree(session: Session, talk: Talk): LimitRecord {
  const limits = agentSpecsOf(session, talk.position.stage)
    .filter(spec => !isSignedOut(session, spec, talk.key))
    .flatMap(spec => limitOf(session, spec) ?? []);
  const { at: _, ...first } = limits.reduce((one, other) =>
    Date.parse(other.until) < Date.parse(one.until) ? other : one,
  );
  return first;
}

function whyNot(session: Session, spec: string): string | undefined {
  const limit = limitOf(session, spec);
  return limit ? limitText(limit) : session.now.signedOut.get(spec)?.reason;
}

async function noteLimit(
  session: Session,
  spec: string,
  key: StepKey,
  { limit, until, reason, progressed, attempt }: Extract<SentTurn, { kind: 'limited' }>,
): Promise<void> {
  const { durable, mask } = session;
  const begun = progressed || wasBegun(session, key, attempt);
  const agent = mask(spec);
  const inRow = durable.state().pauses.inRow.get(agent) ?? 0;
  await durable.write({
    ...{ kind: 'agent.limited', key: formatKey(key), attempt, agent, limit },
    until: new Date(freeAtMs(until, inRow, Date.now())).toISOString(),
    reason: mask(reason).slice(0, maxReason),
    ...(begun && { begun: true }),
  });
}

const maxReason = 500;

const firstBackoffMs = 5_000;
const lastBackoffMs = 600_000;

/**
 * When an agent is asked again: when it says, but later each time it is limited in a row, for some say a time that has
 * passed or is no use; and doubling from the beginning where it says none. `inRow`: how often it was limited before.
 */
export function freeAtMs(until: string | undefined, inRow: number, nowMs: number, random = Math.random()): number {
  const untilMs = until === undefined ? Number.NaN : Date.parse(until);
  const isSaid = untilMs > nowMs && untilMs <= latestMs;
  if (isSaid && inRow === 0) return untilMs;
  const backoffMs = Math.min(firstBackoffMs * 2 ** Math.min(isSaid ? inRow - 1 : inRow, 20), lastBackoffMs);
  const jitteredMs = nowMs + Math.min(Math.round(backoffMs * (0.75 + random / 2)), lastBackoffMs);
  return isSaid ? Math.max(untilMs, jitteredMs) : jitteredMs;
}

/** The last day that ISO 8601 writes with four digits. */
const latestMs = Date.UTC(9999, 11, 31);
