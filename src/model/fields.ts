import type { EventFields, EventName, HookEvent } from './event.ts';

type FieldType = 'text' | 'number' | 'count' | 'lines' | 'flag' | 'json';

export interface FieldRule {
  type: FieldType;
  /** Other names the field is accepted under; `name@where` only in those events. */
  also: readonly string[];
  /** Events (or subjects, as `task.`) in which the name means this field; absent: in every event. */
  in?: readonly string[];
  doc: string;
}

/** One event has one set of fields, whichever spelling fired it. Case and underscores of names do not matter. */
export const fieldRules: Readonly<Record<keyof EventFields, FieldRule>> = {
  session: { type: 'text', also: ['runId', 'sessionId'], doc: 'Name of the session' },
  at: { type: 'text', also: ['timestamp'], doc: 'When it happened, ISO 8601; filled in if absent' },
  cwd: { type: 'text', also: [], doc: 'Folder the agent works in' },
  agent: { type: 'text', also: [], doc: 'Which agent it is about' },
  role: { type: 'text', also: [], doc: 'planner or builder; gates run for builders only' },
  stage: { type: 'text', also: [], doc: 'Current stage' },
  nextStage: { type: 'text', also: [], doc: 'Next stage, empty in the last' },
  iteration: { type: 'count', also: [], doc: 'Current iteration, from 1' },
  maxIterations: { type: 'count', also: [], doc: 'Maximum of iterations' },
  lastDecision: { type: 'text', also: [], doc: 'Decision of the last iteration' },
  decidedBy: {
    type: 'text',
    also: [],
    in: ['iteration.completed'],
    doc: 'judge, where one decided in place of the agent',
  },
  progress: { type: 'text', also: [], doc: 'Path of the progress file' },
  statusFile: { type: 'text', also: ['STATUS'], doc: 'Path of status.json' },
  contextFile: { type: 'text', also: ['CTX'], doc: 'Path of context.json' },
  changedFiles: { type: 'lines', also: [], doc: 'Files modified in this iteration' },
  stageOutputs: { type: 'lines', also: [], doc: 'Output files of the stage' },
  error: {
    type: 'text',
    also: ['errorMessage'],
    in: ['session.failed', 'iteration.failed', 'tool.failed'],
    doc: 'What went wrong',
  },
  taskId: { type: 'text', also: ['id'], in: ['task.'], doc: 'Which task' },
  content: {
    type: 'text',
    also: ['taskContent', 'taskSubject', 'subject', 'label', 'title'],
    in: ['task.'],
    doc: 'Text of the task',
  },
  tool: { type: 'text', also: ['toolName'], in: ['tool.', 'permission.'], doc: 'The tool as the agent calls it' },
  input: {
    type: 'json',
    also: ['toolInput', 'toolArgs'],
    in: ['tool.', 'permission.'],
    doc: 'What the tool is called with',
  },
  output: {
    type: 'json',
    also: ['toolResponse', 'toolOutput', 'result'],
    in: ['tool.'],
    doc: 'What the tool gave back',
  },
  toolCallId: {
    type: 'text',
    also: ['toolUseId', 'callId'],
    in: ['tool.', 'permission.'],
    doc: 'Identity of the call',
  },
  file: { type: 'text', also: ['filePath', 'path'], in: ['file.'], doc: 'The edited file' },
  score: { type: 'number', also: [], in: ['score.'], doc: 'The score' },
  target: { type: 'number', also: [], in: ['score.'], doc: 'The score to reach' },
  title: { type: 'text', also: [], in: ['approval.'], doc: 'Heading of the question' },
  question: { type: 'text', also: [], in: ['approval.'], doc: 'What a person is asked' },
  context: { type: 'json', also: [], in: ['approval.'], doc: 'What the person needs to know, with context files' },
  message: {
    type: 'text',
    also: ['prompt@prompt.', 'lastAssistantMessage@turn.'],
    in: ['prompt.', 'turn.'],
    doc: 'The prompt, or the last words of the agent',
  },
  again: {
    type: 'flag',
    also: ['stopHookActive'],
    in: ['turn.ending'],
    doc: 'true once hooks have sent the agent back to work',
  },
  duration: { type: 'number', also: [], in: ['session.', 'stage.completed'], doc: 'How long it took, ms' },
  status: { type: 'text', also: [], in: ['session.', 'iteration.'], doc: 'completed or failed' },
};

