import { join, relative } from 'node:path';
import { markVariable } from '../actions/process/stop.ts';
import { createInSessionHooks, lifeEventNames } from '../hosts/in-session.ts';
import { gitEventNames } from '../hosts/native-events.ts';
import type { Conversation, LimitedTurn, RunningAgent, Turn } from '../model/agent.ts';
import { longestTimerMs } from '../model/duration.ts';
import type { EventName } from '../model/index.ts';
import { given } from '../model/json.ts';
import { formatKey, inRun, partOf, type StepKey } from '../model/step-key.ts';
import { joinSignals, onCancel } from '../platform/cancel.ts';
import { dropHalfStatus, watchStatusUsage } from '../session/iteration-files.ts';
import { totalUsage, withReport } from '../session/state/usage.ts';
import { createTurnRecord } from './agent-record.ts';
import type { Budgets } from './budgets.ts';
import type { Fire } from './fire.ts';
import { createListener } from './listener.ts';
import { RunningTurn } from './running-turn.ts';
import { type AgentPorts, agentSpecsOf, type Position, type Session, stageOf } from './session.ts';
import { endedIn } from './session-end.ts';
import { type Stall, stallWatchFor } from './stall-watch.ts';
import { type AgentLog, createAgentLog, createTranscript } from './transcript.ts';

type Opened =
  /** `isNew`: nothing was said in it yet. `anew`: there was a conversation before, and it is lost. */
  { kind: 'open'; isNew: boolean; anew: boolean } | LimitedTurn | FailedTurn;

/** `spec`: the agent, as it was named. `conversation`: its id, where that is known from before. */
interface ToOpen {
  spec: string;
  position: Position;
  key: StepKey;
  conversation?: string;
}

interface TurnOptions {
  key: StepKey;
  position: Position;
  attempt: number;
}

/** `progressed`: the agent has used a tool or changed a file. */
export type TurnEnd =
  | { kind: 'ended'; text: string; progressed: boolean }
  /** It was cancelled for what the agent did in it; the reason is for the agent. */
  | { kind: 'stopped'; reason: string; progressed: boolean }
  | { kind: 'failed'; reason: string; progressed: boolean }
  /** It was cancelled, since the agent made no progress in it. */
  | ({ kind: 'stalled'; progressed: boolean } & Stall)
  /** It was cancelled, since its task may spend no more. */
  | { kind: 'given-up'; reason: string; progressed: boolean };

/** `signedOut`: no one is signed in to the agent. `isUnavailable`: it cannot even start. */
interface FailedTurn {
  kind: 'failed';
  reason: string;
  progressed: boolean;
  signedOut?: true;
  isUnavailable?: true;
}

/** How one attempt of a turn ended. */
export type SentTurn =
  | Exclude<TurnEnd, { kind: 'failed' }>
  | FailedTurn
  | (LimitedTurn & { progressed: boolean; attempt: number });

/** The conversation that is open, and the iteration it belongs to. */
interface Current {
  spec: string;
  key: StepKey;
  agent: RunningAgent;
  conversation: Conversation;
}

export type SessionAgent = ReturnType<typeof createSessionAgent>;

