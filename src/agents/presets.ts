import type { AgentEnvironment, AgentPort, AgentStart, InSessionHooks, Unavailable } from '../model/agent.ts';
import { quoted } from '../model/own-entry.ts';
import type { AcpOptions } from './acp/protocol.ts';
import { findProgram, missingProgram } from './command-line.ts';
import { agentPort } from './port.ts';
import { claude } from './presets/claude/preset.ts';
import { codex } from './presets/codex/preset.ts';
import { gemini } from './presets/gemini/preset.ts';
import { opencode } from './presets/opencode/preset.ts';
import type { Preset, Reported } from './presets/preset.ts';
import { qwen } from './presets/qwen/preset.ts';

export const presets: Readonly<Record<string, Preset>> = { claude, codex, gemini, qwen, opencode };

export const presetNames: readonly string[] = Object.keys(presets);

/** Variables a known agent signs in with; none for others. */
export const credentialsOf = (name: string): readonly string[] => presetOf(name)?.credentials ?? [];

/** What a known agent tells of its use; undefined: that shows only when it has worked. */
export const reportsOf = (name: string): readonly Reported[] | undefined => presetOf(name)?.reports;

/** Any agent that speaks the Agent Client Protocol over stdio. */
export const createAcpAgent = (options: AcpOptions): AgentPort =>
  agentPort({
    name: options.name,
    missing: context => missingProgram('acp', options.command, context),
    // The protocol is large, and most commands start no agent.
    start: async start => (await import('./acp/start-acp.ts')).startAcp(options, start),
  });

/** A known agent by its name; undefined: no one knows it. */
export function createPresetAgent(
  name: string,
  { onLog, silenceMs }: Pick<AcpOptions, 'onLog' | 'silenceMs'> = {},
): AgentPort | undefined {
  const preset = presetOf(name);
  if (!preset) return undefined;
  const find = ({ cwd, env }: AgentEnvironment): string | undefined => {
    const ownFile = process.argv[1] ?? process.execPath;
    return findProgram(preset.program, { cwd, searchPath: env['PATH'] ?? '', ownFile });
  };
  const unavailable: Unavailable = {
    kind: 'unavailable',
    reason: `${preset.program}, which runs ${name}, is neither on PATH nor in node_modules`,
    hint: `to install it: npm install -g ${preset.package}`,
  };
  return {
    name,
    missing: environment => (find(environment) === undefined ? unavailable : undefined),
    async start(options) {
      const { env } = options;
      const program = find(options);
      if (program === undefined) return unavailable;
      const { args = [], env: ownEnv, ...own } = await ownHooks(name, options);
      return createAcpAgent({
        ...preset,
        ...own,
        name,
        command: [program, ...argsOf(preset, env), ...args].map(quoted).join(' '),
        onLog,
        silenceMs,
      }).start({ ...options, env: { ...env, ...ownEnv } });
    },
  };
}

/** Without it the protocol tells what it can. */
async function ownHooks(name: string, { inSessionHooks, env, listener }: AgentStart): Promise<InSessionHooks> {
  try {
    return (await inSessionHooks?.(name, env)) ?? {};
  } catch (error) {
    listener.show({ kind: 'log', text: `the hooks of ${name} itself cannot be used: ${(error as Error).message}` });
    return {};
  }
}

const presetOf = (name: string): Preset | undefined => (Object.hasOwn(presets, name) ? presets[name] : undefined);

const argsOf = ({ args, argsWith = {} }: Preset, env: Readonly<Record<string, string>>): readonly string[] => [
  ...args,
  ...Object.entries(argsWith).flatMap(([variable, more]) => (env[variable] ? more : [])),
];
