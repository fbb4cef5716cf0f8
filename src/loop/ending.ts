import { setTimeout as delay } from 'node:timers/promises';
import { maskDeep } from '../model/mask.ts';
import type { SessionSummary, StageSummary } from '../model/notice.ts';
import type { SessionStatus } from '../model/record.ts';
import { formatKey, keyOf, partOf, type StepKey } from '../model/step-key.ts';
import { onCancel } from '../platform/cancel.ts';
import { givenPrompt } from '../session/iteration-files.ts';
import { iterationsOf } from '../session/state/stages.ts';
import { toSummary } from '../session/state/state.ts';
import { giveUpClaims } from './done-tasks.ts';
import type { Fields } from './fire.ts';
import type { Loop } from './loop-parts.ts';
import { allTasks, goneTasks, tellGone } from './open-tasks.ts';
import { type Position, type Session, warn } from './session.ts';
import { SessionEnd } from './session-end.ts';
import { say } from './turns.ts';

export type Ended = { status: 'completed' } | SessionEnd;

export interface SessionResult {
  status: SessionStatus;
  reason?: string;
  because?: SessionEnd['because'];
  summary: SessionSummary;
}

/** How long the hooks of the end may take, all of them together, once someone has asked for it. */
const lastHooksMs = 10_000;
/** How long hooks that no one waited for may still take at the end. */
const backgroundMs = 5_000;
const pendingKinds = ['next-iteration', 'next-prompt', 'turn-end'] as const;

/** Everything after the last iteration: the last events, the last message to the agent, the last record. */
export async function endSession(loop: Loop, ended: Ended): Promise<SessionResult> {
  const { session, agent } = loop;
  const position = lastPosition(loop);
  session.durable.beginEnding();
  loop.budgets.beginEnding();
  let end = ended;
  await giveUp(session, end);
  if (!isCut(end)) {
    end = await tellEnd(loop, position, end);
    // The last message may have led to another tick, which no gate will be asked about.
    await giveUp(session, end);
  } else await agent.stop();
  await fireEnded(loop, position, end);
  await settle(loop);
  const budgets = loop.budgets.areSet ? { budgets: loop.budgets.all() } : {};
  await close(session, end, budgets);
  if (session.lease.lost.aborted) return leaveSession(loop);
  keepState(session, end.status, { reason: reasonOf(end) });
  return result(session, end, budgets);
}

/** Another process has the session and will end it: here only what was started for it ends. */
export async function leaveSession(loop: Loop): Promise<SessionResult> {
  await loop.agent.stop();
  await settle(loop);
  return result(
    loop.session,
    new SessionEnd('failed', 'another process has taken over this session', { because: 'taken' }),
  );
}

/** Before anyone hears of the end: hooks and people see the checklist as it counts. */
async function giveUp(session: Session, end: Ended): Promise<void> {
  if (isCut(end)) return;
  try {
    await giveUpClaims(session, reasonOf(end) ?? 'its gates refused it');
    tellGone(session);
  } catch (error) {
    // The checklist or the journal cannot be used; why is told where the session ends.
    if (!(error instanceof SessionEnd)) throw error;
  }
}

/** Someone wanted it to end before it came to one of its own. */
const isCut = ({ status }: Ended): boolean => status === 'stopped' || status === 'interrupted';

const reasonOf = (end: Ended): string | undefined => (end instanceof SessionEnd ? end.message : undefined);

function lastPosition({ session, fire }: Loop): Position {
  const { stage, maxIterations, lastDecision } = session.now.position;
  return {
    engine: fire.engines.session,
    ...(stage && { stage }),
    ...(maxIterations !== undefined && { maxIterations }),
    ...(lastDecision !== undefined && { lastDecision }),
    iteration: iterationsOf(session.durable.state().stages),
  };
}

/**
 * Names what belongs to this end. A session that failed and is resumed ends a second time; one that was stopped or
 * interrupted in its end goes on with it, but whoever hears of that hears of each.
 */
const endKey = ({ durable }: Session, end: Ended, part: string): StepKey => {
  const { closes, failures } = durable.state();
  return keyOf(`end${isCut(end) ? closes : failures}`, end.status, part);
};

async function tellEnd(loop: Loop, position: Position, end: Ended): Promise<Ended> {
  const { session, fire } = loop;
  const name = end.status === 'completed' ? 'session.completed' : 'session.failed';
  try {
    await fire(position, name, { key: endKey(session, end, 'told'), fields: endFields(session, end) });
    if (!session.durable.failure()) await deliverPending(loop, position, end);
    const lost = session.durable.failure();
    return lost && end.status === 'completed' ? await tellEnd(loop, position, lost) : end;
  } catch (later) {
    if (!(later instanceof SessionEnd)) throw later;
    if (later === session.durable.failure() && end.status === 'completed') return tellEnd(loop, position, later);
    // The first failure is the one that matters.
    return end instanceof SessionEnd && later.status === 'failed' && later.because === undefined ? end : later;
  }
}

function endFields({ durable }: Session, end: Ended): Fields {
  const error = reasonOf(end);
  const duration = Math.round(durable.state().workedMs);
  return { status: end.status, duration, ...(error !== undefined && { error }) };
}

