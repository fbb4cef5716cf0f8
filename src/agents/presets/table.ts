/** How to run a known agent over ACP. */
export interface Preset {
  /** The program, and the package that brings it in the version this was tried with. */
  program: string;
  package: string;
  args: readonly string[];
  /** Further arguments where this variable is set. */
  argsWith?: Readonly<Record<string, readonly string[]>>;
  /** Set where the environment does not. */
  env?: Readonly<Record<string, string>>;
  /** It writes files itself in any case. */
  writesItself?: true;
  /** It tells of tools of MCP servers as of kind `execute`, with an input that is its own, not the model's. */
  mcpAsExecute?: true;
  /** What it does over ACP without asking, and without a hook of its own: a refusal comes after that. */
  unasked?: string;
  /** How its user signs in. */
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
    unasked: 'commands that it takes for harmless (cat, ls)',
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
    // Its own default lets a model decide about tools, and then nobody is asked.
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
    // By default it asks nobody, and a refusal needs a question.
    env: { OPENCODE_CONFIG_CONTENT: '{"permission":{"edit":"ask","bash":"ask"}}' },
    signIn: 'set the key of your provider (ANTHROPIC_API_KEY, OPENAI_API_KEY), or run `opencode auth login`',
    credentials: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'OPENCODE_CONFIG'],
  },
};
