import type { LimitRecord, SessionEntry } from '../../model/record.ts';
import { iterationOf } from '../../model/step-key.ts';
import type { PauseView } from '../../model/view.ts';

/** Which agents may not go on, who works meanwhile, and the pause of a session in which no one may. */
export interface Pauses {
  /** The last limit of each agent; `at`: when it was told. */
  limits: Map<string, LimitRecord & { at: string }>;
  /** How often each was limited, and the length of the pauses, with no turn completed in between. */
  inRow: Map<string, number>;
  waitedMs: number;
  /** The last turn that ended limited. */
  last?: { key: string; attempt: number; begun: boolean };
  /** How many there were; a pause goes on until its end is told, whatever process waits. */
  count: number;
  now?: OpenPause;
  /** Who works on which iteration, where there is a choice. `told`: it was sent something since. */
  worker?: { key: string; agent: string; from?: string; reason?: string; begun: boolean; told: boolean };
  /** Who did something last, and in which iteration; `agent` is absent where there was no choice yet. */
  doer?: { key: string; agent?: string };
  /** The last words of an agent, and the iteration they belong to. */
  said?: { key: string; text: string };
}

export type OpenPause = LimitRecord & { key: string; at: string };

export const newPauses = (): Pauses => ({ limits: new Map(), inRow: new Map(), waitedMs: 0, count: 0 });

export function foldPauses(pauses: Pauses, entry: SessionEntry): void {
  switch (entry.kind) {
    case 'agent.limited': {
      const { key, attempt, begun = false, at, ...limit } = entry;
      pauses.limits.set(entry.agent, { ...limitOf(limit), at });
      pauses.inRow.set(entry.agent, (pauses.inRow.get(entry.agent) ?? 0) + 1);
      pauses.last = { key, attempt, begun };
      break;
    }
    case 'agent.chosen': {
      const { key, agent, from, reason, begun = false } = entry;
      const takesOver = from !== undefined && { from, ...(reason !== undefined && { reason }) };
      pauses.worker = { key, agent, ...takesOver, begun, told: false };
      break;
    }
    case 'agent.prompt':
      if (pauses.worker && iterationOf(entry.key) === pauses.worker.key) pauses.worker.told = true;
      break;
    case 'agent.tool':
      noteDoer(pauses, entry.key);
      break;
    case 'agent.message':
      noteDoer(pauses, entry.key);
      pauses.said = { key: iterationOf(entry.key) ?? entry.key, text: entry.text };
      break;
    case 'pause.started':
      pauses.count += 1;
      pauses.now = { key: entry.key, at: entry.at, ...limitOf(entry) };
      break;
    case 'pause.ended':
      endPause(pauses);
      break;
    case 'step.done':
      if (isTurn(entry.key) && (entry.value as { kind?: unknown } | undefined)?.kind !== 'failed') {
        pauses.inRow.clear();
        pauses.waitedMs = 0;
      }
      break;
    case 'session.closed':
      // Whoever resumes a failed session wants it to begin anew, and to wait as long as it may.
      if (entry.status !== 'failed') break;
      pauses.waitedMs = 0;
      delete pauses.now;
      break;
  }
}

function noteDoer(pauses: Pauses, turn: string): void {
  const key = iterationOf(turn) ?? turn;
  const { worker } = pauses;
  pauses.doer = { key, ...(worker?.key === key && { agent: worker.agent }) };
}

/** As in `s0/i3/work/t0`. */
export const isTurn = (key: string): boolean => /\/t\d+$/.test(key);

/** As others see it, if it lasts longer than that. */
export const toPauseView = ({ now }: Pauses, atMs: number): PauseView | undefined =>
  now && Date.parse(now.until) > atMs ? viewOf(now) : undefined;

const viewOf = (now: OpenPause): PauseView => ({
  ...{ since: now.at, until: now.until, kind: now.limit, reason: now.reason, agent: now.agent },
});

function endPause(pauses: Pauses): void {
  const { now } = pauses;
  if (!now) return;
  delete pauses.now;
  const untilMs = Date.parse(now.until);
  pauses.waitedMs += Math.max(0, untilMs - Date.parse(now.at));
  // It is over, whatever the clock says by now.
  pauses.limits.delete(now.agent);
  for (const [agent, { until }] of pauses.limits) if (Date.parse(until) <= untilMs) pauses.limits.delete(agent);
}

const limitOf = ({ agent, limit, until, reason }: LimitRecord): LimitRecord => ({ agent, limit, until, reason });
