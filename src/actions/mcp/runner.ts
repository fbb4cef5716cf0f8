import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { longestTimerMs } from '../../model/duration.ts';
import type { ActionOutcome, ActionRun, McpToolAction, RunAction } from '../../model/index.ts';
import { fieldsOf, isObject, isTooDeep, jsonOf } from '../../model/json.ts';
import { fillServer, type McpServer, mcpServersOf } from '../../model/mcp-server.ts';
import { oneLine } from '../../model/words.ts';
import { unlessCancelled } from '../../platform/cancel.ts';
import { limitOf } from '../process/limit.ts';
import type { Connection } from './connect.ts';

export interface McpRunnerOptions {
  /** Of the session, or of whoever caused the event. */
  env: Readonly<Record<string, string | undefined>>;
  /** Servers start in the project's root. */
  root: string;
  home: string;
}

export interface McpTools {
  run: RunAction<'mcp_tool'>;
  /** Ends every server that was started. */
  close(): Promise<void>;
}

/** Calls tools of MCP servers. Each server is started or connected to when its first tool is called, and ends with `close`. */
export function createMcpRunner(options: McpRunnerOptions): McpTools {
  const connections = new Map<string, Promise<Connection>>();
  const ending = new AbortController();
  const connectionTo = (known: Known): Promise<Connection> => {
    const key = JSON.stringify(known);
    const forget = (): void => void connections.delete(key);
    const open = connections.get(key) ?? connect(known, options, { onClose: forget, signal: ending.signal });
    connections.set(key, open);
    // The next call tries again.
    open.catch(forget);
    return open;
  };
  return {
    async run(action, run) {
      if (run.signal.aborted || ending.signal.aborted) return { kind: 'cancelled' };
      const known = findServer(action, options);
      if (known.server.via === 'none') return notStarted(action, known.server.why);
      return callTool(action, run, () => connectionTo(known));
    },
    async close() {
      ending.abort();
      const open = [...connections.values()];
      await Promise.all(open.map(async one => (await one.catch(() => undefined))?.close()));
    },
  };
}

/** A server, and whether the user's own file names it. */
interface Known {
  server: McpServer;
  isUsers: boolean;
}

const notStarted = ({ server }: McpToolAction, why: string): ActionOutcome => ({
  kind: 'not-started',
  reason: `MCP server "${server}": ${why}`,
});

/** What the user has for this project counts before the project's own, and that before what the user has for all. */
function findServer({ server: name, reached }: McpToolAction, options: McpRunnerOptions): Known {
  const file = join(options.home, '.claude.json');
  const users = fieldsOf(jsonOf(textIn(file)));
  const forProject = mcpServersOf(fieldsOf(users['projects'])[options.root]).get(name);
  const forAll = mcpServersOf(users).get(name);
  const server = forProject ?? reached ?? forAll;
  return {
    isUsers: server !== reached,
    server: server ?? { via: 'none', why: 'neither .mcp.json nor ~/.claude.json names it' },
  };
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function connect(
  { server, isUsers }: Known,
  { env, root }: McpRunnerOptions,
  ends: { onClose(): void; signal: AbortSignal },
): Promise<Connection> {
  const own = { ...env, CLAUDE_PROJECT_DIR: root };
  const filled = fillServer(server as Exclude<McpServer, { via: 'none' }>, own);
  if ('missing' in filled) throw new Error(`${filled.missing.join(', ')} is not set in the environment`);
  const { connectServer } = await import('./connect.ts');
  return connectServer({
    ...{ server: filled.server, cwd: root, env: own, ...ends },
    reach: isUsers ? 'private' : 'public',
  });
}

const maxTextBytes = 1024 * 1024;

async function callTool(
  action: McpToolAction,
  run: ActionRun,
  open: () => Promise<Connection>,
): Promise<ActionOutcome> {
  const input = fillInput(action.input, jsonOf(run.presentation.stdin ?? ''));
  if (input === undefined) return notStarted(action, 'the input of its tool is nested too deep');
  const limit = limitOf(run);
  try {
    const connection = await unlessCancelled(open(), limit.signal).catch((error: Error) => error);
    if (connection instanceof Error) return notStarted(action, connection.message);
    if (!connection) return limit.cutOff()!;
    const calling = connection.call(action.tool, input, { signal: limit.signal, timeoutMs: longestTimerMs });
    const said = await calling.catch((error: Error) => ({ text: error.message, isError: true }));
    return limit.cutOff() ?? toOutcome(action, said);
  } finally {
    limit.clear();
  }
}

/** What a tool says is what a script prints. */
function toOutcome(
  { server, tool }: McpToolAction,
  { text, isError }: { text: string; isError: boolean },
): ActionOutcome {
  const failed = (why: string): ActionOutcome => ({ kind: 'no-answer', reason: `${tool} of ${server} ${why}` });
  if (isError) return failed(`failed: ${oneLine(text, 500)}`);
  if (Buffer.byteLength(text) > maxTextBytes) return failed('said more than can be read');
  return { kind: 'exited', exitCode: 0, stdout: text, stderr: '' };
}

/**
 * The input of a tool: `${tool_input.file_path}` in its texts stands for a field of the event, empty where there is none,
 * JSON where it is no plain value. Values are not looked at again, and names of fields stay as they are. undefined: it is
 * nested too deep.
 */
function fillInput(input: unknown, event: unknown): Record<string, unknown> | undefined {
  if (!isObject(input)) return {};
  return isTooDeep(input) ? undefined : (fillPart(input, event) as Record<string, unknown>);
}

function fillPart(part: unknown, event: unknown): unknown {
  if (typeof part === 'string') return part.replaceAll(placeholder, (_, path: string) => textAt(event, path));
  if (Array.isArray(part)) return part.map(one => fillPart(one, event));
  if (!isObject(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, fillPart(one, event)]));
}

const placeholder = /\$\{([a-zA-Z_][a-zA-Z0-9_.]*)\}/g;

function textAt(event: unknown, path: string): string {
  let value = event;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
    value = (value as Record<string, unknown>)[name];
  }
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
