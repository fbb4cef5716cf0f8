import type { Found, Location } from '../../model/index.ts';
import { jsonOf } from '../../model/json.ts';
import { type McpServer, mcpServersOf } from '../../model/mcp-server.ts';

/** Where a project says which MCP servers there are; its hooks may call their tools. */
export const mcpFile: Location = {
  ...{ scope: 'project', base: 'root', path: '.mcp.json', holds: 'file' },
  onlyIf: '"mcpServers"',
};

export const isMcpFile = ({ location }: Found): boolean => location.path === mcpFile.path;

export type McpServers = ReadonlyMap<string, McpServer>;

/**
 * The servers of the project's file. A file that cannot be read says nothing of its own here: it may be meant for other
 * programs, and whoever calls one of its servers is told that there is none.
 */
export const readMcpServers = (files: readonly Found[]): McpServers =>
  new Map(files.flatMap(file => (file.kind === 'text' ? [...mcpServersOf(jsonOf(file.text))] : [])));
