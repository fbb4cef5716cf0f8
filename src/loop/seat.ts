import { join, relative } from 'node:path';
import { joinSignals, onCancel } from '../actions/process/cancel.ts';
import { markVariable } from '../actions/process/stop.ts';
import { gitEventNames } from '../hosts/git-events.ts';
import { createInSessionHooks } from '../hosts/in-session.ts';
import type { Conversation, RunningAgent, Turn } from '../model/agent.ts';
import type { StagePlan } from '../model/pipeline.ts';
import { formatKey, partOf, type StepKey } from '../model/step-key.ts';
import { type AgentLog, createAgentLog } from './agent-log.ts';
import type { Attendance } from './attendance.ts';
import { createListener } from './listener.ts';
import type { Loop, Scene } from './loop.ts';
import { createPause } from './pause.ts';
import { SessionEnd } from './session-end.ts';
import { createToldCalls } from './told-calls.ts';
import { createTranscript, type Transcript } from './transcript.ts';

/** Where the agent sits: one process at a time, and in it the conversation of the present iteration. */
export interface Seat {
  /** Opens the iteration's conversation, or takes it up again. */
  open(talk: { scene: Scene; key: StepKey; conversation?: string }): Promise<Opened>;
  /** The id of the iteration's conversation, if it has one. */
  conversationOf(key: StepKey): string | undefined;
  prompt(texts: readonly string[], turn: TurnOptions): Promise<SeatTurn>;
  /** What hooks call the agent of a stage. */
  agentName(stage: StagePlan | undefined): string;
  hasConversation(): boolean;
  /** What happens in the turn that is on, for others who ask in its name; undefined between turns. */
  present(): Attendance | undefined;
  /** The turn that is on, or the pause between two: agents do things in it too, and hooks hear of them. */
  attending(): Attendance;
  stop(): Promise<void>;
}

export type Opened =
  /** `anew`: there was a conversation before, and it is lost. */
  { kind: 'open'; anew: boolean; resumed: boolean } | { kind: 'failed'; reason: string };

export interface TurnOptions {
  key: StepKey;
  scene: Scene;
  attempt: number;
}

/** `progressed`: the agent has used a tool or changed a file. */
export type SeatTurn =
  | { kind: 'ended'; text: string; progressed: boolean }
  /** It was cancelled for what the agent did in it; the reason is for the agent. */
  | { kind: 'stopped'; reason: string; progressed: boolean }
  | { kind: 'failed'; reason: string; progressed: boolean };

interface Place {
  key: StepKey;
  spec: string;
  agent: RunningAgent;
  conversation: Conversation;
}

