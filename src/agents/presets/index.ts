import type { AgentPlaceOnDisk, AgentPort, AgentStart, InSessionHooks, Unavailable } from '../../model/agent.ts';
import { type AcpOptions, createAcpAgent } from '../acp/index.ts';
import { findProgram } from '../command-line.ts';
import { type Preset, presets } from './table.ts';

export const presetNames: readonly string[] = Object.keys(presets);

/** Variables a known agent signs in with; none for others. */
export const credentialsOf = (name: string): readonly string[] => presetOf(name)?.credentials ?? [];

/** A known agent by its name; undefined: nobody knows it. */
export function createPresetAgent(name: string, { onLog }: Pick<AcpOptions, 'onLog'> = {}): AgentPort | undefined {
  const preset = presetOf(name);
  if (!preset) return undefined;
  const find = ({ cwd, env }: AgentPlaceOnDisk): string | undefined => {
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
    missing: place => (find(place) === undefined ? unavailable : undefined),
    async start(options) {
      const { env } = options;
      const program = find(options);
      if (program === undefined) return unavailable;
      const own = await ownHooks(name, options);
      const command = [program, ...argsOf(preset, env), ...(own.args ?? [])].map(quote).join(' ');
      return createAcpAgent({
        name,
        command,
        onLog,
        signIn: preset.signIn,
        ...(preset.env && { env: preset.env }),
        ...(preset.writesItself && { writesItself: true }),
        ...(preset.mcpAsExecute && { mcpAsExecute: true }),
        ...(own.meta && { meta: own.meta }),
        ...(own.hooksTell && { hooksTell: true }),
      }).start({ ...options, env: { ...env, ...own.env } });
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

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