/** The session's agent: one process at a time, and in it the conversation of the present iteration. */
export function createSessionAgent(session: Session, fire: Fire, budgets: Budgets, ports: AgentPorts) {
  const { durable, mask, paths, settings } = session;
  let current: Current | undefined;
  let running: { spec: string; agent: RunningAgent } | undefined;
  /** The conversations of an iteration that this process has opened, by their keys: each agent that works on it has its own. */
  let opened = new Map<string, string>();
  const known = (key: StepKey): string | undefined =>
    opened.get(formatKey(key)) ?? (durable.known(key) as string | undefined);
  const isCurrent = (key: StepKey): boolean => current !== undefined && formatKey(current.key) === formatKey(key);
  const agentLog = createAgentLog(join(paths.folder, 'agent.log'), mask);
  const file = join(paths.folder, 'transcript.jsonl');
  const transcript = createTranscript({ file, session: paths.name, cwd: settings.root, mask });

  const tellUsage = (): void => {
    const id = current?.conversation.id;
    const known = durable.state().usage;
    const now = withReport(id === undefined ? undefined : known.get(id), (turn ?? pause)?.record.usage() ?? {});
    const total = totalUsage(id === undefined ? known : new Map(known).set(id, now));
    if (!total) return;
    const context = given({ contextUsed: now.contextUsed, contextSize: now.contextSize });
    session.watcher.notice({
      ...{ type: 'agent.usage', at: new Date().toISOString(), session: paths.name },
      ...total,
      ...context,
      ...(budgets.areSet && { budgets: budgets.all() }),
    });
  };
  let watched: ReturnType<Budgets['begin']> | undefined;
  const onUsage = (): void => {
    tellUsage();
    watched?.check();
  };
  const recordOf = (key: StepKey) =>
    createTurnRecord(durable, transcript, key, {
      ...{ onUsage, conversation: () => current?.conversation.id, isCounted: budgets.areSet },
    });

  let turn: RunningTurn | undefined;
  let pause: RunningTurn | undefined;
  let pauses = 0;
  /** The turn that is running, or the pause between two: agents do things in it too, and hooks hear of them. */
  const turnOrPause = (): RunningTurn => {
    if (turn) return turn;
    if (!pause) {
      pauses += 1;
      // Numbered in this run: what a crash cut off here is not told again.
      const key = inRun(session.run.number, `p${pauses}`);
      pause = new RunningTurn({ session, fire }, key, recordOf(key));
    }
    return pause;
  };
  const listener = createListener({ session, fire, askPerson: ports.askPerson }, turnOrPause);

  const stop = async (): Promise<void> => {
    const agent = running?.agent;
    [running, current] = [undefined, undefined];
    await agent?.stop();
  };

  const endIfStopped = async (): Promise<void> => {
    if (!session.stop.aborted) return;
    await stop();
    throw endedIn(session, 'while the agent was started');
  };

  const start = async (spec: string, position: Position): Promise<{ agent: RunningAgent } | FailedTurn> => {
    if (running?.spec === spec && running.agent.isAlive()) return running;
    await running?.agent.stop();
    running = undefined;
    await endIfStopped();
    const { engine } = position;
    // Where hooks may refuse the end of a turn, it counts whether the agent made progress in it.
    const watchEdits = engine.listensTo('file.edited') || engine.listensTo('turn.ending');
    // It may still be running in later stages.
    const engines = [engine, ...session.plan.stages.map(fire.engines.of)];
    const isWanted = (name: EventName): boolean => engines.some(({ listensTo }) => listensTo(name));
    const port = ports.agentFor(spec, { watchEdits, onLog: agentLog.add });
    const giveUp = new AbortController();
    // Only while it starts: later it is asked to end its turn first.
    const ignoreStop = onCancel(session.stop, () => giveUp.abort());
    const started = await port.start({
      cwd: settings.root,
      env: agentEnv(session),
      listener,
      mcpServers: ports.mcpServers,
      ...(toldByHooks.some(isWanted) && {
        inSessionHooks: createInSessionHooks(ports.hookCommand, join(paths.folder, 'agent-hooks'), isWanted),
      }),
      signal: giveUp.signal,
    });
    ignoreStop();
    if (started.kind === 'started') running = { spec, agent: started.agent };
    await endIfStopped();
    if (started.kind === 'started') return started;
    if (started.kind === 'failed') return failing(started.reason);
    const reason = [started.reason, started.hint].filter(Boolean).join('; ');
    return { kind: 'failed', reason, progressed: false, signedOut: true, isUnavailable: true };
  };

  const failing = (reason: string, signedOut?: true): FailedTurn => {
    showLast(session, agentLog);
    return { kind: 'failed', reason, progressed: false, ...(signedOut && { signedOut }) };
  };

  return {
    /** Opens the iteration's conversation, or goes on with it. */
    async open({ spec, position, key, conversation: earlier }: ToOpen): Promise<Opened> {
      if (isCurrent(key) && current!.spec === spec && current!.agent.isAlive())
        return { kind: 'open', isNew: false, anew: false };
      const started = await start(spec, position);
      if (!('agent' in started)) return started;
      const own = conversationOf(session, key, spec);
      const before = known(own) ?? earlier;
      const signal = session.stop;
      const conversed = await started.agent.converse({ signal, ...(before !== undefined && { resume: before }) });
      await endIfStopped();
      if (conversed.kind === 'limited') return conversed;
      if (conversed.kind === 'failed') return failing(conversed.reason, conversed.signedOut);
      const { conversation, resumed } = conversed;
      if (!isCurrent(key)) opened = new Map();
      current = { spec, key, agent: started.agent, conversation };
      opened.set(formatKey(own), conversation.id);
      if (conversation.id !== before) durable.remember(own, conversation.id);
      return { kind: 'open', isNew: !resumed, anew: before !== undefined && !resumed };
    },
    async prompt(texts: readonly string[], { key, position, attempt }: TurnOptions): Promise<SentTurn> {
      const { conversation } = current!;
      const turnKey = partOf(key, `a${attempt}`);
      const own = new RunningTurn({ session, fire }, turnKey, recordOf(turnKey), position);
      own.stallWatch = stallWatchFor(session, position, () => own.turnEnd.signal);
      turn = own;
      pause = undefined;
      own.record.prompted(texts.join('\n\n'));
      const statusUsage = watchStatusUsage(paths.current.status);
      const timer = deadline(settings.turnTimeoutMs, own.turnEnd);
      const { signal, clear } = joinSignals(session.stop, own.turnEnd.signal);
      const watch = budgets.begin(own, turnKey, conversation.id, position);
      watched = watch;
      try {
        const end = await conversation.prompt(texts, { signal, env: turnEnv(position) });
        // What is told at its end is no reason to cancel it.
        watched = undefined;
        listener.endMessage(own.calledAnyway !== undefined);
        const tokens = end.kind === 'ended' ? end.tokens : undefined;
        own.record.ended(conversation.id, tokens ? { tokens } : statusUsage());
        if (session.stop.aborted) throw endedIn(session, 'during a turn of the agent');
        if (own.ending) throw own.ending;
        const { calledAnyway, progressed } = own;
        const over = await watch.end();
        if (over !== undefined) return { kind: 'given-up', reason: over, progressed };
        if (own.stalled && calledAnyway === undefined) return { kind: 'stalled', ...own.stalled, progressed };
        if (calledAnyway !== undefined) return { kind: 'stopped', reason: stoppedFor(calledAnyway), progressed };
        if (end.kind === 'limited') {
          dropHalfStatus(paths.current.status);
          return { ...end, progressed, attempt };
        }
        const ending = endingOf(end, settings.turnTimeoutMs);
        if (ending.kind === 'failed') showLast(session, agentLog);
        else agentLog.takeLast();
        return { ...ending, progressed };
      } finally {
        clear();
        clearTimeout(timer);
        watch.leave();
        watched = undefined;
        turn = undefined;
      }
    },
    isOpen: (): boolean => current?.agent.isAlive() ?? false,
    /** The id of the iteration's conversation, if it has one. */
    idOf: (key: StepKey): string | undefined =>
      isCurrent(key) ? current!.conversation.id : known(conversationOf(session, key)),
    turnOrPause,
    stop,
  };
}

