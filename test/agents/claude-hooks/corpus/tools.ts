import { bash, type HookFile, line, says } from '../hook-file.ts';

/** An MCP server of few words, without a library: `scan` refuses paths of secrets, `notes` says what the agent asked for. */
const server = `
import { createInterface } from 'node:readline';
const say = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
const text = (words, more) => ({ content: [{ type: 'text', text: words }], ...more });
const deny = reason => JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason } });
const tools = {
  scan: ({ command = '' }) => text(command.includes('secret') ? deny('mcp: no ' + command) : ''),
  fail: () => text('mcp: out of order', { isError: true }),
  cut: () => text('{"decision":"block","reason":"mcp: cut off'),
  notes: () => text('mcp: the notes themselves'),
};
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'house', version: '1' } });
  else if (method === 'tools/list') say(id, { tools: Object.keys(tools).concat('hang').map(name => ({ name, description: name, inputSchema: { type: 'object' } })) });
  else if (method === 'tools/call' && params.name in tools) say(id, tools[params.name](params.arguments ?? {}));
  else if (method !== 'tools/call' && id !== undefined) say(id, {});
});
`;

const tool = (name: string, word: string, more: Readonly<Record<string, unknown>> = {}) => ({
  ...{ type: 'mcp_tool', server: 'house', tool: name, input: { command: '${tool_input.command}' } },
  ...{ if: `Bash(echo ${word}*)`, ...more },
});
const before = (...hooks: Readonly<Record<string, unknown>>[]) => ({ PreToolUse: [{ matcher: 'Bash', hooks }] });

/** Hooks that ask a tool of an MCP server, and one for what such a tool says. */
export const mcpTools: readonly HookFile[] = [
  {
    name: 'a tool of a server refuses, and lets through',
    hooks: before(tool('scan', 'mcp-')),
    settings: { enableAllProjectMcpServers: true },
    files: {
      '.mcp.json': JSON.stringify({ mcpServers: { house: { command: 'node', args: ['{{PROJ}}/house.mjs'] } } }),
      'house.mjs': server,
    },
    calls: [bash('echo mcp-secret'), bash('echo mcp-fine')],
    texts: ['mcp: no echo mcp-secret'],
  },
  {
    name: 'a tool that fails, hangs or says what is cut off decides nothing',
    hooks: before(tool('fail', 'weak'), tool('hang', 'weak', { timeout: 1 }), tool('cut', 'weak')),
    calls: [bash('echo weak')],
    texts: ['mcp: out of order', 'mcp: cut off'],
  },
  {
    name: 'a server that is not there decides nothing',
    hooks: before(tool('scan', 'nowhere', { server: 'nobody' })),
    calls: [bash('echo nowhere')],
    texts: [],
  },
  {
    name: 'a tool that fails refuses by onFailure',
    hooks: before(tool('fail', 'strong', { onFailure: 'block' })),
    calls: [bash('echo strong')],
    texts: [],
  },
  {
    name: 'matchers of tools of servers, and updatedMCPToolOutput',
    hooks: {
      PostToolUse: [
        {
          matcher: 'mcp__house__.*',
          hooks: [
            line(`cat > /dev/null; ${says('PostToolUse', { updatedMCPToolOutput: 'mcp: other notes' })}`),
            line(`cat > /dev/null; ${says('PostToolUse', { additionalContext: 'mcp: matched' })}`, {
              if: 'mcp__house__notes',
            }),
          ],
        },
        {
          matcher: 'mcp__house',
          hooks: [line(`cat > /dev/null; ${says('PostToolUse', { additionalContext: 'mcp: bare server' })}`)],
        },
      ],
    },
    calls: [{ name: 'mcp__house__notes', args: {} }],
    texts: ['mcp: other notes', 'mcp: the notes themselves', 'mcp: matched', 'mcp: bare server'],
  },
];

/** Servers that settings allow, and variables that may go there. */
export const listedServers: HookFile = {
  name: 'only listed servers are called, with listed variables alone',
  hooks: before(
    ...['listed', 'unlisted'].map(word => ({ type: 'http', url: `{{URL}}/${word}`, if: `Bash(echo ${word})` })),
    {
      ...{ type: 'http', url: '{{URL}}/listed-home', if: 'Bash(echo home)' },
      ...{ headers: { 'x-home': '$HOME', 'x-lang': '$LANG' }, allowedEnvVars: ['HOME', 'LANG'] },
    },
  ),
  settings: {
    allowedHttpHookUrls: ['{{URL}}/listed*', '{{URL}}/record'],
    httpHookAllowedEnvVars: ['HOME'],
  },
  serves: Object.fromEntries(
    (['listed', 'unlisted', 'listed-home'] as const).map(word => [
      `/${word}`,
      {
        ...(word === 'listed-home' && { wants: { 'x-home': '{{HOME}}', 'x-lang': '' } }),
        body: JSON.stringify({
          hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: `server: ${word} was asked` },
        }),
      },
    ]),
  ),
  calls: [bash('echo listed'), bash('echo unlisted'), bash('echo home')],
  texts: ['listed', 'unlisted', 'listed-home'].map(word => `server: ${word} was asked`),
};

const judgedBy = (word: string, answer: object): HookFile => ({
  name: `an agent says ${word}`,
  hooks: before({
    type: 'agent',
    prompt: `question-of-the-${word}-agent: is it good? $ARGUMENTS`,
    model: 'haiku',
    timeout: 20,
  }),
  judges: { [`question-of-the-${word}-agent`]: answer },
  judgesByTool: true,
  calls: [bash('echo looked-at')],
  texts: ['agent: not good enough'],
});
/** Hooks that ask a model with tools of its own. */
export const agentSaysNo = judgedBy('no', { ok: false, reason: 'agent: not good enough' });
export const agentSaysYes = judgedBy('yes', { ok: true });

/** A hook that looks beside, and speaks up when something is wrong. */
export const wakes: HookFile = {
  name: 'a check beside that speaks up',
  hooks: {
    PostToolUse: [
      {
        matcher: 'Bash',
        hooks: [
          line('grep -q "echo woken" && { echo "wake: look at it again" >&2; exit 2; }; exit 0', { asyncRewake: true }),
        ],
      },
    ],
  },
  calls: [bash('echo woken'), bash('sleep 1')],
  texts: ['wake: look at it again'],
};
