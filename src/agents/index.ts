import { resolve } from 'node:path';
import type { AgentPort } from '../model/agent.ts';
import { didYouMean } from '../model/nearest.ts';
import { createCommandAgent } from './command-agent.ts';
import { createAcpAgent, createPresetAgent, credentialsOf, presetNames, reportsOf } from './presets.ts';
import { createScriptedAgent } from './scripted.ts';

export { credentialsOf, presetNames, reportsOf };

export interface UnknownAgent {
  kind: 'unknown';
  message: string;
  hint?: string;
}

/** Where the agent was named, and FILE is relative to, and who listens to it. */
export interface AgentContext {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** False where no one listens to edited files: a `command:` agent is then not looked after (default true). */
  watchEdits?: boolean;
  /** Gets what the agent's program prints beside its answers, line by line; absent: it is shown. Contract: does not throw. */
  onLog?(line: string): void;
  /** How long nothing may come in a turn of an agent over ACP while nothing is pending (default 15 min); null: for ever. */
  silenceMs?: number | null | undefined;
}

const kinds: Readonly<Record<string, (rest: string, context: AgentContext) => AgentPort>> = {
  acp: (command, { onLog, silenceMs }) => createAcpAgent({ name: 'acp', command, onLog, silenceMs }),
  command: (command, { watchEdits = true, onLog }) => createCommandAgent(command, { watchEdits, onLog }),
  scripted: (file, { cwd, env }) => createScriptedAgent(resolve(cwd, file.replace(/^~(?=\/)/, env['HOME'] ?? '~'))),
};

/** The agent that `--agent` or `agent:` names: a known one, or `acp:COMMAND`, `command:COMMAND`, `scripted:FILE`. */
export function resolveAgent(spec: string, context: AgentContext): AgentPort | UnknownAgent {
  const written = spec.trim();
  const preset = createPresetAgent(written, context);
  if (preset) return preset;
  const [, kind = written, rest = ''] = /^([^:\s]*):(.*)$/s.exec(written) ?? [];
  const create = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (create && rest.trim() !== '') return create(rest.trim(), context);
  if (create)
    return {
      kind: 'unknown',
      message: `"${written}" names no ${kind === 'scripted' ? 'file' : 'command'}`,
      hint: `write ${kind}:${kind === 'scripted' ? 'FILE' : 'COMMAND'}`,
    };
  const known = [...presetNames, ...Object.keys(kinds)];
  return {
    kind: 'unknown',
    message: `"${written}" is not an agent`,
    hint: didYouMean(kind, known) ?? `known: ${presetNames.join(', ')}, acp:COMMAND, command:COMMAND, scripted:FILE`,
  };
}

/** Why agents cannot start, one text for each: their programs are not there. Those that no one knows are passed over. */
export function missingAgents(
  specs: readonly string[],
  context: AgentContext & { root: string },
): { texts: readonly string[]; isAll: boolean } {
  const texts = specs.flatMap(spec => {
    const agent = resolveAgent(spec, context);
    const missing = 'start' in agent ? agent.missing?.({ cwd: context.root, env: context.env }) : undefined;
    return missing ? [[missing.reason, missing.hint].filter(Boolean).join('; ')] : [];
  });
  return { texts, isAll: specs.length > 0 && texts.length === specs.length };
}

export const missingAgent = (spec: string, context: AgentContext & { root: string }): string | undefined =>
  missingAgents([spec], context).texts[0];
