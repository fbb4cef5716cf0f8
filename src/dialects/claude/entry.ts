import {
  filled,
  flag,
  json,
  list,
  map,
  oneOf,
  record,
  seconds,
  text,
  type ValueOf,
  variant,
} from '../../config/shape.ts';
import type { Action, HookDefinition } from '../../model/index.ts';
import { type HttpLimits, variablesOf } from './http-limits.ts';
import type { McpServers } from './mcp-servers.ts';
import type { Spelling } from './wire.ts';

const common = {
  timeout: seconds('Seconds (default 600; UserPromptSubmit and prompt 30, agent 60)'),
  if: filled('One permission rule, as in Bash(git push *): the hook runs for such calls only'),
  statusMessage: text('Shown while the hook runs'),
  once: flag('Counts in skills only'),
};
const failure = { onFailure: oneOf(['continue', 'block'], 'What a crash or a timeout means (default continue)') };
const judge = {
  prompt: filled('Question for the model; it answers with ok and a reason'),
  model: text('Model that answers'),
  continueOnBlock: flag('The agent goes on after a no'),
};

const entryShapes = {
  command: record(
    {
      type: oneOf(['command']),
      command: filled('Shell command, or with args the program to run'),
      args: list(text(), 'Arguments: the program runs without a shell'),
      shell: oneOf(['bash', 'powershell'], 'Shell for the command'),
      async: flag('Start it and move on'),
      asyncRewake: flag('As async; with exit code 2 the agent has to deal with what it says'),
      ...failure,
      ...common,
    },
    { required: ['type', 'command'] },
  ),
  prompt: record({ type: oneOf(['prompt']), ...judge, ...common }, { required: ['type', 'prompt'] }),
  agent: record({ type: oneOf(['agent']), ...judge, ...common }, { required: ['type', 'prompt'] }),
  http: record(
    {
      type: oneOf(['http']),
      url: filled('Where the event is posted'),
      headers: map(text()),
      allowedEnvVars: list(text()),
      ...failure,
      ...common,
    },
    { required: ['type', 'url'] },
  ),
  mcp_tool: record(
    {
      type: oneOf(['mcp_tool']),
      server: filled('MCP server'),
      tool: filled('Tool of that server'),
      input: json('Input of the tool; ${tool_input.file_path} in its texts is a field of the event'),
      ...failure,
      ...common,
    },
    { required: ['type', 'server', 'tool'] },
  ),
};

/** A hook of a group. */
export const entryShape = variant(entryShapes, { doc: 'Kind of hook' });

export type Entry = ValueOf<typeof entryShape>;

/** Where the placeholders of the exec form lead. */
export interface Roots {
  project: string;
  plugin: string | undefined;
}

/** What other parts of the files say about entries. */
export interface EntryAround {
  limits: HttpLimits;
  servers: McpServers;
}

/** What an entry says about its hook; where it stands and what must match is the group's business. */
export function toHookParts(
  entry: Entry,
  spelling: Spelling,
  roots: Roots,
  around: EntryAround,
): Pick<HookDefinition, 'name' | 'action' | 'wait' | 'wakes' | 'timeoutMs' | 'onFailure' | 'statusMessage'> {
  const isAsync = entry.type === 'command' && (entry.async === true || entry.asyncRewake === true);
  const timeout = entry.timeout !== undefined && entry.timeout > 0 ? entry.timeout : defaultSeconds(entry, spelling);
  return {
    name: nameOf(entry),
    action: toAction(entry, roots, around),
    wait: !isAsync,
    ...(entry.type === 'command' && entry.asyncRewake && { wakes: true as const }),
    ...(entry.statusMessage !== undefined && { statusMessage: entry.statusMessage }),
    timeoutMs: Math.min(timeout * 1000, Number.MAX_SAFE_INTEGER),
    onFailure: 'onFailure' in entry && entry.onFailure === 'block' ? 'block' : 'continue',
  };
}

/** Why an entry never runs, with Claude Code as with us. */
export function whyNever(entry: Entry, spelling: Spelling): { why: string; key: string } | undefined {
  if (entry.if !== undefined && !toolEvents.has(spelling))
    return { key: 'if', why: `"if" is about tool calls, so a hook of ${spelling} that has it never runs` };
  if (entry.type !== 'command' && entry.type !== 'mcp_tool' && startEvents.has(spelling))
    return { key: 'type', why: `${entry.type} hooks do not run on ${spelling}, only command and mcp_tool do` };
  return undefined;
}

const toolEvents: ReadonlySet<string> = new Set([
  ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest', 'PermissionDenied'],
]);
const startEvents: ReadonlySet<string> = new Set(['SessionStart', 'Setup']);

const defaultSeconds = (entry: Entry, spelling: Spelling): number =>
  ({ prompt: 30, agent: 60 })[entry.type as 'prompt'] ?? (spelling === 'UserPromptSubmit' ? 30 : 600);

function nameOf(entry: Entry): string {
  if (entry.type === 'http') return entry.url;
  if (entry.type === 'mcp_tool') return `${entry.server} ${entry.tool}`;
  if (entry.type === 'command') return [entry.command, ...(entry.args ?? [])].join(' ');
  const [line = ''] = entry.prompt.trim().split('\n');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}

function toAction(entry: Entry, roots: Roots, { limits, servers }: EntryAround): Action {
  switch (entry.type) {
    case 'prompt':
    case 'agent':
      return { kind: entry.type, prompt: entry.prompt };
    case 'command': {
      const { command, args, shell } = entry;
      const run = args
        ? ({ via: 'exec', file: fill(command, roots), args: args.map(arg => fill(arg, roots)) } as const)
        : shell === 'powershell'
          ? ({ via: 'exec', file: 'pwsh', args: ['-NoProfile', '-NonInteractive', '-Command', command] } as const)
          : ({ via: shell === 'bash' ? 'bash' : 'sh', script: command } as const);
      return { kind: 'shell', command: nameOf(entry), run, cwd: 'root' };
    }
    case 'http': {
      const { url, allowedEnvVars = [] } = entry;
      const noApproval = { approval: false, callbackPort: 0, onReject: 'abort', retries: 0 } as const;
      const posts = { variables: variablesOf(allowedEnvVars, limits) };
      return {
        kind: 'webhook',
        url,
        method: 'POST',
        headers: inBraces(entry.headers),
        body: null,
        ...noApproval,
        posts,
      };
    }
    case 'mcp_tool':
      return {
        ...{ kind: 'mcp_tool', server: entry.server, tool: entry.tool, input: entry.input ?? {} },
        ...(servers.has(entry.server) && { reached: servers.get(entry.server)! }),
      };
  }
}

/** `$NAME` is `${NAME}`. */
const inBraces = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/\$([A-Za-z_]\w*)/g, '${$1}')]),
  );

/** Without a shell no one else would fill these in. */
const fill = (text: string, { project, plugin }: Roots): string =>
  text.replaceAll(
    /\$\{CLAUDE_(PROJECT_DIR|PLUGIN_ROOT)\}/g,
    (whole, name: string) => (name === 'PROJECT_DIR' ? project : plugin) ?? whole,
  );
