import { setTimeout as delay } from 'node:timers/promises';
import { maskDeep } from '../hooks/secrets/mask.ts';
import type { SessionSummary } from '../model/notice.ts';
import type { SessionStatus } from '../model/record.ts';
import { formatKey, keyOf, partOf, type StepKey } from '../model/step-key.ts';
import { givenPrompt } from '../session/iteration.ts';
import { iterationsOf } from '../session/state/stages.ts';
import { toSummary } from '../session/state/state.ts';
import { allTasks } from './board.ts';
import { giveUpClaims } from './done-tasks.ts';
import { fire } from './fire.ts';
import { goneTasks, tellGone } from './gone-tasks.ts';
import type { Loop, Scene } from './loop.ts';
import { SessionEnd } from './session-end.ts';
import { keepState } from './state.ts';
import { say } from './turns.ts';

export type Ended = { status: 'completed' } | SessionEnd;

export interface SessionResult {
  status: SessionStatus;
  reason?: string;
  because?: SessionEnd['because'];
  summary: SessionSummary;
}

/** Hooks of the end have so long once somebody wants it, all of them together. */
const lastHooksMs = 10_000;
/** Hooks that nobody waited for have so long at the end. */
const backgroundMs = 5_000;
const pendingKinds = ['next-iteration', 'next-prompt', 'turn-end'] as const;

/** Everything after the last iteration: the last events, the last message to the agent, the last record. */
export async function endSession(loop: Loop, ended: Ended): Promise<SessionResult> {
  const scene = lastScene(loop);
  loop.durable.lastHooks();
  let end = ended;
  await giveUp(loop, end);
  if (end.status !== 'interrupted') {
    end = await tellEnd(loop, scene, end);
    // The last message may have led to another tick, which no gate will be asked about.
    await giveUp(loop, end);
  } else await loop.seat.stop();
  await fireEnded(loop, scene, end);
  await settle(loop);
  await close(loop, end);
  keepState(loop, end.status, { reason: reasonOf(end) });
  return result(loop, end);
}

/** Before anybody hears of the end: hooks and people see the checklist as it counts. */
async function giveUp(loop: Loop, end: Ended): Promise<void> {
  if (end.status === 'interrupted') return;
  try {
    await giveUpClaims(loop, reasonOf(end) ?? 'its gates refused it');
    tellGone(loop);
  } catch (error) {
    // The checklist or the journal cannot be used; why is told where the session ends.
    if (!(error instanceof SessionEnd)) throw error;
  }
}

const reasonOf = (end: Ended): string | undefined => (end instanceof SessionEnd ? end.message : undefined);

function lastScene(loop: Loop): Scene {
  const { stage, maxIterations, lastDecision } = loop.here.scene;
  return {
    engine: loop.engines.session,
    ...(stage && { stage }),
    ...(maxIterations !== undefined && { maxIterations }),
    ...(lastDecision !== undefined && { lastDecision }),
    iteration: iterationsOf(loop.durable.state().stages),
  };
}

/**
 * Names what belongs to this end. A session that failed and is resumed ends a second time; one that was interrupted in
 * its end goes on with it, but whoever hears of interrupts hears of each.
 */
const endKey = ({ closes, failures }: Loop, { status }: Ended, part: string): StepKey =>
  keyOf(`end${status === 'interrupted' ? closes : failures}`, status, part);

async function tellEnd(loop: Loop, scene: Scene, end: Ended): Promise<Ended> {
  const name = end.status === 'completed' ? 'session.completed' : 'session.failed';
  const error = reasonOf(end);
  const fields = {
    status: end.status,
    duration: Math.round(loop.durable.state().workedMs),
    ...(error !== undefined && { error }),
  };
  try {
    await fire(loop, scene, name, { key: endKey(loop, end, 'told'), fields });
    if (!loop.durable.lost()) await deliverPending(loop, scene, end);
    const lost = loop.durable.lost();
    return lost && end.status === 'completed' ? await tellEnd(loop, scene, lost) : end;
  } catch (later) {
    if (!(later instanceof SessionEnd)) throw later;
    if (later === loop.durable.lost() && end.status === 'completed') return tellEnd(loop, scene, later);
    // The first failure is the one that matters.
    return end instanceof SessionEnd && later.status === 'failed' && later.because === undefined ? end : later;
  }
}

