import type { AgentEnvironment, AgentPort, AgentStart, InSessionHooks, Unavailable } from '../model/agent.ts';
import { quoted } from '../model/own-entry.ts';
import type { AcpOptions } from './acp/protocol.ts';
import { findProgram, missingProgram } from './command-line.ts';
import { agentPort } from './port.ts';

/** How to run a known agent over ACP. */
export interface Preset extends Pick<AcpOptions, 'env' | 'writesItself' | 'mcpAsExecute'> {
  /** The program, and the package that brings it in the version this was tried with. */
  program: string;
  package: string;
  args: readonly string[];
  /** Further arguments where this variable is set. */
  argsWith?: Readonly<Record<string, readonly string[]>>;
  /** What it does over ACP without asking, and without a hook of its own: a refusal comes after that. */
  unasked?: string;
  signIn: string;
  /** What it signs in with; handed to the agent's process alone. */
  credentials: readonly string[];
}

export const presets: Readonly<Record<string, Preset>> = {
  claude: {
    program: 'claude-agent-acp',
    package: '@agentclientprotocol/claude-agent-acp@0.99.1',
    args: [],
    signIn: 'set ANTHROPIC_API_KEY, or run `claude` and type /login',
    credentials: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN'],
  },
  codex: {
    program: 'codex-acp',
    package: '@agentclientprotocol/codex-acp@2.6.0',
    args: [],
    // It may write inside the project; gates say no, through its own hooks. Its default has a model decide what else it
    // may do. In its read-only mode a command that writes fails in its sandbox, and neither asks nor tells any hook.
    env: { INITIAL_AGENT_MODE: 'workspace-write' },
    mcpAsExecute: true,
    signIn: 'set OPENAI_API_KEY, or run `codex login`',
    credentials: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'OPENAI_BASE_URL', 'CODEX_HOME', 'CODEX_CONFIG'],
  },
  gemini: {
    program: 'gemini',
    package: '@google/gemini-cli@0.61.0',
    args: ['--acp'],
    unasked: 'commands that it considers harmless (cat, ls)',
    signIn: 'set GEMINI_API_KEY, or run `gemini` and sign in there',
    credentials: [
      'GEMINI_API_KEY',
      'GOOGLE_API_KEY',
      'GOOGLE_GEMINI_BASE_URL',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'GOOGLE_CLOUD_PROJECT',
      'GOOGLE_CLOUD_LOCATION',
      'GOOGLE_GENAI_USE_VERTEXAI',
    ],
  },
  qwen: {
    program: 'qwen',
    package: '@qwen-code/qwen-code@0.24.4',
    // Its own default lets a model decide about tools, and then no one is asked.
    args: ['--acp', '--approval-mode', 'default'],
    argsWith: { OPENAI_API_KEY: ['--auth-type', 'openai'] },
    // Otherwise its first prompt after a resume may come before the tools that we hand it.
    env: { QWEN_CODE_LEGACY_MCP_BLOCKING: '1' },
    signIn: 'set OPENAI_API_KEY (with OPENAI_BASE_URL and OPENAI_MODEL), or run `qwen` and sign in there',
    credentials: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'DASHSCOPE_API_KEY'],
  },
  opencode: {
    program: 'opencode',
    package: 'opencode-ai@1.18.33',
    args: ['acp'],
    writesItself: true,
    // By default it asks no one, and a refusal needs a question.
    env: { OPENCODE_CONFIG_CONTENT: '{"permission":{"edit":"ask","bash":"ask"}}' },
    signIn: 'set the key of your provider (ANTHROPIC_API_KEY, OPENAI_API_KEY), or run `opencode auth login`',
    credentials: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'OPENCODE_CONFIG'],
  },
};

export const presetNames: readonly string[] = Object.keys(presets);

/** Variables a known agent signs in with; none for others. */
export const credentialsOf = (name: string): readonly string[] => presetOf(name)?.credentials ?? [];

/** Any agent that speaks the Agent Client Protocol over stdio. */
export const createAcpAgent = (options: AcpOptions): AgentPort =>
  agentPort({
    name: options.name,
    missing: context => missingProgram('acp', options.command, context),
    // The protocol is large, and most commands start no agent.
    start: async start => (await import('./acp/start-acp.ts')).startAcp(options, start),
  });

/** A known agent by its name; undefined: no one knows it. */
export function createPresetAgent(name: string, { onLog }: Pick<AcpOptions, 'onLog'> = {}): AgentPort | undefined {
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
