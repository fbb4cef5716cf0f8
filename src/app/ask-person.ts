import { type ControlValues, readApproval } from '../model/control.ts';
import type { Progress } from '../model/index.ts';
import { given } from '../model/json.ts';
import { askSession } from '../session/control/ask-session.ts';
import { sessionWithoutName } from '../session/paths.ts';
import { composeEngine } from './compose.ts';
import type { Where } from './context.ts';
import { openDispatchActions } from './dispatch-actions.ts';
import { fireOutside } from './fire-outside.ts';
import type { NamedSession } from './sessions.ts';

export interface PersonAsked {
  question: string;
  title?: string;
  files?: readonly string[];
}

/** `not-running`: the session has ended meanwhile. */
export type PersonAnswered =
  | ({ kind: 'answered' } & ControlValues['approval'])
  | { kind: 'failed'; reason: string }
  | { kind: 'expired' | 'interrupted' | 'not-running' | 'no-answer' };

export interface AskContext extends Where {
  /** The file that starts hookloop. */
  program: string;
  signal: AbortSignal;
  /** Lines for people. */
  tell(line: string): void;
  /** The question waits under this id. */
  onQuestion(id: string): void;
  /** A hook that would tell a person of it has failed: they may never hear of it. */
  onHookFailed(name: string, reason: string): void;
}

/** Asks a person in a session that runs. */
export async function askInSession({ folder }: NamedSession, asked: PersonAsked): Promise<PersonAnswered> {
  const reply = await askSession(folder, { method: 'approval', ...asked });
  if (reply.kind === 'not-running') return reply;
  if (reply.kind !== 'ok') return { kind: 'failed', reason: reply.reason };
  const answer = readApproval(reply.value);
  return answer ? { kind: 'answered', ...answer } : { kind: 'no-answer' };
}

/** Asks a person outside any session; hooks of approval.requested hear of it. */
export async function askPerson(asked: PersonAsked, context: AskContext): Promise<PersonAnswered> {
  const { cwd, env, signal, tell } = context;
  const { loadApplyingHooks } = await import('../hooks/plan/compile.ts');
  const { places, hooks } = loadApplyingHooks({ cwd, env });
  const session = env['HOOKLOOP_SESSION'] ?? sessionWithoutName;
  const event = { name: 'approval.requested', session, at: new Date().toISOString(), cwd: places.root } as const;
  const opened = openDispatchActions(context, places, event);
  const { mask } = opened;
  const warn = (line: string): void => tell(mask(line));
  const engine = composeEngine({
    ...{ hooks, places, env, mask, warn, relay: warn },
    actions: opened.actions,
    onProgress: progress => signal.aborted || noteFailure(progress, context, mask),
  });
  let heard: Promise<unknown> = Promise.resolve();
  const people = opened.peopleFor(({ id, files }) => {
    context.onQuestion(id);
    const { question, title } = asked;
    const told = given({ ...event, question, title, context: files && { files }, extra: { approval: id } });
    // Hooks get their limit with `finish`, once the person has answered.
    heard = fireOutside(engine, told, undefined, [signal, opened.signal]);
  });
  const end = await people.ask({ event, ...asked }, signal);
  await people.close();
  await opened.finish(heard);
  if (end.kind === 'failed' || end.kind === 'expired') return end;
  if (end.kind !== 'answered') return { kind: 'interrupted' };
  return given({ ...end, message: end.message || undefined });
}

function noteFailure(progress: Progress, { onHookFailed }: AskContext, mask: (text: string) => string): void {
  if (progress.type !== 'finished' || progress.result.status !== 'finished') return;
  const { verdict } = progress.result;
  if (verdict.kind === 'failed') onHookFailed(mask(progress.hook.name), mask(verdict.reason));
}
