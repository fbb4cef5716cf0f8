import {
  anthropicMessages,
  geminiGenerate,
  openaiChat,
  openaiResponses,
} from '../../../src/hosts/doctor/model-protocols.ts';
import type { RealAgent } from './case.ts';
import { ageChats } from './gemini-chats.ts';

const described = (command: string) => ({ command, description: 'run a command' });

export const claude: RealAgent = {
  name: 'claude',
  protocol: anthropicMessages,
  files: () => ({}),
  env: url => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'scripted' }),
  shell: command => ({ name: 'Bash', args: described(command) }),
  write: (path, content) => ({ name: 'Write', args: { file_path: path, content } }),
  read: path => ({ name: 'Read', args: { file_path: path } }),
  readRefusal: 'goes-on',
  mcp: (server, tool, args) => ({ name: `mcp__${server}__${tool}`, args }),
  afterRefusal: 'goes-on',
};

export const codex: RealAgent = {
  name: 'codex',
  protocol: openaiResponses,
  files: url => ({
    '.codex/config.toml': [
      // A model of its catalogue: others get no apply_patch.
      'model = "gpt-5.5"',
      'model_provider = "scripted"',
      '[model_providers.scripted]',
      'name = "Scripted"',
      `base_url = "${url}/v1"`,
      'env_key = "CODEX_API_KEY"',
      'wire_api = "responses"',
      'request_max_retries = 0',
      'stream_max_retries = 0',
      '',
    ].join('\n'),
  }),
  env: () => ({ CODEX_API_KEY: 'scripted' }),
  shell: command => ({
    name: 'exec_command',
    args: { cmd: command, sandbox_permissions: 'require_escalated', justification: 'it writes' },
  }),
  write: (path, content) => ({
    name: 'apply_patch',
    freeform: `*** Begin Patch\n*** Add File: ${path}\n${added(content)}\n*** End Patch\n`,
  }),
  read: path => ({ name: 'exec_command', args: { cmd: `cat ${path}` } }),
  readRefusal: 'goes-on',
  mcp: (server, tool, args) => ({ name: tool, namespace: `mcp__${server}`, args }),
  afterRefusal: 'cancels',
  ownHooksAskFirst: true,
  editsUnasked: true,
};

const added = (content: string): string => content.trimEnd().replaceAll(/^/gm, '+');

export const gemini: RealAgent = {
  name: 'gemini',
  protocol: geminiGenerate,
  files: () => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      model: { name: 'gemini-2.5-flash' },
      privacy: { usageStatisticsEnabled: false },
      // Else it deletes, at its next start but one, a conversation that was resumed.
      general: { sessionRetention: { enabled: false } },
    }),
  }),
  env: url => ({ GEMINI_API_KEY: 'scripted', GOOGLE_GEMINI_BASE_URL: url }),
  shell: command => ({ name: 'run_shell_command', args: described(command) }),
  write: (path, content) => ({ name: 'write_file', args: { file_path: path, content } }),
  read: path => ({ name: 'read_file', args: { file_path: path } }),
  readRefusal: 'goes-on',
  mcp: (server, tool, args) => ({ name: `mcp_${server}_${tool}`, args }),
  age: ageChats,
  afterRefusal: 'goes-on',
};

export const qwen: RealAgent = {
  name: 'qwen',
  protocol: openaiChat,
  files: () => ({}),
  env: url => ({
    ...{ OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'scripted' },
    // Else the first prompt comes before the tools of MCP servers.
  }),
  shell: command => ({ name: 'run_shell_command', args: { ...described(command), is_background: false } }),
  write: (path, content) => ({ name: 'write_file', args: { file_path: path, content } }),
  read: path => ({ name: 'read_file', args: { file_path: path } }),
  readRefusal: 'goes-on',
  mcp: (server, tool, args) => ({ name: `mcp__${server}__${tool}`, args }),
  afterRefusal: 'ends',
};

export const opencode: RealAgent = {
  name: 'opencode',
  protocol: openaiChat,
  files: url => ({
    // It asks for packages of its own at every start; where no one answers it goes on at once.
    '.npmrc': 'registry=http://127.0.0.1:9/\nfetch-retries=0\n',
    '.config/opencode/opencode.json': JSON.stringify({
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${url}/v1`, apiKey: 'scripted' },
          models: { scripted: { name: 'Scripted' } },
        },
      },
      model: 'scripted/scripted',
      small_model: 'scripted/scripted',
      autoupdate: false,
    }),
  }),
  env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
  shell: command => ({ name: 'bash', args: described(command) }),
  write: (path, content) => ({ name: 'write', args: { filePath: path, content } }),
  read: path => ({ name: 'read', args: { filePath: path } }),
  readRefusal: 'ends',
  mcp: (server, tool, args) => ({ name: `${server}_${tool}`, args }),
  afterRefusal: 'ends',
};
