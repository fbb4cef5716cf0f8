import { keyOf, stageKey } from '../model/step-key.ts';
import { createControl } from './answer-control.ts';
import { checkpoint, lastCheckpoint, restoreLastRef } from './checkpoints.ts';
import { noteStaged } from './commit-task.ts';
import { announceDone, endWithProof, trustFound } from './done-tasks.ts';
import { type Ended, endSession, keepState, leaveSession, type SessionResult } from './ending.ts';
import { refusalText } from './fire.ts';
import type { Loop } from './loop-parts.ts';
import { compareHooks, resumeLeft, takeExports } from './resume.ts';
import { endedIn, SessionEnd } from './session-end.ts';
import { leaveStage, runStage } from './stage.ts';

/** Runs a session from where its journal stands to its end. Contract: rejects only for bugs. */
export async function runLoop(loop: Loop): Promise<SessionResult> {
  const { session, agent } = loop;
  const control = await session.outside.openControl?.(createControl(loop));
  // A session that is ended at once does not come to its last hooks, where its state would be kept.
  const cutShort = (): void => {
    if (!session.lease.lost.aborted) keepState(session, 'interrupted', { reason: 'at once' });
  };
  session.atOnce.addEventListener('abort', cutShort);
  try {
    const ended = await work(loop);
    await lastCheckpoint(session, `at its end (${ended.status})`);
    return session.lease.lost.aborted ? await leaveSession(loop) : await endSession(loop, ended);
  } finally {
    session.atOnce.removeEventListener('abort', cutShort);
    await control?.close();
    await agent.stop();
  }
}

async function work(loop: Loop): Promise<Ended> {
  const { session, fire } = loop;
  const { engines } = fire;
  try {
    compareHooks(session);
    if (session.stop.aborted) throw endedIn(session, 'before it began');
    await restoreLastRef(session);
    await checkpoint(session, keyOf('before'), 'before the session');
    await noteStaged(session);
    await trustFound(session);
    resumeLeft(loop);
    const position = { engine: engines.session };
    const starting = await fire(position, 'session.starting', { key: keyOf('start') });
    if (starting.decision.kind !== 'proceed')
      throw new SessionEnd('failed', `the session may not start: ${refusalText(starting)}`, { at: keyOf('start') });
    await takeExports(session);
    await announceDone(loop, position);
    for (const stage of session.plan.stages) {
      keepState(session, 'running', { stage: stage.id });
      const engine = engines.of(stage);
      const end = await session.durable.whole(stageKey(stage.index), () => runStage(loop, stage, engine));
      leaveStage(session, stage, engine, end);
    }
    await endWithProof(loop, position);
    return { status: 'completed' };
  } catch (error) {
    if (error instanceof SessionEnd) return error;
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    return new SessionEnd('failed', `the session's files cannot be used: ${message}`);
  }
}
