import type { Engine } from '../engine/engine.ts';
import type { Progress } from '../engine/run-hook.ts';
import type { AgentPort, AgentStart } from '../model/agent.ts';
import type { AnswerControl } from '../model/control.ts';
import type { AroundHook, HookDefinition, HookEvent, HookResult } from '../model/index.ts';
import type { Watcher } from '../model/notice.ts';
import type { PipelinePlan, StageFacts, StagePlan } from '../model/pipeline.ts';
import type { RunMark, SessionSettings } from '../model/record.ts';
import type { StepKey } from '../model/step-key.ts';
import type { SessionFiles } from '../session/paths.ts';
import type { LeftHook } from '../session/state/work.ts';
import type { SessionStore } from '../session/store.ts';
import type { Durable } from './durable.ts';
import type { Engines } from './engines.ts';
import type { Question } from './questions.ts';
import type { Seat } from './seat.ts';
import type { SessionEnd } from './session-end.ts';

/** What the loop needs from outside. */
export interface LoopPorts {
  createEngine(hooks: readonly HookDefinition[], options: EngineNeeds): Engine;
  /** The agent a spec names. Specs were checked before the session began. */
  agentFor(spec: string, options: { watchEdits: boolean; onLog?(line: string): void }): AgentPort;
  watcher: Watcher;
  /** Asks the person at the terminal; `nobody` where there is none. */
  askPerson?(question: string, signal: AbortSignal): Promise<'yes' | 'no' | 'nobody'>;
  /** Opens the door for the agent's tools and for commands. */
  openControl?(answer: AnswerControl): Promise<{ close(): Promise<void> }>;
  /** Questions that agents put to people. */
  requestApproval?: (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalEnd>;
  /** Asks a judge whether a stage is done. */
  askJudge?: (judge: string, facts: StageFacts, signal: AbortSignal) => Promise<JudgeAnswer>;
  mask(text: string): string;
  /** The environment of agents and hooks; it carries the run's mark. */
  env: Readonly<Record<string, string>>;
  /** Takes in what hooks have exported for all that comes after in the session. `known`: the mark of what they left. */
  takeEnvFile?(known: string | undefined): Promise<{ mark: string } | { refused: string }>;
  /** Programs that offer the agent tools. */
  mcpServers: AgentStart['mcpServers'];
  /** The line for `sh` that an agent's own hooks run to reach this session. */
  hookCommand(agent: string): string;
}

export interface EngineNeeds {
  around: AroundHook;
  onProgress(progress: Progress): void;
}

export type JudgeAnswer = { kind: 'judged'; ok: boolean; reason: string } | { kind: 'failed'; reason: string };

export interface ApprovalRequest {
  key: string;
  event: HookEvent;
  question: string;
  title?: string;
  files?: readonly string[];
}

export type ApprovalEnd =
  | { kind: 'answered'; approved: boolean; message: string; by?: string; at?: string }
  | { kind: 'expired' }
  | { kind: 'cancelled' }
  | { kind: 'failed'; reason: string };

/** One session as this process works on it. */
export interface Loop extends LoopParts {
  engines: Engines;
  seat: Seat;
  here: Here;
}

/** What it is put together from. */
export interface LoopParts extends LoopPorts {
  plan: PipelinePlan;
  settings: SessionSettings;
  store: SessionStore;
  /** With its parents' names in front. */
  name: string;
  paths: SessionFiles;
  /** Lets people who look into the session's folder know where it stands. */
  tellState(told: object): void;
  /** Inputs of `--input` and `--set`, or those of a child. */
  values: Readonly<Record<string, unknown>>;
  run: RunMark;
  durable: Durable;
  /** Aborted: somebody wants the session to end now. */
  stop: AbortSignal;
  /** Aborted: no hook may go on. */
  hooksEnd: AbortSignal;
  /** Hooks of project, user and plugin. */
  hooks: readonly HookDefinition[];
  /** What hookloop.yaml says about failed iterations in a row. */
  maxFailures?: number;
  /** Hooks that nobody waited for and that a crash cut off. */
  left: readonly LeftHook[];
  /** How often this session has ended before. */
  closes: number;
  /** How often it has failed before. */
  failures: number;
  /** Aborted: somebody does not even want to wait for the last hooks. */
  atOnce: AbortSignal;
  /** Ends every hook that still runs. */
  endHooks(): void;
}

/** Where the session is just now, for those who come from outside. */
export interface Here {
  scene: Scene;
  /** The last iteration and its conversation. */
  last?: { key: StepKey; scene: Scene; conversation?: string };
  /** The tasks whose gates run just now. */
  checking: Set<string>;
  /** Tasks whose lines are gone from the checklist, and people know it. */
  toldGone: Set<string>;
  /** Questions that people were told of, by the key of the work that waits. */
  asked: Map<string, Question>;
  /** A hook outside of any turn has ended the session. */
  ending?: SessionEnd | undefined;
}

/** Where in the session something happens. */
export interface Scene {
  engine: Engine;
  stage?: StagePlan;
  iteration?: number;
  maxIterations?: number;
  lastDecision?: string;
  task?: { id: string; content: string };
}

export type FinishedResult = Extract<HookResult, { status: 'finished' }>;