/** Names the conversation of an agent, or of the one that works on it, in an iteration. */
function conversationOf(session: Session, key: StepKey, spec?: string): StepKey {
  const { worker } = session.durable.state().pauses;
  const masked = spec === undefined ? (worker?.key === formatKey(key) ? worker.agent : undefined) : session.mask(spec);
  const at = agentSpecsOf(session, stageOf(session, key)).findIndex(known => session.mask(known) === masked);
  return partOf(key, at > 0 ? `conversation${at}` : 'conversation');
}

/** Of what an agent's own hooks can tell a session. */
const toldByHooks: readonly EventName[] = [
  ...(['tool.calling', 'tool.called', 'tool.failed', 'file.edited'] as const),
  ...gitEventNames,
  ...lifeEventNames,
];

const stoppedFor = (tool: string): string =>
  `Your turn was cancelled: you called ${tool}, which a hook refuses, and the refusal came after the call was made. Undo what it has changed, and go on without it.`;

type Ending = { kind: 'ended'; text: string } | { kind: 'failed'; reason: string; signedOut?: true };

function endingOf(turn: Exclude<Turn, { kind: 'limited' }>, timeoutMs: number | null): Ending {
  if (turn.kind === 'failed')
    return { kind: 'failed', reason: turn.reason, ...(turn.signedOut && { signedOut: true }) };
  if (turn.kind === 'cancelled')
    return { kind: 'failed', reason: `the turn took longer than ${(timeoutMs ?? 0) / 1000} s and was cancelled` };
  if (turn.stopReason === 'refusal')
    return { kind: 'failed', reason: `the model refused: ${turn.text || 'no reason'}` };
  return { kind: 'ended', text: turn.text };
}

/** What a failed agent printed is all that there may be to say why. */
function showLast({ watcher, settings: { root } }: Session, log: AgentLog): void {
  const lines = log.takeLast();
  if (lines.length === 0) return;
  const head = `the agent failed; its output is in ${relative(root, log.file)} and ends with`;
  const shown = lines.map(line => `        | ${line.slice(0, maxShown)}`);
  watcher.remark({ level: 'warning', text: [head, ...shown].join('\n') });
}

const maxShown = 200;

const deadline = (timeoutMs: number | null, turnEnd: AbortController): NodeJS.Timeout | undefined =>
  timeoutMs === null ? undefined : setTimeout(() => turnEnd.abort(), Math.min(timeoutMs, longestTimerMs));

const agentEnv = ({ env, paths, run }: Session): Record<string, string> => ({
  ...env,
  SESSION: paths.name,
  PROGRESS: paths.progress,
  STATUS: paths.current.status,
  CTX: paths.current.context,
  HOOKLOOP_SESSION: paths.name,
  HOOKLOOP_SESSION_DIR: paths.folder,
  [markVariable]: env[markVariable] ?? run.mark,
});

const turnEnv = ({ stage, iteration, maxIterations }: Position): Record<string, string> => ({
  STAGE: stage?.id ?? '',
  ITERATION: String(iteration ?? ''),
  MAX_ITERATIONS: String(maxIterations ?? ''),
});