/** What the agent has still to hear goes into the conversation it had last. */
async function deliverPending(loop: Loop, scene: Scene, end: Ended): Promise<void> {
  const key = endKey(loop, end, 'delivery');
  const { last } = loop.here;
  if (!last) return;
  const isBegun = loop.durable.isDone(partOf(key, 'text'));
  if (!isBegun && end.status !== 'completed' && !loop.seat.hasConversation()) return;
  // What only comments on the last turn is no reason for another.
  if (!isBegun && !loop.durable.hasPending(['next-iteration'])) return;
  const text = await loop.durable.take(partOf(key, 'text'), pendingKinds);
  if (text === '') return;
  const prompt = givenPrompt(loop.paths, last.scene) ?? text;
  const talk = { ...last, scene: { ...last.scene, engine: scene.engine }, prompt };
  const said = await say(loop, talk, key, { text }, []);
  if (said.kind === 'failed')
    loop.watcher.remark({ level: 'warning', text: `the last hook output did not reach the agent: ${said.reason}` });
}

async function fireEnded(loop: Loop, scene: Scene, end: Ended): Promise<void> {
  const limit = limitAfter(loop.stop);
  const signal = AbortSignal.any([loop.atOnce, limit.signal]);
  const error = reasonOf(end);
  const fields = {
    status: end.status,
    duration: Math.round(loop.durable.state().workedMs),
    ...(error !== undefined && { error }),
  };
  try {
    await fire(loop, scene, 'session.ended', { key: endKey(loop, end, 'ended'), fields, signal });
  } catch (failure) {
    if (!(failure instanceof SessionEnd)) throw failure;
  } finally {
    limit.clear();
  }
}

/** Whoever asks for the end when it has come waits for its hooks as well, and not longer. */
function limitAfter(stop: AbortSignal): { signal: AbortSignal; clear(): void } {
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => limit.abort(), lastHooksMs);
  };
  if (stop.aborted) begin();
  else stop.addEventListener('abort', begin, { once: true });
  return {
    signal: limit.signal,
    clear() {
      stop.removeEventListener('abort', begin);
      clearTimeout(timer);
    },
  };
}

/** Hooks in the background get some time and are stopped then. */
async function settle(loop: Loop): Promise<void> {
  const settled = Promise.all(loop.engines.all().map(engine => engine.settle()));
  const late = new AbortController();
  const waitMs = loop.stop.aborted ? 0 : backgroundMs;
  await Promise.race([settled, delay(waitMs, undefined, { signal: late.signal }).catch(() => {})]);
  late.abort();
  loop.endHooks();
  await settled.catch(() => {});
}

async function close(loop: Loop, end: Ended): Promise<void> {
  const reason = reasonOf(end);
  const at = end instanceof SessionEnd && end.status === 'failed' ? end.at : undefined;
  try {
    await loop.durable.write({
      kind: 'session.closed',
      status: end.status,
      ...(reason !== undefined && { reason: loop.mask(reason) }),
      ...(at && { failedIn: formatKey(at) }),
    });
  } catch (error) {
    if (!(error instanceof SessionEnd)) throw error;
    const text = `${error.message}; results of the hooks that ran at its end are not kept`;
    loop.watcher.remark({ level: 'error', text: loop.mask(text) });
  }
}

function result(loop: Loop, end: Ended): SessionResult {
  const { status } = end;
  const reason = reasonOf(end);
  const said = reason === undefined ? {} : { reason: loop.mask(reason) };
  const summary: SessionSummary = {
    status,
    ...said,
    ...toSummary(loop.durable.state(), loop.plan, status),
    ...(maskDeep(tasksOrNone(loop), loop.mask) as Pick<SessionSummary, 'tasks' | 'gone'>),
    ...(status !== 'completed' && { resume: `hookloop resume ${loop.paths.name}` }),
  };
  loop.watcher.notice({ type: 'session.summary', at: new Date().toISOString(), session: loop.paths.name, ...summary });
  return { status, ...said, ...(end instanceof SessionEnd && end.because && { because: end.because }), summary };
}

/** The checklist may be gone by now, which must not hide how the session ended. */
function tasksOrNone(loop: Loop): Pick<SessionSummary, 'tasks' | 'gone'> {
  try {
    const gone = goneTasks(loop);
    return { tasks: allTasks(loop), ...(gone.length > 0 && { gone }) };
  } catch {
    return { tasks: [] };
  }
}
