import { basename } from 'node:path';
import { printable } from '../model/index.ts';
import { outermostProcess } from '../platform/build.ts';
import { environmentOf, statOf, wordsOf } from '../platform/processes.ts';
import { UsageError } from './command.ts';
import type { Io } from './io.ts';

/**
 * What only a person may do is not done for an agent or a hook. Whoever has the user's rights can get around it, but not
 * by accident, and not because a model had a good idea.
 */
export function refuseAgents(what: string, io: Io): void {
  const sign = signOfAgent(io);
  if (sign !== undefined) throw new UsageError(`${what} is for people: ${printable(sign)}. Use another terminal`);
}

export const isOfAgent = (io: Io): boolean => signOfAgent(io) !== undefined;

/** A process that stands above us: what it was started with. */
export interface Caller {
  pid: number;
  /** Of the terminal session that it belongs to. */
  session: number;
  words: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** How we were started, as far as the system tells. */
export interface Origin {
  env: Readonly<Record<string, string | undefined>>;
  session: number;
  hasTerminal: boolean;
  /** The nearest first. */
  callers: readonly Caller[];
}

/** What shows that an agent has started us; undefined where nothing does. */
export function agentSign({ env, session, hasTerminal, callers }: Origin): string | undefined {
  const own = variableSign(env, '');
  if (own !== undefined) return own;
  for (const { pid, words, env: theirs } of callers) {
    const above = `process ${pid}, ${basename(words[0] ?? '').slice(0, 40) || 'a program'}`;
    if (isAgentProgram(words)) return `this runs inside an agent (${above})`;
    const sign = variableSign(theirs, ` in ${above}`);
    if (sign !== undefined) return sign;
  }
  const [parent] = callers;
  // Of a process that was cut loose no one can tell who has started it.
  const isLoose = parent !== undefined && isReaper(parent) && parent.session !== session && !hasTerminal;
  return isLoose ? 'the process that started this has ended, and there is no terminal' : undefined;
}

/** Variables that agents set for what they run, and people for nothing. Settings of agents (`CODEX_HOME`) are not among them. */
const agentVariables = [
  ...['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_CODE_CHILD_SESSION'],
  ...['CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CODEX_THREAD_ID', 'CODEX_CI'],
  ...['GEMINI_CLI', 'QWEN_CODE', 'QWEN_CODE_SESSION_ID', 'OPENCODE', 'OPENCODE_PID', 'CURSOR_AGENT', 'COPILOT_CLI'],
  'AI_AGENT',
];

function variableSign(env: Origin['env'], where: string): string | undefined {
  if (env['HOOKLOOP_SESSION_DIR']) return `this runs inside session ${env['HOOKLOOP_SESSION'] ?? ''}`;
  const isCursor = env['CURSOR_EXTENSION_HOST_ROLE'] === 'agent-exec';
  const name = agentVariables.find(variable => env[variable]) ?? (isCursor ? 'CURSOR_EXTENSION_HOST_ROLE' : undefined);
  return name && `this runs inside an agent (${name} is set${where})`;
}

const agentPrograms =
  /^(claude|codex|gemini|qwen|opencode|cursor-agent|copilot|claude-agent-acp|codex-acp)(\.(c|m)?js|\.exe)?$/;
const agentPackages =
  /\/node_modules\/(@anthropic-ai\/claude-|@openai\/codex|@google\/gemini-cli|@qwen-code\/|opencode-ai\/|@github\/copilot\/|@agentclientprotocol\/)/;

/** Agents written for Node are the first argument of it. */
function isAgentProgram([program = '', ...rest]: readonly string[]): boolean {
  const isInterpreted = /^(node|nodejs|bun|deno)$/.test(basename(program));
  const script = isInterpreted ? rest.find(word => !word.startsWith('-')) : undefined;
  return [program, script ?? ''].some(word => agentPrograms.test(basename(word)) || agentPackages.test(word));
}

/** It takes over the children of processes that have ended. */
const isReaper = ({ pid, words }: Caller): boolean => pid === 1 || basename(words[0] ?? '') === 'systemd';

const signOfAgent = ({ env }: Io): string | undefined => {
  const { session, hasTerminal, parent } = statOf(process.pid) ?? { session: 0, hasTerminal: true, parent: 0 };
  return agentSign({ env, session, hasTerminal, callers: callersFrom(parent) });
};

/** Where the system does not tell (macOS), there are none. */
function callersFrom(first: number): Caller[] {
  const callers: Caller[] = [];
  const seen = new Set<number>();
  for (let pid = first; pid > 0 && pid !== outermostProcess && !seen.has(pid); ) {
    seen.add(pid);
    const stat = statOf(pid);
    if (stat === undefined) break;
    callers.push({ pid, session: stat.session, words: wordsOf(pid), env: variablesOf(pid) });
    pid = stat.parent;
  }
  return callers;
}

function variablesOf(pid: number): Caller['env'] {
  const pairs = environmentOf(pid).map(pair => [pair.split('=', 1)[0]!, pair.slice(pair.indexOf('=') + 1)] as const);
  return Object.assign(Object.create(null), Object.fromEntries(pairs));
}
