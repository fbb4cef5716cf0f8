/** Tools that agents have under different names. The first name is Claude's. */
const toolFamilies: readonly { kind: string; names: readonly string[] }[] = [
  {
    kind: 'shell',
    names: [
      ...['Bash', 'run_shell_command', 'exec_command', 'shell', 'bash', 'local_shell', 'execute_bash'],
      ...['exec', 'terminal', 'execute_command', 'run_command', 'run_terminal_cmd'],
    ],
  },
  { kind: 'edit', names: ['Write', 'write_file', 'create', 'write', 'create_file'] },
  { kind: 'edit', names: ['Edit', 'replace', 'edit', 'multi_edit', 'apply_patch', 'MultiEdit', 'str_replace'] },
  { kind: 'edit', names: ['NotebookEdit', 'notebook_edit'] },
  { kind: 'read', names: ['Read', 'read_file', 'read', 'view', 'read_many_files'] },
  { kind: 'search', names: ['Grep', 'grep', 'grep_search', 'search_file_content'] },
  { kind: 'search', names: ['Glob', 'glob', 'list_files', 'list_directory', 'list', 'LS'] },
  { kind: 'fetch', names: ['WebFetch', 'web_fetch', 'webfetch', 'fetch'] },
  { kind: 'fetch', names: ['WebSearch', 'google_web_search', 'web_search', 'websearch'] },
];

let byName: Map<string, (typeof toolFamilies)[number]> | undefined;

function familyOf(tool: string): (typeof toolFamilies)[number] | undefined {
  byName ??= new Map(toolFamilies.flatMap(family => family.names.map(name => [name.toLowerCase(), family] as const)));
  return byName.get(tool.toLowerCase());
}

/** The kind of a tool (`shell`, `edit`, `read`, `search`, `fetch`, `mcp`), whatever the agent calls it. */
export function toolKind(tool: string): string | undefined {
  return familyOf(tool)?.kind ?? (mcpName(tool) ? 'mcp' : undefined);
}

/** Every name a tool goes by: its own, its kind, and the names of the same tool in other agents. */
export function toolNames(tool: string): readonly string[] {
  const family = familyOf(tool);
  if (family) return [tool, family.kind, ...family.names];
  const mcp = mcpName(tool);
  return mcp ? [tool, 'mcp', mcp] : [tool];
}

/** What Claude calls the tool; its own name where Claude has none. */
export const claudeToolName = (tool: string): string => familyOf(tool)?.names[0] ?? mcpName(tool) ?? tool;

/** The command text of a shell call, in whatever field the agent puts it. */
export function shellTextOf(input: unknown): string | undefined {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return undefined;
  const { command, cmd, script } = input as Record<string, unknown>;
  const texts = [command, cmd, script].map(textOf);
  return texts.find(text => text?.trim()) ?? texts.find(text => text !== undefined);
}

/** The file that a tool is called with, in whatever field the agent names it. */
export function fileOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const fields = input as Record<string, unknown>;
  const value = fields['file_path'] ?? fields['filePath'] ?? fields['path'] ?? fields['notebook_path'];
  return typeof value === 'string' ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? commandLine(value.flat(3).map(plainText)) : undefined;
}

const plainText = (part: unknown): string => (typeof part === 'object' && part !== null ? '{}' : String(part));

/** `["bash", "-lc", "a && b"]` as one command line. */
const commandLine = (argv: readonly string[]): string =>
  argv.map(part => (/^[\w./=:@%+,-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`)).join(' ');

/** `mcp__SERVER__TOOL` from the spellings of the agents (Gemini: `mcp_SERVER_TOOL`). */
function mcpName(tool: string): string | undefined {
  if (/^mcp__.+__.+/.test(tool)) return tool;
  const parts = /^mcp_([^_]+)_(.+)$/.exec(tool);
  return parts ? `mcp__${parts[1]}__${parts[2]}` : undefined;
}
