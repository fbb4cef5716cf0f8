import type { Decision, Refusal } from './decision.ts';
import type { HookEvent } from './event.ts';

/** A way to run a coding agent. Contract: `start` never rejects; what is missing is told with how to get it. */
export interface AgentPort {
  name: string;
  /** What it needs and is not there, as far as that shows before it is started. */
  missing?(environment: AgentEnvironment): Unavailable | undefined;
  start(options: AgentStart): Promise<AgentStarted>;
}

/** Who works: an agent, and those that take over while it is limited, as files and commands name them. */
export interface NamedAgents {
  agent?: string;
  otherAgents?: readonly string[];
}

/** One, or a list in which the first is wanted most. */
export function namedAgents(written: string | readonly string[] | undefined): NamedAgents {
  const [agent, ...others] = new Set(typeof written === 'string' ? [written] : written);
  return agent === undefined ? {} : { agent, ...(others.length > 0 && { otherAgents: others }) };
}

/** Where an agent is started. */
export interface AgentEnvironment {
  /** The project's root. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

export interface Unavailable {
  kind: 'unavailable';
  reason: string;
  hint?: string;
}

export type AgentStarted = { kind: 'started'; agent: RunningAgent } | Unavailable | { kind: 'failed'; reason: string };

export interface AgentStart {
  /** The project's root, absolute. */
  cwd: string;
  /** The whole environment of the agent's process. */
  env: Readonly<Record<string, string>>;
  listener: AgentListener;
  /** Programs that offer the agent tools, for agents that take them. */
  mcpServers: readonly {
    name: string;
    command: string;
    args: readonly string[];
    env: Readonly<Record<string, string>>;
  }[];
  /**
   * Has the agent's own hooks call the session, where its hooks want to know of tools more exactly than the protocol tells.
   * Contract: rejects with file errors.
   */
  inSessionHooks?(agent: string, env: Readonly<Record<string, string>>): Promise<InSessionHooks>;
  /** Aborted: the agent and everything it started ends. */
  signal: AbortSignal;
}

/** With what an agent is started so that its own hooks call the session, for its process alone. */
export interface InSessionHooks {
  env?: Readonly<Record<string, string>>;
  args?: readonly string[];
  /** Goes with every new conversation. */
  meta?: Readonly<Record<string, unknown>>;
  /** Hooks tell of each tool call before it is made. */
  hooksTell?: true;
}

export interface AgentListener {
  /** A tool is about to be called, and the agent waits for the answer. `known`: what `calling` has said of the call. */
  ask(event: HookEvent<'tool.calling'>, known?: Decision): Promise<Decision>;
  /** A tool is called, and the agent does not wait: a refusal may come too late. */
  calling(event: HookEvent<'tool.calling'>): Promise<Decision>;
  /** A call that was refused is made all the same. Contract: what is wrong with it has reached the agent, or its turn is cancelled. */
  calledAnyway(event: HookEvent<'tool.calling'>, refusal: Refusal): Promise<void>;
  /** Something has happened. Told one by one, in order; a turn ends only when all of it has been taken. */
  tell(
    event: HookEvent<'tool.called' | 'tool.failed' | 'file.edited' | 'context.compacting' | 'context.compacted'>,
  ): Promise<void>;
  /** For people to see. */
  show(activity: AgentActivity): void;
}

export type AgentActivity =
  | { kind: 'message'; text: string }
  | { kind: 'thought'; text: string }
  | { kind: 'tool'; id: string; title: string; status: 'pending' | 'running' | 'completed' | 'failed' }
  /** Replaces what was told before. */
  | { kind: 'usage'; usage: Usage }
  | { kind: 'log'; text: string };

/** What a conversation has used so far, as far as the agent tells. */
export interface Usage {
  tokens?: Tokens;
  /** Tokens in the model's context now, and how many fit. */
  contextUsed?: number;
  contextSize?: number;
  cost?: Cost;
}

/** What a session has used in all its conversations. */
export interface UsageTotal {
  tokens: Tokens;
  /** One a currency. */
  costs: readonly Cost[];
}

export interface Tokens {
  input: number;
  output: number;
  /** Of the input, those that were not read anew. */
  cached?: number;
}

export function addTokens(before: Tokens | undefined, { input, output, cached }: Tokens): Tokens {
  const known = before?.cached === undefined && cached === undefined;
  return {
    input: (before?.input ?? 0) + input,
    output: (before?.output ?? 0) + output,
    ...(!known && { cached: (before?.cached ?? 0) + (cached ?? 0) }),
  };
}

export interface Cost {
  amount: number;
  /** An ISO 4217 code, or another unit such as `credits`. */
  currency: string;
}

export interface RunningAgent {
  /**
   * A fresh conversation, or an earlier one resumed; `resumed` is false where the agent could not do that.
   * `signal` aborted: it is given up at once, and whoever aborted it stops the agent.
   */
  converse(options?: { resume?: string; signal?: AbortSignal }): Promise<Conversed>;
  isAlive(): boolean;
  /** Ends the process and everything it started. */
  stop(): Promise<void>;
}

/** `signedOut`: no one is signed in, as far as the agent says so. */
export type Conversed =
  | { kind: 'open'; conversation: Conversation; resumed: boolean }
  | LimitedTurn
  | { kind: 'failed'; reason: string; signedOut?: true };

/** The agent may not go on for now. `until`: ISO 8601, where it says so. `reason`: what it said. */
export interface LimitedTurn {
  kind: 'limited';
  limit: LimitKind;
  until?: string;
  reason: string;
}

export interface Conversation {
  id: string;
  /**
   * Sends one message of several texts and waits for the end of the turn. `env` is for agents that are one process a prompt.
   * Contract: settles even when the agent's process dies, and never rejects.
   */
  prompt(
    texts: readonly string[],
    options: { signal: AbortSignal; env?: Readonly<Record<string, string>> },
  ): Promise<Turn>;
}

export type Turn =
  /** `tokens`: of this turn alone. */
  | { kind: 'ended'; text: string; stopReason: string; tokens?: Tokens }
  | { kind: 'cancelled' }
  | LimitedTurn
  | { kind: 'failed'; reason: string; agentDied: boolean; signedOut?: true };

/** `usage`: what the plan allows is used up. `rate`: too many requests at once. `overload`: the model's servers are busy. */
export type LimitKind = 'usage' | 'rate' | 'overload';
