import type { EventResult, HookDefinition, HookEvent, Problem } from '../model/index.ts';
import type { AgentName } from './host.ts';
import type { MayRun } from './may-run.ts';
import type { ClaimStore } from './memory/claim-store.ts';

/** One call of an agent's hook entry. */
export interface HostCall {
  agent: AgentName;
  /** What the entry says it is; the payload's own word counts more. */
  event: string | undefined;
  input: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}

export interface HostPorts {
  /** The hooks that apply in a folder. */
  plan(folder: string): Promise<{ hooks: readonly HookDefinition[]; problems: readonly Problem[] }>;
  fire(event: HookEvent, hooks: readonly HookDefinition[], signal: AbortSignal): Promise<EventResult>;
  mayRun: MayRun;
  /** Lines for people. */
  warn(line: string): void;
  /** What passed without a word. */
  log(line: string): void;
  /** Where things are kept between two calls; without it nothing is. */
  memory: string | undefined;
  /** Without them every call runs the hooks. */
  claims: ClaimStore | undefined;
  now(): string;
}
