import type { AnswerControl, ControlReply, ControlRequest } from '../model/control.ts';
import type { HookEvent } from '../model/index.ts';
import { firingOf, formatKey, inRun, parseKey, type StepKey } from '../model/step-key.ts';
import { writeStatus } from '../session/iteration.ts';
import { addTask, changeTask, type TaskChange, type TaskWord } from '../session/tasks.ts';
import { allTasks, isListed } from './board.ts';
import { answerHost } from './bridge.ts';
import { announce, doneIn, markDone, whileChecking } from './done-tasks.ts';
import { type Fields, fire, refusalText } from './fire.ts';
import type { Loop, Scene } from './loop.ts';
import { tellAnswer } from './questions.ts';
import { SessionEnd } from './session-end.ts';

/**
 * Answers the agent's tools and people's commands while the session runs. Changes are made one after another, and so are
 * the gates run; but no change waits for a hook, since hooks ask for changes themselves.
 */
export function createControl(loop: Loop): AnswerControl {
  let count = 0;
  const lanes = { change: createLane(), gates: createGateLane() };
  /** Names what is asked for: numbered in this run, since a question that a crash cut off is not asked again by itself. */
  const nextKey = (): StepKey => {
    count += 1;
    return inRun(loop.run.number, `c${count}`);
  };
  return async (request, signal, from) => {
    const desk: Desk = { loop, scene: loop.here.scene, key: nextKey(), signal, from, ...lanes };
    const answer = answers[request.method] as (desk: Desk, request: ControlRequest) => Promise<ControlReply>;
    try {
      return await answer(desk, request);
    } catch (error) {
      if (!(error instanceof SessionEnd)) throw error;
      endTurn(loop, error);
      return refuse(error.message);
    }
  };
}

interface Desk {
  loop: Loop;
  scene: Scene;
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

type GateLane = <T>(asked: Pick<Desk, 'key' | 'from'>, check: () => Promise<T>) => Promise<T>;

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
    desk: Desk,
    request: Extract<ControlRequest, { method: Method }>,
  ) => Promise<ControlReply>;
} = {
  'task.list': async ({ loop }) => ok(allTasks(loop)),
  'task.add': ({ loop, change: inTurn }, { content }) =>
    inTurn(async () => {
      const added = addTask(loop.durable.tasks(), content);
      if (added.kind !== 'record') return refuse(added.kind === 'refused' ? added.reason : 'nothing to add');
      await loop.durable.changeTask(added.record);
      return ok({ id: added.record.id });
    }),
  'task.start': async (desk, { id }) =>
    change(desk, { kind: 'task.started', id }, task => refusable(desk, 'task.starting', task)),
  'task.drop': async (desk, { id, reason }) =>
    change(desk, { kind: 'task.dropped', id, ...(reason !== undefined && { reason: desk.loop.mask(reason) }) }),
  'task.done': async (desk, { id, summary }) => {
    const record = { ...doneIn(desk.scene, id), ...(summary !== undefined && { summary: desk.loop.mask(summary) }) };
    if (desk.loop.here.checking.has(id)) return refuse(`task ${id} is being checked just now; its gates decide`);
    const reply = await change(desk, record, task =>
      desk.gates(desk, () => whileChecking(desk.loop, id, () => refusable(desk, 'task.completing', task))),
    );
    if (reply.kind === 'ok' && !isUnchanged(reply)) await announce(desk.loop, desk.scene, taskOf(desk.loop, id));
    return reply;
  },
  'task.post': async (desk, { id, status, value, error }) => {
    const { loop, scene } = desk;
    if (loop.here.checking.has(id)) return refuse(`task ${id} is being checked just now; its gates decide`);
    const found = changeTask(loop.durable.tasks(), { kind: 'task.done', id }, known => isListed(loop, known));
    if (found.kind !== 'record') return withoutChange(found, id);
    const task = taskOf(loop, id);
    if (status === 'error') {
      const reason = loop.mask(error ?? 'a hook could not do it');
      await desk.change(() => loop.durable.changeTask({ kind: 'task.failed', id, reason, inRun: loop.run.number }));
      return ok({ id });
    }
    const refusal = await desk.gates(desk, () =>
      whileChecking(loop, id, () => refusable(desk, 'task.completing', task)),
    );
    if (refusal !== '') return refuse(refusal);
    await desk.change(() => markDone(loop, scene, task, value === undefined ? undefined : JSON.parse(value)));
    await announce(loop, scene, task);
    return ok({ id });
  },
  score: async ({ loop, scene, key }, { score, target }) => {
    const fields: Fields = { score, ...(target !== undefined && { target }) };
    const result = await fire(loop, scene, 'score.recorded', { key, fields });
    return ok({ score, ...(target !== undefined && { target }), feedback: result.feedback });
  },
  host: async ({ loop }, request) => answerHost(loop, request),
  finish: async ({ loop }, { decision, reason, summary }) => {
    writeStatus(loop.paths.current.status, {
      decision,
      ...(reason !== undefined && { reason: loop.mask(reason) }),
      ...(summary !== undefined && { summary: loop.mask(summary) }),
    });
    return ok({ decision });
  },
  approval: async ({ loop, scene, key, signal }, { question, title, files }) => {
    if (!loop.requestApproval) return refuse('approvals are not available here');
    const { stage, iteration } = scene;
    const event: HookEvent = {
      name: 'approval.requested',
      session: loop.paths.name,
      ...(stage && { stage: stage.id }),
      ...(iteration !== undefined && { iteration }),
    };
    const asked = {
      key: formatKey(key),
      event,
      question,
      ...(title !== undefined && { title }),
      ...(files && { files }),
    };
    const end = await loop.requestApproval(asked, signal);
    if (end.kind === 'answered') {
      const { approved, message, by, at } = end;
      const who = by !== undefined && { by: loop.mask(by) };
      const when = at !== undefined && { at };
      const answer = { action: approved ? 'approve' : 'reject', message: loop.mask(message), ...who } as const;
      loop.durable.remember(key, { ...answer, ...when });
      tellAnswer(loop, formatKey(key), answer);
      return ok({ approved, message, ...who, ...when });
    }
    if (end.kind === 'failed') return refuse(end.reason);
    return refuse(end.kind === 'expired' ? 'nobody answered in time' : 'nobody waits for the answer any more');
  },
};

