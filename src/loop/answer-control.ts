import type { AnswerControl, ControlReply, ControlRequest } from '../model/control.ts';
import { given } from '../model/json.ts';
import { firingOf, formatKey, inRun, parseKey, type StepKey } from '../model/step-key.ts';
import { writeStatus } from '../session/iteration-files.ts';
import { addTask, changeTask, type TaskChange, type TaskWord } from '../session/tasks.ts';
import { askPerson } from './ask-person.ts';
import { announce, doneIn, markDone, whileChecking } from './done-tasks.ts';
import { type Fields, refusalText, tellAnswer } from './fire.ts';
import { answerWithSessionHooks } from './in-session-hooks.ts';
import type { Loop } from './loop-parts.ts';
import { allTasks, isListed, type Named, taskNamed } from './open-tasks.ts';
import type { Position, Session } from './session.ts';
import { SessionEnd } from './session-end.ts';

/**
 * Answers the agent's tools and people's commands while the session runs. Changes are made one after another, and so are
 * the gates run; but no change waits for a hook, since hooks ask for changes themselves.
 */
export function createControl(loop: Loop): AnswerControl {
  const { session } = loop;
  let count = 0;
  const lanes = { change: createLane(), gates: createGateLane() };
  /** Names what is asked for: numbered in this run, since a question that a crash cut off is not asked again by itself. */
  const nextKey = (): StepKey => {
    count += 1;
    return inRun(session.run.number, `c${count}`);
  };
  return async (request, signal, from) => {
    const asked: Asked = { loop, session, position: session.now.position, key: nextKey(), signal, from, ...lanes };
    const answer = answers[request.method] as (asked: Asked, request: ControlRequest) => Promise<ControlReply>;
    try {
      return await answer(asked, request);
    } catch (error) {
      if (!(error instanceof SessionEnd)) throw error;
      // A hook that ends the session while the agent is at work ends the agent's turn.
      loop.agent.turnOrPause().end(error);
      return refuse(error.message);
    }
  };
}

/** What someone asks for, and where the session was then. */
interface Asked {
  loop: Loop;
  session: Session;
  position: Position;
  key: StepKey;
  signal: AbortSignal;
  /** The hook's run in which it is asked. */
  from: string | undefined;
  change: Lane;
  gates: GateLane;
}

/** One after another. */
type Lane = <T>(work: () => Promise<T>) => Promise<T>;

function createLane(): Lane {
  let busy: Promise<unknown> = Promise.resolve();
  return work => {
    const next = busy.then(work, work);
    busy = next.catch(() => {});
    return next;
  };
}

type GateLane = <T>(asked: Pick<Asked, 'key' | 'from'>, check: () => Promise<T>) => Promise<T>;

/** Gates run one after another. But those that a gate itself asks for run at once: it waits for them. */
function createGateLane(): GateLane {
  const inTurn = createLane();
  const running = new Set<string>();
  return ({ key, from }, check) => {
    const asked = formatKey(key);
    const run = async () => {
      running.add(asked);
      try {
        return await check();
      } finally {
        running.delete(asked);
      }
    };
    return from !== undefined && running.has(formatKey(firingOf(parseKey(from)))) ? run() : inTurn(run);
  };
}

const ok = (value: unknown): ControlReply => ({ kind: 'ok', value });
const refuse = (reason: string): ControlReply => ({ kind: 'refused', reason });