/** What the agent has still to hear goes into the conversation it had last. */
async function deliverPending(loop: Loop, position: Position, end: Ended): Promise<void> {
  const { session, agent } = loop;
  const key = endKey(session, end, 'delivery');
  const { last } = session.now;
  if (!last) return;
  const isBegun = session.durable.isDone(partOf(key, 'text'));
  if (!isBegun && end.status !== 'completed' && !agent.isOpen()) return;
  // What only comments on the last turn is no reason for another.
  if (!isBegun && !session.durable.pending.hasAny(['next-iteration'])) return;
  const text = await session.durable.pending.take(partOf(key, 'text'), pendingKinds);
  if (text === '') return;
  session.watcher.remark({
    level: 'info',
    text: 'hooks have something left for the agent: it goes there in one last prompt',
  });
  const prompt = givenPrompt(session.paths, last.position) ?? text;
  const talk = { ...last, position: { ...last.position, engine: position.engine }, prompt, isLast: true as const };
  const said = await say(loop, talk, key, { text }, []);
  if (said.kind !== 'ended') warn(session, `the last hook output did not reach the agent: ${said.reason}`);
}

async function fireEnded({ session, fire }: Loop, position: Position, end: Ended): Promise<void> {
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // Whoever asks for the end when it has come waits for its hooks as well, and not longer.
  const setLimit = (): void => {
    timer = setTimeout(() => limit.abort(), lastHooksMs);
  };
  if (session.stop.aborted) setLimit();
  const ignoreStop = onCancel(session.stop, setLimit);
  const signal = AbortSignal.any([session.atOnce, limit.signal]);
  const fields = endFields(session, end);
  try {
    await fire(position, 'session.ended', { key: endKey(session, end, 'ended'), fields, signal });
  } catch (failure) {
    if (!(failure instanceof SessionEnd)) throw failure;
  } finally {
    ignoreStop();
    clearTimeout(timer);
  }
}

/** Hooks in the background get some time and are stopped then. */
async function settle({ session, fire }: Loop): Promise<void> {
  const settled = Promise.all(fire.engines.all().map(engine => engine.settle()));
  const late = new AbortController();
  const waitMs = session.stop.aborted ? 0 : backgroundMs;
  await Promise.race([settled, delay(waitMs, undefined, { signal: late.signal }).catch(() => {})]);
  late.abort();
  session.endHooks();
  await settled.catch(() => {});
}

async function close(session: Session, end: Ended, budgets: Pick<SessionSummary, 'budgets'>): Promise<void> {
  const reason = reasonOf(end);
  const at = end instanceof SessionEnd && end.status === 'failed' ? end.at : undefined;
  try {
    await session.durable.write({
      kind: 'session.closed',
      status: end.status,
      ...(reason !== undefined && { reason: session.mask(reason) }),
      ...(at && { failedIn: formatKey(at) }),
      ...budgets,
    });
  } catch (error) {
    if (!(error instanceof SessionEnd)) throw error;
    const text = `${error.message}; results of the hooks that ran at its end are not kept`;
    session.watcher.remark({ level: 'error', text: session.mask(text) });
  }
}

function result(session: Session, end: Ended, budgets: Pick<SessionSummary, 'budgets'> = {}): SessionResult {
  const { status } = end;
  const reason = reasonOf(end);
  const because = end instanceof SessionEnd ? end.because : undefined;
  const said = reason === undefined ? {} : { reason: session.mask(reason) };
  const summary: SessionSummary = {
    status,
    ...said,
    ...toSummary(session.durable.state(), session.plan, status),
    ...budgets,
    ...(maskDeep(tasksOrNone(session), session.mask) as Pick<SessionSummary, 'tasks' | 'gone'>),
    ...(status !== 'completed' && because !== 'taken' && { resume: `hookloop resume ${session.paths.name}` }),
  };
  session.watcher.notice({
    type: 'session.summary',
    at: new Date().toISOString(),
    session: session.paths.name,
    ...summary,
  });
  return { status, ...said, ...(because && { because }), summary };
}

/** The checklist may be gone by now, which must not hide how the session ended. */
function tasksOrNone(session: Session): Pick<SessionSummary, 'tasks' | 'gone'> {
  try {
    const gone = goneTasks(session);
    return { tasks: allTasks(session), ...(gone.length > 0 && { gone }) };
  } catch {
    return { tasks: [] };
  }
}

interface Told {
  /** The stage that is at work. */
  stage?: string;
  reason?: string | undefined;
}

/** Writes state.json: where the session stands, for whoever looks into its folder. Everything in it follows from the journal. */
export function keepState(session: Session, status: SessionStatus | 'running', { stage, reason }: Told): void {
  const { paths, plan, run, durable, tellState } = session;
  const now = new Date();
  const { stages } = toSummary(durable.state(), plan, status === 'running' ? 'interrupted' : status);
  try {
    tellState({
      session: paths.name,
      pipeline: plan.name,
      status,
      ...(reason !== undefined && { reason: session.mask(reason) }),
      pid: run.pid,
      at: now.toISOString(),
      stages: status === 'running' ? stages.map(each => ({ ...each, status: stageStatusOf(each, stage) })) : stages,
    });
  } catch {
    // Nothing depends on it, and the journal has said what there is to say.
  }
}

/** Of a session that goes on no stage is skipped or interrupted for good. */
const stageStatusOf = (
  { stage, status }: StageSummary,
  current: string | undefined,
): StageSummary['status'] | 'running' | 'waiting' =>
  status === 'completed' ? status : stage === current ? 'running' : 'waiting';
