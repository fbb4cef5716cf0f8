/** Something in the life of a session: `<subject>.<moment>`. The full public vocabulary, in the order things happen. */
export const eventNames = [
  'session.starting',
  'session.completed',
  'session.failed',
  'session.ended',
  'session.paused',
  'session.resumed',
  'session.stalling',
  'budget.reached',
  'plan.completed',
  'stage.starting',
  'stage.completed',
  'iteration.starting',
  'iteration.completed',
  'iteration.failed',
  'step.dispatching',
  'task.starting',
  'task.completing',
  'task.completed',
  'turn.ending',
  'turn.ended',
  'prompt.submitting',
  'tool.calling',
  'tool.called',
  'tool.failed',
  'tools.called',
  'file.edited',
  'file.changed',
  'folder.changed',
  'approval.requested',
  'permission.requesting',
  'permission.denied',
  'notification.sent',
  'subagent.starting',
  'subagent.ending',
  'context.compacting',
  'context.compacted',
  'instructions.loaded',
  'config.changing',
  'score.recorded',
  'teammate.idling',
  'branch.creating',
  'commit.creating',
  'workspace.preparing',
  'workspace.removing',
] as const;

export type EventName = (typeof eventNames)[number];

/** A moment in -ing has not happened yet: hooks may refuse it. */
export type PendingEventName = Extract<EventName, `${string}ing`>;

export const isPending = (name: EventName): name is PendingEventName => name.endsWith('ing');

export type ToolKind = 'shell' | 'edit' | 'read' | 'search' | 'fetch' | 'mcp';

/** What an agent's protocol tells of a tool call that neither its name nor its input says. */
export interface ToolFacts {
  /** Further names that the call was given. */
  names?: readonly string[];
  kinds?: readonly ToolKind[];
  files?: readonly string[];
  /** How many lines of each file the call has changed. */
  changes?: readonly { path: string; added: number; removed: number }[];
}

/** What a session has spent so far, as conditions and hooks know it. */
export interface Spending {
  /** USD. */
  cost: number;
  tokens: number;
  turns: number;
  /** How full the model's context is in the present conversation. */
  contextPercent: number;
}

/** The types that a field may have, and what a value of each is to whoever reads it. */
interface FieldTypes {
  text: string;
  number: number;
  count: number;
  lines: readonly string[];
  flag: boolean;
  json: unknown;
}

type FieldType = keyof FieldTypes;

export interface FieldRule {
  type: FieldType;
  /** Other names the field is accepted under; `name@where` only in those events. */
  also: readonly string[];
  /** Events (or subjects, as `task.`) in which the name means this field; absent: in every event. */
  in?: readonly string[];
}

const field = <Type extends FieldType>(type: Type, names: Partial<Pick<FieldRule, 'also' | 'in'>> = {}) => ({
  type,
  also: [],
  ...names,
});

/** One event has one set of fields, whichever spelling fired it. Case and underscores of names do not matter. What each is says event-docs.ts. */
const fields = {
  session: field('text', { also: ['runId', 'sessionId'] }),
  at: field('text', { also: ['timestamp'] }),
  cwd: field('text'),
  agent: field('text'),
  role: field('text'),
  stage: field('text'),
  nextStage: field('text'),
  iteration: field('count'),
  maxIterations: field('count'),
  lastDecision: field('text'),
  decidedBy: field('text', { in: ['iteration.completed'] }),
  progress: field('text'),
  statusFile: field('text', { also: ['STATUS'] }),
  contextFile: field('text', { also: ['CTX'] }),
  changedFiles: field('lines'),
  stageOutputs: field('lines'),
  error: field('text', {
    also: ['errorMessage'],
    in: ['session.failed', 'iteration.failed', 'tool.failed'],
  }),
  taskId: field('text', { also: ['id'], in: ['task.'] }),
  content: field('text', {
    also: ['taskContent', 'taskSubject', 'subject', 'label', 'title'],
    in: ['task.'],
  }),
  tool: field('text', { also: ['toolName'], in: ['tool.', 'permission.'] }),
  input: field('json', {
    also: ['toolInput', 'toolArgs'],
    in: ['tool.', 'permission.'],
  }),
  output: field('json', { also: ['toolResponse', 'toolOutput', 'result'], in: ['tool.'] }),
  toolCallId: field('text', { also: ['toolUseId', 'callId'], in: ['tool.', 'permission.'] }),
  calls: field('json', {
    also: ['toolCalls'],
    in: ['tools.called'],
  }),
  file: field('text', {
    also: ['filePath', 'path'],
    in: ['file.', 'config.', 'instructions.'],
  }),
  change: field('text', { also: ['event'], in: ['file.changed'] }),
  oldFolder: field('text', { also: ['oldCwd'], in: ['folder.'] }),
  newFolder: field('text', { also: ['newCwd'], in: ['folder.'] }),
  score: field('number', { in: ['score.'] }),
  target: field('number', { in: ['score.'] }),
  title: field('text', { in: ['approval.'] }),
  question: field('text', { in: ['approval.'] }),
  context: field('json', { in: ['approval.'] }),
  message: field('text', {
    also: ['prompt@prompt.', 'lastAssistantMessage@turn.', 'lastAssistantMessage@subagent.'],
    in: ['prompt.', 'turn.', 'subagent.', 'notification.'],
  }),
  again: field('flag', {
    also: ['stopHookActive'],
    in: ['turn.ending', 'subagent.ending'],
  }),
  subagentId: field('text', { also: ['agentId'], in: ['subagent.'] }),
  subagentType: field('text', { also: ['agentType'], in: ['subagent.'] }),
  trigger: field('text', { in: ['context.'] }),
  summary: field('text', { also: ['compactSummary'], in: ['context.compacted'] }),
  kind: field('text', {
    also: ['notificationType@notification.'],
    in: ['session.paused', 'notification.'],
  }),
  until: field('text', { in: ['session.paused'] }),
  reason: field('text', { in: ['session.paused', 'session.stalling', 'permission.denied'] }),
  evidence: field('text', { in: ['session.stalling'] }),
  level: field('text', { in: ['budget.'] }),
  scope: field('text', { in: ['budget.'] }),
  unit: field('text', { in: ['budget.'] }),
  spent: field('number', { in: ['budget.'] }),
  limit: field('number', { in: ['budget.'] }),
  source: field('text', {
    also: ['loadReason@instructions.'],
    in: ['config.', 'instructions.'],
  }),
  workspace: field('text', { in: ['workspace.'] }),
  duration: field('number', { in: ['session.', 'stage.completed'] }),
  status: field('text', { in: ['session.', 'iteration.'] }),
};

export const fieldRules: Readonly<Record<keyof EventFields, FieldRule>> = fields;

/** What an event may carry. Every field is optional: a missing one is empty for the hook. */
export type EventFields = { [Name in keyof typeof fields]?: FieldTypes[(typeof fields)[Name]['type']] };

export interface HookEvent<Name extends EventName = EventName> extends EventFields {
  name: Name;
  /** Fields no one knows, passed through untouched to hooks that get JSON. */
  extra?: Readonly<Record<string, unknown>>;
  /** Hooks are matched by it; they are not shown it. */
  facts?: ToolFacts;
  /** What the session has spent by then; absent outside of one. */
  spending?: Spending;
}

/** Whose work an event is about. Where nothing says it, a stage called `plan` or `planning` is a planner's. */
export const roleOf = ({ role, stage }: Pick<HookEvent, 'role' | 'stage'>): string =>
  role ?? (stage === 'plan' || stage === 'planning' ? 'planner' : 'builder');

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