/** The loop holds the seat and the seat looks at the loop, so it is given when asked for. */
export function createSeat(loopOf: () => Loop): Seat {
  let place: Place | undefined;
  let running: { spec: string; agent: RunningAgent } | undefined;
  let present: Attendance | undefined;
  const specOf = (stage: StagePlan | undefined): string => {
    const { plan, settings } = loopOf();
    return stage?.agent ?? plan.agent ?? settings.agent;
  };
  const known = (key: StepKey): string | undefined =>
    loopOf().durable.known(partOf(key, 'conversation')) as string | undefined;
  const isPlaceOf = (key: StepKey): boolean => place !== undefined && formatKey(place.key) === formatKey(key);
  let log: AgentLog | undefined;
  const agentLog = (): AgentLog => {
    log ??= createAgentLog(join(loopOf().paths.folder, 'agent.log'), loopOf().mask);
    return log;
  };

  let written: Transcript | undefined;
  const transcript = (): Transcript => {
    const { paths, settings, mask } = loopOf();
    const file = join(paths.folder, 'transcript.jsonl');
    written ??= createTranscript({ file, session: paths.name, cwd: settings.root, mask });
    return written;
  };
  let pause: Attendance | undefined;
  let pauses = 0;
  const attending = (): Attendance => {
    if (present) return present;
    if (!pause) pauses += 1;
    pause ??= createPause(loopOf(), pauses, transcript());
    return pause;
  };
  const listener = createListener(loopOf, { present: () => present, attending });

  const start = async (scene: Scene): Promise<{ agent: RunningAgent } | { failed: string }> => {
    const loop = loopOf();
    const spec = specOf(scene.stage);
    if (running?.spec === spec && running.agent.isAlive()) return running;
    await running?.agent.stop();
    running = undefined;
    await endIfStopped();
    const { engine } = scene;
    // Whether the agent gets anywhere matters to those who do not let it stop.
    const watchEdits = engine.listensTo('file.edited') || engine.listensTo('turn.ending');
    const port = loop.agentFor(spec, { watchEdits, onLog: line => agentLog().add(line) });
    const giveUp = new AbortController();
    // Later an agent is asked to end its turn, and stopped only then.
    const ignoreStop = onCancel(loop.stop, () => giveUp.abort());
    const started = await port.start({
      cwd: loop.settings.root,
      env: agentEnv(loop),
      listener,
      mcpServers: loop.mcpServers,
      ...(watchesTools(scene) && {
        inSessionHooks: createInSessionHooks(loop.hookCommand, join(loop.paths.folder, 'agent-hooks')),
      }),
      signal: giveUp.signal,
    });
    ignoreStop();
    if (started.kind === 'started') running = { spec, agent: started.agent };
    await endIfStopped();
    if (started.kind === 'unavailable')
      throw new SessionEnd('failed', [started.reason, started.hint].filter(Boolean).join('; '), {
        because: 'agent-unavailable',
      });
    return started.kind === 'failed' ? { failed: started.reason } : started;
  };

  const endIfStopped = async (): Promise<void> => {
    if (!loopOf().stop.aborted) return;
    await seat.stop();
    throw new SessionEnd('interrupted', 'while the agent was started');
  };

  const failing = (reason: string): Opened => {
    showLast(loopOf(), agentLog());
    return { kind: 'failed', reason };
  };

  const seat: Seat = {
    async open({ scene, key, conversation: earlier }) {
      if (isPlaceOf(key) && place!.agent.isAlive()) return { kind: 'open', anew: false, resumed: false };
      const started = await start(scene);
      if ('failed' in started) return failing(started.failed);
      const before = isPlaceOf(key) ? place!.conversation.id : (known(key) ?? earlier);
      const signal = loopOf().stop;
      const conversed = await started.agent.converse({ signal, ...(before !== undefined && { resume: before }) });
      await endIfStopped();
      if (conversed.kind === 'failed') return failing(conversed.reason);
      const { conversation, resumed } = conversed;
      place = { key, spec: specOf(scene.stage), agent: started.agent, conversation };
      if (conversation.id !== before) loopOf().durable.remember(partOf(key, 'conversation'), conversation.id);
      return { kind: 'open', anew: before !== undefined && !resumed, resumed };
    },
    async prompt(texts, { key, scene, attempt }) {
      const loop = loopOf();
      const conversation = place!.conversation;
      const turnEnd = new AbortController();
      const attendance: Attendance = {
        scene,
        key: partOf(key, `a${attempt}`),
        count: 0,
        progressed: false,
        turnEnd,
        transcript: transcript(),
        calls: createToldCalls(loop.settings.root),
      };
      present = attendance;
      pause = undefined;
      attendance.transcript.prompted(texts.join('\n\n'));
      const timer = deadline(loop.settings.turnTimeoutMs, turnEnd);
      const { signal, clear } = joinSignals(loop.stop, turnEnd.signal);
      try {
        const turn = await conversation.prompt(texts, { signal, env: turnEnv(scene) });
        listener.endMessage(attendance.calledAnyway !== undefined);
        if (loop.stop.aborted) throw new SessionEnd('interrupted', 'during a turn of the agent');
        if (attendance.ending) throw attendance.ending;
        const { calledAnyway, progressed } = attendance;
        if (calledAnyway !== undefined) return { kind: 'stopped', reason: stoppedFor(calledAnyway), progressed };
        const ending = toSeatTurn(turn, loop.settings.turnTimeoutMs);
        if (ending.kind === 'failed') showLast(loop, agentLog());
        else agentLog().takeLast();
        return { ...ending, progressed: attendance.progressed };
      } finally {
        clear();
        clearTimeout(timer);
        present = undefined;
      }
    },
    agentName: stage => /^[^:]*/.exec(specOf(stage))![0],
    hasConversation: () => place?.agent.isAlive() ?? false,
    conversationOf: key => (isPlaceOf(key) ? place!.conversation.id : known(key)),
    present: () => present,
    attending,
    async stop() {
      const agent = running?.agent;
      [running, place] = [undefined, undefined];
      await agent?.stop();
    },
  };
  return seat;
}

const watchesTools = ({ engine }: Scene): boolean =>
  (['tool.calling', 'tool.called', 'tool.failed', 'file.edited', ...gitEventNames] as const).some(engine.listensTo);

const stoppedFor = (tool: string): string =>
  `Your turn was cancelled: you called ${tool}, which a hook refuses, and the refusal came after the call was made. Undo what it has changed, and go on without it.`;

type Ending = { kind: 'ended'; text: string } | { kind: 'failed'; reason: string };

function toSeatTurn(turn: Turn, timeoutMs: number | null): Ending {
  if (turn.kind === 'failed') return { kind: 'failed', reason: turn.reason };
  if (turn.kind === 'cancelled')
    return { kind: 'failed', reason: `the turn took longer than ${(timeoutMs ?? 0) / 1000} s and was cancelled` };
  if (turn.stopReason === 'refusal')
    return { kind: 'failed', reason: `the model refused: ${turn.text || 'no reason'}` };
  return { kind: 'ended', text: turn.text };
}

/** What a failed agent printed is all that there may be to say why. */
function showLast({ watcher, settings: { root } }: Loop, log: AgentLog): void {
  const lines = log.takeLast();
  if (lines.length === 0) return;
  const head = `the agent has failed; ${relative(root, log.file)} has what it printed, which ends with`;
  const shown = lines.map(line => `        | ${line.slice(0, maxShown)}`);
  watcher.remark({ level: 'warning', text: [head, ...shown].join('\n') });
}

const maxShown = 200;

/** Longer timers than Node has do not exist: they would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

const deadline = (timeoutMs: number | null, turnEnd: AbortController): NodeJS.Timeout | undefined =>
  timeoutMs === null ? undefined : setTimeout(() => turnEnd.abort(), Math.min(timeoutMs, longestTimerMs));

const agentEnv = ({ env, paths, run }: Loop): Record<string, string> => ({
  ...env,
  SESSION: paths.name,
  PROGRESS: paths.progress,
  STATUS: paths.current.status,
  CTX: paths.current.context,
  HOOKLOOP_SESSION: paths.name,
  HOOKLOOP_SESSION_DIR: paths.folder,
  [markVariable]: env[markVariable] ?? run.mark,
});

const turnEnv = ({ stage, iteration, maxIterations }: Scene): Record<string, string> => ({
  STAGE: stage?.id ?? '',
  ITERATION: String(iteration ?? ''),
  MAX_ITERATIONS: String(maxIterations ?? ''),
});
