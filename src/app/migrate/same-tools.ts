import { createMatch } from '../../engine/match.ts';
import type { HookDefinition, HookEvent, Match, Places, ToolMatch } from '../../model/index.ts';
import { kindFamilies } from '../../model/tool-call.ts';

/** How a native file says which tools a hook is for: names where they mean the same, else the matcher itself. */
export function toolWords(tool: ToolMatch | undefined, places: Places): string | undefined {
  if (tool === undefined) return undefined;
  if (tool.kind === 'names') return tool.names.join(', ');
  const names = tool.matcher.split(/[|,]/).map(name => name.trim());
  const plain = [names, ...kinds.map(kind => [kind])].filter(list => list.every(name => /^\w+$/.test(name)));
  const hits = hitsOf(tool, places);
  const same = plain.find(list => hitsOf({ kind: 'names', names: list }, places) === hits);
  return same === undefined ? `/${tool.matcher}/` : same.join(', ');
}

const kinds = ['shell', 'edit', 'read', 'search', 'fetch', 'mcp'] as const;

/** Every tool that is known, under every name, and calls that only what they do tells apart. */
const calls: readonly HookEvent[] = [
  ...[
    ...kinds.flatMap(kindFamilies).flat(),
    'NotebookEdit',
    'notebook_edit',
    'mcp__a__b',
    'mcp_a_b',
    'Task',
    'x',
  ].flatMap(tool =>
    [tool, tool.toLowerCase(), tool.toUpperCase()].map(name => ({ name: 'tool.calling', tool: name }) as const),
  ),
  ...kinds.map(kind => ({ name: 'tool.calling', tool: 'unheard', facts: { kinds: [kind] } }) as const),
  { name: 'tool.calling', tool: 'unheard', input: { command: 'ls' } },
  { name: 'tool.calling', tool: 'Read', input: { command: 'ls' } },
  { name: 'tool.calling' },
];

function hitsOf(tool: NonNullable<Match['tool']>, places: Places): string {
  const whyNot = createMatch({ match: { tool } } as HookDefinition, places);
  return calls.map(call => (whyNot(call) === undefined ? 1 : 0)).join('');
}
