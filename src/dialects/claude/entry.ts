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
import type { Spelling } from './wire.ts';

const common = {
  timeout: seconds('Seconds (default 600; UserPromptSubmit 30, prompt 30, agent 60)'),
  if: text('One permission rule; Hookloop leaves a hook with it to Claude Code'),
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
      asyncRewake: flag('As async; Claude Code wakes up on exit code 2'),
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
      input: json('Input of the tool'),
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

/** What an entry says about its hook; where it stands and what must match is the group's business. */
export function toHookParts(
  entry: Entry,
  spelling: Spelling,
  roots: Roots,
): Pick<HookDefinition, 'name' | 'action' | 'wait' | 'timeoutMs' | 'onFailure'> {
  const isAsync = entry.type === 'command' && (entry.async === true || entry.asyncRewake === true);
  const timeout = entry.timeout !== undefined && entry.timeout > 0 ? entry.timeout : defaultSeconds(entry, spelling);
  return {
    name: nameOf(entry),
    action: toAction(entry, roots),
    wait: !isAsync,
    timeoutMs: Math.min(timeout * 1000, Number.MAX_SAFE_INTEGER),
    onFailure: 'onFailure' in entry && entry.onFailure === 'block' ? 'block' : 'continue',
  };
}

/** Why we leave an entry to Claude Code. A filter we cannot check must never let a hook run on everything. */
export function whyUnavailable(entry: Entry): { why: string; key: string } | undefined {
  if (entry.if !== undefined) return { key: 'if', why: '"if" is not supported: only Claude Code runs this hook' };
  if (entry.type === 'http')
    return { key: 'type', why: 'http hooks are not supported: only Claude Code runs this hook' };
  if (entry.type === 'mcp_tool')
    return { key: 'type', why: 'mcp_tool hooks are not supported: only Claude Code runs this hook' };
  if (entry.type === 'command' && entry.shell === 'powershell' && entry.args === undefined)
    return { key: 'shell', why: 'PowerShell is not supported' };
  return undefined;
}

const defaultSeconds = (entry: Entry, spelling: Spelling): number =>
  ({ prompt: 30, agent: 60 })[entry.type as 'prompt'] ?? (spelling === 'UserPromptSubmit' ? 30 : 600);

function nameOf(entry: Entry): string {
  if (entry.type === 'http') return entry.url;
  if (entry.type === 'mcp_tool') return `${entry.server} ${entry.tool}`;
  if (entry.type === 'command') return [entry.command, ...(entry.args ?? [])].join(' ');
  const [line = ''] = entry.prompt.trim().split('\n');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}

function toAction(entry: Entry, roots: Roots): Action {
  switch (entry.type) {
    case 'prompt':
    case 'agent':
      return { kind: entry.type, prompt: entry.prompt };
    case 'command': {
      const { command, args, shell } = entry;
      const run = args
        ? ({ via: 'exec', file: fill(command, roots), args: args.map(arg => fill(arg, roots)) } as const)
        : ({ via: shell === 'bash' ? 'bash' : 'sh', script: command } as const);
      return { kind: 'shell', command: nameOf(entry), run, cwd: 'root' };
    }
    case 'http': {
      const { url, headers = {} } = entry;
      const noApproval = { approval: false, callbackPort: 0, onReject: 'abort', retries: 0 } as const;
      return { kind: 'webhook', url, method: 'POST', headers, body: null, ...noApproval };
    }
    case 'mcp_tool':
      // Never run: it is here so that the hook can be listed.
      return { kind: 'shell', command: nameOf(entry), run: { via: 'exec', file: '', args: [] }, cwd: 'root' };
  }
}

/** Without a shell no one else would fill these in. */
const fill = (text: string, { project, plugin }: Roots): string =>
  text.replaceAll(
    /\$\{CLAUDE_(PROJECT_DIR|PLUGIN_ROOT)\}/g,
    (whole, name: string) => (name === 'PROJECT_DIR' ? project : plugin) ?? whole,
  );
