import { flowText } from '../config/flow-text.ts';
import { wires } from '../dialects/wires.ts';
import { createLook } from '../hooks/discovery/look.ts';
import { loadApplyingHooks } from '../hooks/plan/compile.ts';
import {
  type Action,
  coversEvent,
  type Decision,
  type EventName,
  fieldRules,
  type HookDefinition,
  type HookEvent,
  type HookId,
  type HookResult,
  strictest,
} from '../model/index.ts';
import { type Fields, isObject } from '../model/json.ts';
import { toKnown } from '../model/known-record.ts';
import { firingOf, formatKey, parseKey } from '../model/step-key.ts';
import { fileOf, shellTextOf } from '../model/tool-call.ts';
import { oneLine } from '../model/words.ts';
import type { AnswerWord } from './answer-word.ts';
import { askedBy, type Unasked } from './ask-no-one.ts';
import type { Context } from './context.ts';
import { unknownFields } from './event-fields.ts';
import { type LogEnd, type NamedSession, readLog } from './sessions.ts';

/** A case as a file has it. */
export interface RecordedCase {
  name: string;
  event: EventName;
  with: Fields;
  expect: AnswerWord;
  message?: string;
  hooks?: readonly string[];
}

export interface RecordedCases {
  end: LogEnd;
  cases: readonly RecordedCase[];
}

/**
 * What happened in a session, as cases for the hooks that apply outside it: each event once, with what was decided the
 * last time. Events whose fields were too long to be recorded are left out.
 */
export async function recordTests(session: NamedSession, context: Context): Promise<RecordedCases> {
  const { hooks } = loadApplyingHooks({ cwd: session.root, env: context.env, look: createLook() });
  const firings = new Map<string, Firing>();
  const inputs = new Map<string, unknown>();
  const end = await readLog(session, context, {
    onEntry(stored) {
      const entry = toKnown(stored);
      if (entry?.kind === 'event' && entry.key !== undefined) {
        const { event } = entry;
        if (event.name === 'tool.calling' && event.toolCallId !== undefined) inputs.set(event.toolCallId, event.input);
        const ofCall = event.toolCallId === undefined ? undefined : inputs.get(event.toolCallId);
        firings.set(entry.key, { event: { ...event, input: event.input ?? ofCall }, results: [] });
      }
      if (entry?.kind === 'hook.finished')
        firings.get(formatKey(firingOf(parseKey(entry.key))))?.results.push({ ...entry.result, hook: entry.hook });
    },
  });
  return { end, cases: withNames([...casesOf(firings.values(), hooks)]) };
}

interface Firing {
  event: HookEvent;
  results: HookResult[];
}

function casesOf(firings: Iterable<Firing>, hooks: readonly HookDefinition[]): Iterable<RecordedCase> {
  const listened = new Set(hooks.map(({ event }) => event));
  const byId = new Map(hooks.map(hook => [hook.id, hook]));
  const cases = new Map<string, RecordedCase>();
  for (const { event, results } of firings) {
    if (!listened.has(event.name)) continue;
    const fields = fieldsOf(event);
    if (!fields) continue;
    const { iteration: _iteration, taskId: _taskId, ...lasting } = fields;
    const key = JSON.stringify([event.name, lasting]);
    // Of the same event the last one stands where the last one was.
    cases.delete(key);
    cases.set(key, { name: '', event: event.name, with: fields, ...decided(results, byId) });
  }
  return cases.values();
}

/**
 * The fields that the event has by itself, without what names one call or one moment; undefined where something of it was
 * too long for the journal. A session tells its hooks more, as far as it knows it.
 */
function fieldsOf({ name, input, file, extra, ...event }: HookEvent): Fields | undefined {
  if (isObject(input) && input['cut'] === true && typeof input['head'] === 'string') return undefined;
  const { command, ...others } = isObject(input) ? input : {};
  const isPlain = typeof command === 'string' && Object.keys(others).length === 0;
  const told: Fields = {
    tool: event.tool,
    ...(isPlain ? { command } : { input }),
    // A tool's input names it mostly itself.
    file: coversEvent(fieldRules.input.in, name) && fileOf(input) === file ? undefined : file,
    ...{ source: extra?.['source'], reason: extra?.['reason'] },
    ...event,
  };
  const foreign = new Set(unknownFields([name], told).map(({ key }) => key));
  return Object.fromEntries(
    Object.entries(told).filter(
      ([key, value]) => value !== undefined && value !== '' && !momentary.has(key) && !foreign.has(key),
    ),
  );
}