async function change(
  { loop, change: inTurn }: Desk,
  record: TaskWord,
  mayChange: (task: { id: string; content: string }) => Promise<string> = async () => '',
): Promise<ControlReply> {
  const look = () => changeTask(loop.durable.tasks(), record, id => isListed(loop, id));
  const found = look();
  if (found.kind !== 'record') return withoutChange(found, record.id);
  const refusal = await mayChange(taskOf(loop, record.id));
  if (refusal !== '') return refuse(refusal);
  return inTurn(async () => {
    // While the hooks ran somebody else may have been here.
    const now = look();
    if (now.kind !== 'record') return withoutChange(now, record.id);
    await loop.durable.changeTask(now.record);
    return ok({ id: record.id });
  });
}

const isUnchanged = ({ value }: Extract<ControlReply, { kind: 'ok' }>): boolean =>
  (value as { unchanged?: true }).unchanged === true;

const withoutChange = (found: Exclude<TaskChange, { kind: 'record' }>, id: string): ControlReply =>
  found.kind === 'refused' ? refuse(found.reason) : ok({ id, unchanged: true });

async function refusable({ loop, scene, key }: Desk, name: 'task.starting' | 'task.completing', task: Scene['task']) {
  const refusal = refusalText(await fire(loop, { ...scene, ...(task && { task }) }, name, { key }));
  if (refusal !== '' && task && name === 'task.completing')
    await loop.durable.changeTask({ kind: 'task.refused', id: task.id, text: refusal });
  return refusal;
}

function taskOf(loop: Loop, id: string): { id: string; content: string } {
  const { content } = allTasks(loop).find(task => task.id === id) ?? { content: id };
  return { id, content };
}

/** A hook that ends the session while the agent is at work ends the agent's turn. */
function endTurn(loop: Loop, error: SessionEnd): void {
  const turn = loop.seat.present();
  if (!turn) {
    loop.here.ending ??= error;
    return;
  }
  turn.ending ??= error;
  turn.turnEnd.abort();
}
