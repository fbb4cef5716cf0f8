import { fieldsOf, isObject } from './json.ts';

/** How an MCP server is reached, as its file says: `${NAME}` stands for a variable of the environment. */
export type McpServer =
  | { via: 'stdio'; command: string; args: readonly string[]; env: Readonly<Record<string, string>> }
  | { via: 'http'; url: string; headers: Readonly<Record<string, string>> }
  | { via: 'none'; why: string };

/** The servers that `mcpServers` of a JSON value names. What cannot be reached stays, with the reason. */
export const mcpServersOf = (value: unknown): ReadonlyMap<string, McpServer> =>
  new Map(Object.entries(fieldsOf(fieldsOf(value)['mcpServers'])).map(([name, server]) => [name, readServer(server)]));

function readServer(value: unknown): McpServer {
  const { type, command, args = [], env = {}, url, headers = {} } = fieldsOf(value);
  const kind = type ?? (command === undefined && url !== undefined ? 'http' : 'stdio');
  if (kind === 'stdio') {
    if (!isText(command)) return none('it has no command');
    if (!Array.isArray(args) || !args.every(isText)) return none('its args are not a list of texts');
    return isTexts(env) ? { via: 'stdio', command, args, env } : none('its env is not a map of texts');
  }
  if (kind !== 'http' && kind !== 'streamable-http')
    return none(`hooks reach servers of type stdio and http, not ${JSON.stringify(kind)}`);
  if (!isText(url)) return none('it has no url');
  return isTexts(headers) ? { via: 'http', url, headers } : none('its headers are not a map of texts');
}

const none = (why: string): McpServer => ({ via: 'none', why });
const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every(isText);

/** What stands for it once variables are filled in, `${NAME:-otherwise}` where they are not set; else the names that are missing. */
export function fillServer<Server extends McpServer>(
  server: Server,
  env: Readonly<Record<string, string | undefined>>,
): { server: Server } | { missing: readonly string[] } {
  const missing = new Set<string>();
  const fill = (text: string): string =>
    text.replaceAll(/\$\{([^}]+?)(?::-([^}]*))?\}/g, (whole, name: string, otherwise?: string) => {
      const value = (Object.hasOwn(env, name) ? env[name] : undefined) ?? otherwise;
      if (value === undefined) missing.add(name);
      return value ?? whole;
    });
  const fillAll = (value: unknown): unknown => {
    if (typeof value === 'string') return fill(value);
    if (Array.isArray(value)) return value.map(fillAll);
    return Object.fromEntries(Object.entries(fieldsOf(value)).map(([key, part]) => [key, fillAll(part)]));
  };
  const filled = fillAll(server) as Server;
  return missing.size === 0 ? { server: filled } : { missing: [...missing] };
}
