import type { Engine } from '../engine/engine.ts';
import type { EnginePorts } from '../engine/run-hook.ts';
import type { AgentPort, AgentStart } from '../model/agent.ts';
import type { AnswerControl } from '../model/control.ts';
import type { Spending } from '../model/event.ts';
import type { AroundHook, HookDefinition, HookEvent, Progress } from '../model/index.ts';
import type { LoopRules } from '../model/limits.ts';
import type { PersonSays, Watcher } from '../model/notice.ts';
import { type PipelinePlan, pipelineHooks, type StageFacts, type StagePlan } from '../model/pipeline.ts';
import type { SessionSettings } from '../model/record.ts';
import type { StepKey } from '../model/step-key.ts';
import type { DayLedger } from '../session/day-ledger.ts';
import type { LeftHook } from '../session/state/work.ts';
import type { Durable } from './durable.ts';
import type { OpenSession } from './open.ts';
import type { SessionEnd } from './session-end.ts';

/** What is true of a session while this process works on it: what it runs, what is done of it, where it is, who ends it. */
export interface Session extends Pick<OpenSession, Opened> {
  durable: Durable;
  /** Hooks of project, user and plugin. */
  hooks: readonly HookDefinition[];
  /** Hooks that no one waited for and that a crash cut off. */
  left: readonly LeftHook[];
  /** What hookloop.yaml says about failed iterations in a row, and about pauses. */
  maxFailures?: number;
  /** What it says of budgets, of no progress and of failed tasks. */
  rules: LoopRules;
  maxWaitMs?: number;
  watcher: Watcher;
  mask(text: string): string;
  /** The environment of agents and hooks; it carries the run's mark. */
  env: Readonly<Record<string, string>>;
  /** Aborted: someone wants the session to end now. */
  stop: AbortSignal;
  /** Aborted: someone does not even want to wait for the last hooks. */
  atOnce: AbortSignal;
  /** Aborted: no hook may go on. */
  hooksEnd: AbortSignal;
  /** Ends every hook that is still running. */
  endHooks(): void;
  outside: Outside;
  now: Now;
}

type Opened = 'plan' | 'settings' | 'store' | 'name' | 'paths' | 'tellState' | 'values' | 'run' | 'lease' | 'stopWish';

/** Whom a session may ask. */
export interface Outside {
  /** Lets the agent's tools and commands reach the session. */
  openControl?(answer: AnswerControl): Promise<{ close(): Promise<void> }>;
  /** Questions that agents put to people. */
  requestApproval?: (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalEnd>;
  /** Asks a judge whether a stage is done. */
  askJudge?: (judge: string, facts: StageFacts, signal: AbortSignal) => Promise<JudgeAnswer>;
  /** What other sessions of the user in this project spend today. */
  dayLedger?: DayLedger;
  /** Takes in what hooks have exported for all that comes after in the session. `known`: the mark of what they left. */
  takeEnvFile?(known: string | undefined): Promise<{ mark: string } | { refused: string }>;
}

/** How the session's agent is started and spoken for. */
export interface AgentPorts {
  /** The agent a spec names. Specs were checked before the session began. */
  agentFor(spec: string, options: { watchEdits: boolean; onLog?(line: string): void }): AgentPort;
  /** Asks the person at the terminal; `no-one` where there is none. */
  askPerson?: ((question: string, signal: AbortSignal) => Promise<PersonSays>) | undefined;
  /** Programs that offer the agent tools. */
  mcpServers: AgentStart['mcpServers'];
  /** The line for `sh` that an agent's own hooks run to reach this session. */
  hookCommand(agent: string): string;
}

/** What the loop needs from outside. */
export interface LoopPorts extends Outside, AgentPorts, Pick<Session, 'watcher' | 'mask' | 'env'> {
  createEngine: CreateEngine;
}

export type CreateEngine = (
  hooks: readonly HookDefinition[],
  needs: { around: AroundHook; onProgress(progress: Progress): void } & Pick<EnginePorts, 'recheck' | 'filesMark'>,
) => Engine;

export type JudgeAnswer = { kind: 'judged'; ok: boolean; reason: string } | { kind: 'failed'; reason: string };

export interface ApprovalRequest {
  key: string;
  event: HookEvent;
  question: string;
  title?: string;
  files?: readonly string[];
  /** How long it waits for an answer; for ever where it is not given. */
  timeoutMs?: number;
}

export type ApprovalEnd =
  | { kind: 'answered'; approved: boolean; message: string; by?: string; at?: string }
  | { kind: 'expired' }
  | { kind: 'cancelled' }
  | { kind: 'failed'; reason: string };

/** Where the session is just now, for those who come from outside. */
export interface Now {
  position: Position;
  /** The last iteration and its conversation. */
  last?: { key: StepKey; position: Position; conversation?: string };
  /** The tasks whose gates are running just now. */
  checking: Set<string>;
  /** Tasks whose lines are gone from the checklist, and people know it. */
  toldGone: Set<string>;
  /** What it has spent by now. */
  spending?: () => Spending;
  /** Agents that no one is signed in to, or that cannot start: the iteration in which that showed, and what they say. */
  signedOut: Map<string, { iteration: string; reason: string }>;
  /** A hook outside any turn has ended the session. */
  ending?: SessionEnd | undefined;
}

/** Where in the session something happens, and whose hooks hear of it. */
export interface Position {
  engine: Engine;
  stage?: StagePlan;
  iteration?: number;
  maxIterations?: number;
  lastDecision?: string;
  task?: { id: string; content: string };
}

/** A question to a person that can be answered from now on. */
export interface Question {
  id: string;
  question: string;
  title?: string;
  files?: readonly { path: string; format: string }[];
  /** Of the work that waits for the answer. */
  key?: string;
  /** ISO time. */
  expires?: string;
}

export const warn = ({ watcher, mask }: Session, text: string): void =>
  watcher.remark({ level: 'warning', text: mask(text) });

/** Every hook that can run anywhere in the session. */
export const hooksOf = ({ plan, hooks }: Session): HookDefinition[] => [...pipelineHooks(plan), ...hooks];

/** A hook as people know it. */
export const nameOf = (session: Session, id: string): string => {
  const hook = hooksOf(session).find(known => known.id === id);
  return hook ? `hook "${hook.name}" (${hook.source.file}:${hook.source.line})` : `hook ${id}`;
};

/** What says which agents work. */
interface Named {
  plan: Pick<PipelinePlan, 'agent' | 'otherAgents'>;
  settings: Pick<SessionSettings, 'agent' | 'otherAgents'>;
}

/** The agents that may work on a stage, as they were named, in the order in which they are wanted. */
export function agentSpecsOf({ plan, settings }: Named, stage: StagePlan | undefined): readonly [string, ...string[]] {
  const { agent = '', otherAgents = [] } = [stage, plan].find(part => part?.agent !== undefined) ?? settings;
  return [agent, ...otherAgents];
}

/** The stage that a piece of work belongs to. */
export const stageOf = ({ plan }: Session, { stage }: StepKey): StagePlan | undefined =>
  stage === undefined ? undefined : plan.stages[stage];

/** What hooks call an agent. */
export const agentName = (spec: string): string => /^[^:]*/.exec(spec)![0];
