import { childOf, type Located } from '../../config/located.ts';
import type { Report } from '../../config/report.ts';
import type { EventName, Match } from '../../model/index.ts';
import { events } from './events.ts';

interface Filters {
  event: string;
  pattern?: string;
  tool_name?: string;
}

const usedBy: Record<'pattern' | 'tool_name', { events: readonly EventName[]; hint: string }> = {
  pattern: { events: ['file.edited'], hint: 'it is for after_edit' },
  tool_name: {
    events: ['tool.calling', 'tool.called', 'tool.failed', 'permission.requesting'],
    hint: 'it is for tool events like pre_tool',
  },
};

/** Which files and tools a hook is for. */
export function readMatch(entry: Filters, node: Located, report: Report): Match {
  const names = readFilter('tool_name', entry, node, report);
  const files = readFilter('pattern', entry, node, report);
  return {
    ...(names.length > 0 && { tool: { kind: 'names', names } }),
    ...(files.length > 0 && { files }),
  };
}

/** A filter that the event cannot use is ignored: if it counted, the hook would never run and a gate would be lost. */
function readFilter(key: 'pattern' | 'tool_name', entry: Filters, node: Located, report: Report): string[] {
  const written = entry[key];
  if (written === undefined) return [];
  if (usedBy[key].events.includes(events[entry.event]![0]!)) return splitList(written);
  report.warning(childOf(node, key)!.span, `${key} has no effect on ${entry.event}`, usedBy[key].hint);
  return [];
}

/** Parts between commas; a comma inside braces belongs to its part. */
function splitList(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of text) {
    if (char === '{') depth += 1;
    if (char === '}') depth = Math.max(0, depth - 1);
    if (char === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map(part => part.trim()).filter(part => part !== '');
}