const answers: {
  [Method in ControlRequest['method']]: (
    asked: Asked,
    request: Extract<ControlRequest, { method: Method }>,
  ) => Promise<ControlReply>;
} = {
  'task.list': async ({ session }) => ok(allTasks(session)),
  'task.add': ({ session, change: inTurn }, { content }) =>
    inTurn(async () => {
      const added = addTask(session.durable.tasks(), content);
      if (added.kind !== 'record') return refuse(added.kind === 'refused' ? added.reason : 'nothing to add');
      await session.durable.changeTask(added.record);
      return ok({ id: added.record.id });
    }),
  'task.start': async (asked, { id }) =>
    change(asked, { kind: 'task.started', id }, task => refusable(asked, 'task.starting', task)),
  'task.drop': async (asked, { id, reason }) =>
    change(asked, { kind: 'task.dropped', id, ...(reason !== undefined && { reason: asked.session.mask(reason) }) }),
  'task.done': async (asked, { id, summary }) => {
    const record = {
      ...doneIn(asked.position, id),
      ...(summary !== undefined && { summary: asked.session.mask(summary) }),
    };
    if (asked.session.now.checking.has(id)) return refuseChecked(id);
    const reply = await change(asked, record, task => refusalByGates(asked, task));
    if (reply.kind === 'ok' && !isUnchanged(reply))
      await announce(asked.loop, asked.position, taskNamed(asked.session, id));
    return reply;
  },
  'task.post': async (asked, { id, status, value, error }) => {
    const { loop, session, position } = asked;
    if (session.now.checking.has(id)) return refuseChecked(id);
    const found = changeTask(session.durable.tasks(), { kind: 'task.done', id }, known => isListed(session, known));
    if (found.kind !== 'record') return withoutChange(found, id);
    const task = taskNamed(session, id);
    if (status === 'error') {
      const reason = session.mask(error ?? 'a hook could not do it');
      await asked.change(() =>
        session.durable.changeTask({ kind: 'task.failed', id, reason, inRun: session.run.number }),
      );
      return ok({ id });
    }
    const refusal = await refusalByGates(asked, task);
    if (refusal !== '') return refuse(refusal);
    await asked.change(() => markDone(session, position, task, value === undefined ? undefined : JSON.parse(value)));
    await announce(loop, position, task);
    return ok({ id });
  },
  score: async ({ loop, position, key }, { score, target }) => {
    const fields: Fields = { score, ...(target !== undefined && { target }) };
    const result = await loop.fire(position, 'score.recorded', { key, fields });
    return ok({ score, ...(target !== undefined && { target }), feedback: result.feedback });
  },
  host: async ({ loop }, request) => answerWithSessionHooks(loop, request),
  stop: async ({ session }, { after = 'now' }) => {
    session.stopWish.want(after);
    return ok({ after });
  },
  finish: async ({ session }, { decision, reason, summary }) => {
    writeStatus(session.paths.current.status, {
      decision,
      ...(reason !== undefined && { reason: session.mask(reason) }),
      ...(summary !== undefined && { summary: session.mask(summary) }),
    });
    return ok({ decision });
  },
  approval: async ({ session, position, key, signal }, { question, title, files }) => {
    const asked = given({ key: formatKey(key), question, title, files });
    const end = await askPerson(session, position, asked, signal);
    if (!end) return refuse('approvals are not available here');
    if (end.kind === 'answered') {
      const { approved, message, by, at } = end;
      const who = by !== undefined && { by: session.mask(by) };
      const when = at !== undefined && { at };
      const answer = { action: approved ? 'approve' : 'reject', message: session.mask(message), ...who } as const;
      tellAnswer(session, formatKey(key), answer);
      session.durable.remember(key, { ...answer, ...when });
      return ok({ approved, message, ...who, ...when });
    }
    if (end.kind === 'failed') return refuse(end.reason);
    return refuse(end.kind === 'expired' ? 'no one answered in time' : 'no one is waiting for the answer any more');
  },
};

async function change(
  { session, change: inTurn }: Asked,
  record: TaskWord,
  mayChange: (task: Named) => Promise<string> = async () => '',
): Promise<ControlReply> {
  const look = () => changeTask(session.durable.tasks(), record, id => isListed(session, id));
  const found = look();
  if (found.kind !== 'record') return withoutChange(found, record.id);
  const refusal = await mayChange(taskNamed(session, record.id));
  if (refusal !== '') return refuse(refusal);
  return inTurn(async () => {
    // While the hooks ran someone else may have been here.
    const now = look();
    if (now.kind !== 'record') return withoutChange(now, record.id);
    await session.durable.changeTask(now.record);
    return ok({ id: record.id });
  });
}

const isUnchanged = ({ value }: Extract<ControlReply, { kind: 'ok' }>): boolean =>
  (value as { unchanged?: true }).unchanged === true;

const withoutChange = (found: Exclude<TaskChange, { kind: 'record' }>, id: string): ControlReply =>
  found.kind === 'refused' ? refuse(found.reason) : ok({ id, unchanged: true });

/** What hooks have against it; nothing where they let it happen. */
async function refusable(
  { loop, session, position, key }: Asked,
  name: 'task.starting' | 'task.completing',
  task: Named,
): Promise<string> {
  const result = await loop.fire({ ...position, task }, name, { key });
  const refusal = refusalText(result);
  session.durable.notes.feedback(key, refusal, result);
  return refusal;
}

/** As `refusable`, once all other gates have run; what they refuse is not done. */
const refusalByGates = (asked: Asked, task: Named): Promise<string> =>
  asked.gates(asked, () =>
    whileChecking(asked.session, task.id, async () => {
      const refusal = await refusable(asked, 'task.completing', task);
      if (refusal !== '') await asked.session.durable.changeTask({ kind: 'task.refused', id: task.id, text: refusal });
      return refusal;
    }),
  );

const refuseChecked = (id: string): ControlReply => refuse(`task ${id} is being checked right now; its gates decide`);