export type EventReading = { kind: 'event'; event: HookEvent } | { kind: 'bad'; flaws: readonly string[] };

/** Reads a payload in any dialect's field names. A known field of the wrong type is a flaw that names the field as it was written. */
export function toEvent(name: EventName, payload: Readonly<Record<string, unknown>>, now: () => string): EventReading {
  const fields: Record<string, unknown> = {};
  const flaws: string[] = [];
  const keys = fieldKeys(name, payload);
  for (const [field, { key }] of keys) {
    const value = payload[key];
    if (value === null || value === undefined) continue;
    const { type } = fieldRules[field];
    const converted = convert(value, type);
    if (converted === undefined) flaws.push(`"${key}" must be ${typeNames[type]}`);
    else fields[field] = converted;
  }
  if (flaws.length > 0) return { kind: 'bad', flaws };
  const taken = new Set([...keys.values()].map(({ key }) => key));
  const rest = Object.entries(payload).filter(([key]) => !taken.has(key));
  let at: string | undefined;
  const event = {
    // The first date makes Node look for the time zone; few hooks ask for it.
    get at() {
      at ??= now();
      return at;
    },
    ...fields,
    name,
    ...(rest.length > 0 && { extra: Object.fromEntries(rest) }),
  };
  return { kind: 'event', event: event as HookEvent };
}

/** Which key of the payload gives which field: of several names for one field the one that stands first in its rule. */
function fieldKeys(
  name: EventName,
  payload: Readonly<Record<string, unknown>>,
): Map<Field, { key: string; rank: number }> {
  const found = new Map<Field, { key: string; rank: number }>();
  for (const key of Object.keys(payload)) {
    const folded = fold(key);
    for (const field of fieldNames) {
      const rank = rankOf(folded, field, name);
      const before = rank === -1 ? undefined : found.get(field);
      if (rank !== -1 && (before === undefined || rank < before.rank)) found.set(field, { key, rank });
    }
  }
  return found;
}

type Field = keyof EventFields;

const fieldNames = Object.keys(fieldRules) as Field[];

/** Which of a field's names this is in an event; -1: none. */
function rankOf(folded: string, field: Field, event: EventName): number {
  const { also, in: where } = fieldRules[field];
  if (isName(folded, field, event)) return coversEvent(where, event) ? 0 : -1;
  const at = also.findIndex(written => isName(folded, written, event));
  return at === -1 || !coversEvent(where, event) ? -1 : at + 1;
}

/** Our names have no underscores, so one of another length is another one. */
function isName(folded: string, written: string, event: EventName): boolean {
  const end = written.indexOf('@');
  if (end === -1) return written.length === folded.length && fold(written) === folded;
  return fold(written.slice(0, end)) === folded && coversEvent([written.slice(end + 1)], event);
}

/** Whether a rule's `in` (or `@where`) covers an event. */
export const coversEvent = (where: readonly string[] | undefined, name: EventName): boolean =>
  where === undefined || where.some(part => (part.endsWith('.') ? name.startsWith(part) : name === part));

/** STATUS is a path and `status` a word: the one name whose case matters. */
const fold = (key: string): string => (key === 'STATUS' ? key : key.replaceAll('_', '').toLowerCase());

const typeNames: Record<FieldType, string> = {
  text: 'a text',
  number: 'a number',
  count: 'a whole number',
  lines: 'a list of texts, or one text a line',
  flag: 'true or false',
  json: 'a value',
};

function convert(value: unknown, type: FieldType): unknown {
  if (type === 'json') return value;
  if (type === 'text') return typeof value === 'string' ? value : undefined;
  if (type === 'flag') return typeof value === 'boolean' ? value : undefined;
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  if (type === 'count') return Number.isSafeInteger(value) && (value as number) >= 0 ? value : undefined;
  if (typeof value === 'string') return value.split('\n').filter(line => line !== '');
  return Array.isArray(value) && value.every(item => typeof item === 'string') ? value : undefined;
}