const momentary: ReadonlySet<string> = new Set([
  ...['at', 'session', 'cwd', 'progress', 'statusFile', 'contextFile', 'toolCallId', 'duration', 'facts', 'spending'],
]);

/** What the same hooks decide where no one is asked. Hooks of the session's own pipeline do not count. */
function decided(
  all: readonly HookResult[],
  hooks: ReadonlyMap<HookId, HookDefinition>,
): Pick<RecordedCase, 'expect' | 'message' | 'hooks'> {
  const results = all.filter(({ hook, status }) => hooks.has(hook) && status !== 'skipped');
  const asking = results.findIndex(({ hook, status }) => status === 'finished' && asks(hooks.get(hook)!.action));
  const refusals = results.map(result =>
    result.status === 'finished' ? result.decision : ({ kind: 'proceed' } as const),
  );
  const asker = hooks.get(results[asking]?.hook ?? '');
  if (asker) {
    // In order, what came after the question would not have run; side by side, a refusal is stricter.
    const isFirst = wires.find(({ name }) => name === asker.source.dialect)?.order === 'in-order';
    const others = refusals.filter((_, at) => at !== asking && (!isFirst || at < asking));
    const stricter = strictest(others);
    if (stricter.kind === 'proceed' || stricter.kind === 'revise') return { expect: asks(asker.action)! };
    return { expect: stricter.kind };
  }
  const decision = strictest(refusals);
  const names = results.map(({ hook }) => hooks.get(hook)!.name);
  return { expect: wordOf(decision), ...messageOf(decision), hooks: names };
}

const asks = (action: Action): 'ask' | 'judge' | undefined =>
  (({ person: 'ask', judge: 'judge' }) as const)[askedBy(action) as Unasked['of']];

const wordOf = (decision: Decision): AnswerWord => (decision.kind === 'block' && decision.ask ? 'ask' : decision.kind);

/** The first line of it: what follows is what the hook has printed, which is seldom twice the same. */
function messageOf(decision: Decision): { message?: string } {
  if (decision.kind === 'proceed') return {};
  const line = decision.reason.split('\n', 1)[0]!.slice(0, 120).trim();
  return line === '' ? {} : { message: line };
}

/** `tool.calling: Bash git push is blocked`; a second one of the same name has a number. */
function withNames(cases: readonly RecordedCase[]): RecordedCase[] {
  const used = new Map<string, number>();
  return cases.map(each => {
    const { tool, command, input, file, content, message } = each.with;
    const call = tool === undefined ? '' : `${tool} ${command ?? shellTextOf(input) ?? fileOf(input) ?? ''}`;
    const about = oneLine(String(tool === undefined ? (file ?? content ?? message ?? '') : call), 70);
    const name = `${each.event}${about === '' ? '' : `: ${about}`} ${endings[each.expect]}`;
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    return { ...each, name: count === 1 ? name : `${name} (${count})` };
  });
}

const endings: Readonly<Record<AnswerWord, string>> = {
  proceed: 'passes',
  block: 'is blocked',
  revise: 'is sent back',
  abort: 'ends the session',
  ask: 'is asked about',
  judge: 'is judged',
};

/** Cases as a file in YAML that `hookloop test` reads. */
export const testFileText = (session: string, cases: readonly RecordedCase[]): string =>
  [
    '# yaml-language-server: $schema=./node_modules/hookloop/schema/test.schema.json',
    `# What happened in the session ${session}.`,
    'tests:',
    ...cases.flatMap(({ name, event, with: fields, expect, message, hooks }) => [
      `  - name: ${flowText(name)}`,
      `    event: ${event}`,
      ...(Object.keys(fields).length > 0 ? [`    with: ${flowText(fields)}`] : []),
      `    expect: ${expect}`,
      ...(message === undefined ? [] : [`    message: ${flowText(message)}`]),
      ...(hooks === undefined ? [] : [`    hooks: ${flowText(hooks)}`]),
    ]),
    '',
  ].join('\n');
