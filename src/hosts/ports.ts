import type { MayRun } from '../hooks/trust/may-run.ts';
import type { Decision, EventResult, HookDefinition, HookEvent, Problem } from '../model/index.ts';
import type { AgentName } from './host.ts';
import type { ClaimStore } from './memory/claim-store.ts';
import type { Asking } from './memory/claims.ts';

/** One call of an agent's hook entry. */
export interface HostCall {
  agent: AgentName;
  /** What the entry says it is; the payload's own word counts more. */
  event: string | undefined;
  input: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** The file that the entry stands in, where it says so. */
  from?: string | undefined;
}

export interface HostPlan {
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
  /** Why none of them counts. */
  refusal?: string;
}

export interface HostPorts {
  /** The hooks that apply in the first of the folders, in the others, and in roots that the agent's session had before. */
  plan(folders: readonly string[], session: string | undefined): Promise<HostPlan>;
  fire(event: HookEvent, hooks: readonly HookDefinition[], signal: AbortSignal): Promise<EventResult>;
  mayRun: MayRun;
  /** Decides about a tool call beside the hooks, whether or not there are any; absent: `fire` does. */
  rule?(event: HookEvent): Promise<Decision>;
  /** Lines for people. */
  warn(line: string): void;
  /** What passed without a word. */
  log(line: string): void;
  /** Where things are kept between two calls; without it nothing is. */
  memory: string | undefined;
  /** Without them every call runs the hooks. */
  claims: ClaimStore | undefined;
  /** Known once there is a plan; claims need it. */
  asking?(): Asking;
  now(): string;
}
