import { fieldsOf, isObject } from '../../model/json.ts';
import { isText } from './protocol.ts';

/** A tool call as far as the agent has told of it. Each report patches the ones before. */
export interface ToolCall {
  readonly id: string;
  /** The agent is known to tell of tools of MCP servers as of kind `execute`. */
  readonly mcpAsExecute: boolean;
  title?: string;
  /** The first title. */
  announced?: string;
  name?: string;
  kind?: string;
  status: 'pending' | 'running' | 'completed' | 'failed';
  rawInput?: unknown;
  rawOutput?: unknown;
  content: readonly unknown[];
  /** The last that were shown: a report without any takes none back. */
  diffs: readonly Diff[];
  /** Paths of files. */
  locations: readonly string[];
  meta: Readonly<Record<string, unknown>>;
  /** What a terminal of the agent's own has printed. */
  terminal: string;
}

export interface Diff {
  path: string;
  before: string;
  after: string;
}

export const createToolCall = (id: string, mcpAsExecute = false): ToolCall => ({
  id,
  mcpAsExecute,
  status: 'pending',
  content: [],
  diffs: [],
  locations: [],
  meta: {},
  terminal: '',
});

/** What is absent, null or of no sense stays as it was. */
export function patch(call: ToolCall, update: unknown): void {
  const { title, name, kind, status, rawInput, rawOutput, content, locations, _meta } = fieldsOf(update);
  if (isText(title)) {
    call.title = title;
    call.announced ??= title;
  }
  if (isText(name)) call.name = name;
  if (typeof kind === 'string') call.kind = kind;
  if (typeof status === 'string') call.status = statuses.get(status) ?? call.status;
  const diffs = diffsIn(content);
  if (diffs.length > 0) call.diffs = diffs;
  const isInput = rawInput !== undefined && rawInput !== null && !isShownOnly(rawInput, diffs);
  if (isInput && !(isEmpty(rawInput) && hasInput(call))) call.rawInput = rawInput;
  if (rawOutput !== undefined && rawOutput !== null) call.rawOutput = rawOutput;
  if (Array.isArray(content)) call.content = content;
  if (Array.isArray(locations)) call.locations = locations.map(location => fieldsOf(location)['path']).filter(isText);
  const meta = fieldsOf(_meta);
  call.meta = {
    ...call.meta,
    ...meta,
    claudeCode: { ...fieldsOf(call.meta['claudeCode']), ...fieldsOf(meta['claudeCode']) },
  };
  const { data } = fieldsOf(meta['terminal_output_delta']);
  if (typeof data === 'string') call.terminal = (call.terminal + data).slice(-maxTerminal);
  const hasOutput = isText(call.terminal) || (call.rawOutput && !isEmpty(call.rawOutput));
  if (hasOutput && call.status === 'pending') call.status = 'running';
}

const maxTerminal = 64 * 1024;
const statuses: ReadonlyMap<string, ToolCall['status']> = new Map([
  ['pending', 'pending'],
  ['in_progress', 'running'],
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['cancelled', 'failed'],
]);

function diffsIn(content: unknown): Diff[] {
  return (Array.isArray(content) ? content : []).flatMap(part => {
    const { type, path, oldText, newText } = fieldsOf(part);
    if (type !== 'diff' || !isText(path)) return [];
    return [{ path, before: isText(oldText) ? oldText : '', after: typeof newText === 'string' ? newText : '' }];
  });
}

/** What opencode puts before a person in place of what the tool is called with: a diff that the report has as its content too. */
function isShownOnly(input: unknown, diffs: readonly Diff[]): boolean {
  const { filepath, diff, ...more } = fieldsOf(input);
  return (
    isText(diff) && Object.keys(more).length === 0 && diffs.length > 0 && diffs.every(({ path }) => path === filepath)
  );
}

/** At first many agents tell of an input without fields. */
export const hasInput = ({ rawInput }: ToolCall): boolean => rawInput !== undefined && !isEmpty(rawInput);

const isEmpty = (input: unknown): boolean => isObject(input) && Object.keys(input).length === 0;

/** Claude adds what its own hooks would see; others give an output or a text. */
export function toolOutput(call: ToolCall): unknown {
  const texts = call.content.map(part => fieldsOf(fieldsOf(part)['content'])['text']).filter(isText);
  const printed = call.terminal === '' ? texts.join('\n') : call.terminal;
  return fieldsOf(call.meta['claudeCode'])['toolResponse'] ?? call.rawOutput ?? (printed === '' ? undefined : printed);
}
