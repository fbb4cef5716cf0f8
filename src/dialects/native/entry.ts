import {
  type Conflict,
  duration,
  either,
  type FieldFlaw,
  filled,
  flag,
  list,
  oneOf,
  type RecordShape,
  record,
  type Shape,
  type ValueOf,
  type VariantShape,
  variant,
} from '../../config/shape.ts';
import type { EventName, FileAction } from '../../model/index.ts';
import * as common from '../shared/action-shapes.ts';
import { type ActionEntry, actionShapes, entryFlaws } from '../shared/action-shapes.ts';
import { variableTypes } from '../shared/hooks-file.ts';
import { nativeVariables } from './wire.ts';

/** An entry as it is used: a short form stands as the action it names, with what it must match beside it. */
export type NativeEntry = ActionEntry & Matchers & ValueOf<{ type: 'record'; fields: Own; required: readonly [] }>;

type Own = typeof gating & typeof ofShell & typeof flaky & typeof onlyChanged;

interface Matchers {
  tool?: string | string[];
  /** Of the action; `commands` are those of a tool call. */
  commands?: string | string[];
  files?: string | string[];
  agent?: string | string[];
}

const name = { ...filled(), commas: true } as const;
const names = either([name, { ...list(name), nonEmpty: true } as const]);
const command = either([filled(), { ...list(filled()), nonEmpty: true } as const]);
const matchers = {
  tool: { ...names, doc: "Tool names, comma list, globs allowed; or /MATCHER/, as in Claude Code's hooks" },
  command: { ...command, doc: 'Beginnings of commands that a shell call runs, as in "git push"; a word may be a glob' },
  files: { ...names, doc: 'Patterns over the files of a change, comma list' },
  agent: { ...names, doc: 'Names of agents, comma list' },
} as const;

const mode = {
  mode: oneOf(['shadow'], 'shadow: runs and is recorded, decides nothing and tells the agent nothing'),
} as const;

/** Of checks: what a model or a program says may be another thing the next time, or must be the same. */
const flaky = {
  flaky: { type: 'number', integer: true, min: 1, max: 10, doc: 'How often it runs again where it fails (1 to 10)' },
} as const;

const onlyChanged = {
  only_changed: flag('Does not run where none of its files changed since it last passed in the session'),
} as const;

const gating = {
  ...mode,
  gate: flag('Whether its failure refuses what is about to happen (default true for moments in -ing)'),
  block: flag('The same as gate'),
  feedback: either(
    [flag(), oneOf(['failure', 'always', 'now', 'next-prompt'])],
    'When its output goes to the agent: failure, always (with the next prompt), now',
  ),
  always: flag('Runs also after another hook has refused'),
} as const;

const ofShell = {
  answers: oneOf(['json'], 'json: its stdout is an answer as hooks of Claude Code give it'),
  refuses_on: {
    ...either([
      { ...list({ type: 'number', integer: true, min: 1, max: 255 } as const), nonEmpty: true } as const,
      oneOf(['answer']),
    ]),
    doc: 'Exit codes that refuse, others are reported; answer: only its answer refuses',
  } as const,
  pure: flag('It reads the event and files, changes nothing, and answers the same every time: backtest may run it'),
} as const;

const failing = {
  ...common.failing,
  on_failure: oneOf(['abort', 'continue', 'retry', 'revise'], 'What its failure means; revise sends the work back'),
};

/** Those that only some events have. */
const ofSome = {
  ...({ SOURCE: 'string', REASON: 'string', KIND: 'string', UNTIL: 'string' } as const),
  ...({ EVIDENCE: 'string', LEVEL: 'string', SCOPE: 'string' } as const),
} as const;

export const variables = { ...variableTypes(nativeVariables), ...ofSome } as const;

/** What a short form is called, the action it stands for, and where its main value goes. */
const shortForms = {
  shell: { type: 'shell', into: 'command' },
  webhook: { type: 'webhook', into: 'url' },
  spawn: { type: 'spawn', into: 'pipeline' },
  judge: { type: 'judge', into: 'prompt' },
  ask: { type: 'ask', into: 'question' },
  deny: { type: 'deny', into: 'text' },
  tell: { type: 'tell', into: 'text' },
} as const satisfies Record<string, { type: FileAction['kind']; into: string }>;

type ShortForm = keyof typeof shortForms;

/** What one entry of an event may be: a command as a text, a short form, or an action with its `type`. */
export function entryShape(event: EventName): VariantShape {
  const subject = subjects.find(each => each.events.some(start => event.startsWith(start)))!;
  const known = shapes.get(subject) ?? shapeFor(subject);
  shapes.set(subject, known);
  return known;
}

/** Events of one kind, and what of them a hook can be held against. */
interface Subject {
  events: readonly string[];
  about: Partial<typeof matchers>;
  /** What its checks can say beside. */
  ofChecks?: typeof onlyChanged;
}

const { agent } = matchers;
const subjects: readonly Subject[] = [
  { events: ['tool.', 'permission.'], about: matchers },
  { events: ['task.completing'], about: { files: matchers.files, agent }, ofChecks: onlyChanged },
  { events: ['file.'], about: { files: matchers.files, agent } },
  { events: [''], about: { agent } },
];
const shapes = new Map<Subject, VariantShape>();

function shapeFor({ about, ofChecks }: Subject): VariantShape {
  const checks = { ...flaky, ...ofChecks };
  const misplaced = misplacedIn(about);
  const match = record(about, { doc: 'What must hold before it runs', closed: true, misplaced });
  // `command` beside a long form, and beside `shell`, would be the action's own.
  const { command: ofCalls, ...beside } = { ...about, match };
  const matching = ofCalls === undefined ? beside : { command: ofCalls, ...beside };
  const { name: called, when, await: waits } = common.whenever;
  const short = (main: ShortForm, value: Shape, fields: Readonly<Record<string, Shape>>, doc: string): RecordShape =>
    record(
      { [main]: value, name: called, when, ...fields },
      { required: [main], doc, closed: true, misplaced, ...conflictsOf(fields), check: value => flawsOf(value, main) },
    );
  const isCommand = {
    command: {
      message: 'what a shell action runs stands behind shell:',
      hint:
        ofCalls === undefined
          ? 'remove command:'
          : 'to match the commands of a tool call write match: { command: ... }',
    },
  };
  const shell = short(
    'shell',
    filled('Shell command; variables are in its environment'),
    {
      await: waits,
      timeout: duration('0 = no limit (default 5m)'),
      ...failing,
      ...common.shellRetries,
      ...checks,
      interpreter: oneOf(['sh', 'bash'], 'Shell that runs the command (default sh)'),
      ...ofShell,
      ...beside,
      ...gating,
    },
    'Runs a command',
  );
  const keyed: Record<ShortForm, RecordShape> = {
    shell: { ...shell, misplaced: { ...shell.misplaced, ...isCommand } },
    webhook: short(
      'webhook',
      common.webhookUrl,
      {
        await: waits,
        timeout: duration('0 = no limit (default 1m)'),
        on_failure: common.failing.on_failure,
        ...common.requestFields,
        ...matching,
        ...gating,
      },
      'Sends an HTTP request; anything but a 2xx is a failure',
    ),
    spawn: short(
      'spawn',
      filled('Name or path of the pipeline'),
      {
        await: waits,
        timeout: duration('0 = no limit (default 1h)'),
        ...common.failing,
        ...common.shellRetries,
        ...checks,
        ...common.childFields,
        ...matching,
        ...gating,
      },
      'Runs a child pipeline',
    ),
    judge: short(
      'judge',
      filled('Question about the event, answered with yes or no'),
      {
        tools: flag('false: it only answers, and looks at nothing (default true)'),
        refuses_on: oneOf(['answer'], 'answer: its no refuses, and one that cannot answer does not'),
        timeout: duration('0 = no limit (default 2m)'),
        ...common.failing,
        ...common.shellRetries,
        ...checks,
        ...matching,
        ...gating,
      },
      'Asks a model; a no refuses',
    ),
    ask: short(
      'ask',
      filled('Question to a person'),
      {
        timeout: duration('No answer by then is a no; 0 = no limit (default 1h)'),
        ...common.questionFields,
        notify: { ...common.webhookUrl, doc: 'Where the question is sent as well' },
        ...common.requestFields,
        ...matching,
        ...mode,
        gate: gating.gate,
      },
      'Asks a person and waits; a no refuses',
    ),
    deny: short(
      'deny',
      filled('What the agent is told'),
      { ...matching, ...mode },
      'Refuses, without running anything',
    ),
    tell: short(
      'tell',
      filled('What the agent is told'),
      { ...matching, ...mode },
      'Tells the agent something, without running anything',
    ),
  };
  const long = actionShapes(
    variables,
    { ...beside, ...gating },
    {
      shell: oneOf(['sh', 'bash'], 'Shell that runs the command (default sh)'),
      on_failure: failing.on_failure,
      ...ofShell,
    },
  );
  const { command: _, ...withoutCommand } = misplaced;
  const of = Object.fromEntries(
    Object.entries(long).map(([type, shape]) => {
      const fields = type === 'webhook' ? shape.fields : { ...shape.fields, ...checks };
      return [
        type,
        { ...shape, fields, ...conflictsOf(fields), misplaced: type === 'shell' ? withoutCommand : misplaced },
      ];
    }),
  );
  return variant(of, { noun: 'an action', keyed, asText: 'shell' });
}

function misplacedIn(about: Subject['about']): NonNullable<RecordShape['misplaced']> {
  const words = { tool: 'a tool', command: 'a shell command', files: 'files' };
  return Object.fromEntries(
    Object.entries(words)
      .filter(([key]) => !Object.hasOwn(about, key))
      .map(([key, subject]) => [key, { message: `this event is not about ${subject}`, hint: `remove ${key}:` }]),
  );
}

const conflicts: readonly Conflict[] = [
  {
    fields: { gate: null, block: null },
    message: 'gate and block are the same setting',
    hint: 'remove one of the two',
  },
  ...(['retries', 'retry_delay'] as const).map(field => ({
    fields: { flaky: null, [field]: null },
    message: `flaky and ${field} do not go together: flaky is about a check that says no, ${field} about one that could not run`,
    hint: 'remove one of the two',
  })),
  {
    fields: { flaky: null, on_failure: 'retry' },
    message: 'flaky and on_failure: retry do not go together: both run the hook again',
    hint: 'remove one of the two',
  },
  ...(['gate', 'block'] as const).map(field => ({
    fields: { [field]: false, on_failure: 'abort' },
    message: 'a hook that is not a gate cannot end the session',
    hint: `remove ${field}: false, or write on_failure: continue`,
  })),
  ...(['gate', 'block'] as const).map(field => ({
    fields: { [field]: false, on_failure: 'revise' },
    message: 'a hook that is no gate sends nothing back',
    hint: `remove ${field}: false, or write on_failure: continue`,
  })),
];

/** Those that a record with these fields can have. */
const conflictsOf = (has: Readonly<Record<string, Shape>>): Pick<RecordShape, 'conflicts'> => ({
  conflicts: conflicts.filter(({ fields }) =>
    Object.entries(fields).every(([name, value]) => Object.hasOwn(has, name) && mayBe(has[name]!, value)),
  ),
});

const mayBe = (shape: Shape, value: string | boolean | null): boolean =>
  typeof value !== 'string' || shape.type !== 'text' || (shape.values?.includes(value) ?? true);

/** As those of the action it stands for; what is wrong with its main value is told there. */
function flawsOf(value: Written, main: ShortForm): FieldFlaw[] {
  if (value[main] === undefined) return [];
  return entryFlaws(variables)(expandEntry(value).entry).map(flaw =>
    flaw.field === shortForms[main].into ? { ...flaw, field: main } : flaw,
  );
}

type Written = Readonly<Record<string, unknown>> & {
  match?: Omit<Matchers, 'commands'> & { command?: string | string[] };
};

/** A short form as the action it stands for; what stands in `match` counts where the entry itself does not say it. */
export function expandEntry(value: unknown): { entry: NativeEntry; commandKey?: string } {
  const { match = {}, ...written } = value as Written;
  const { command: inMatch, ...others } = match;
  if (written['type'] !== undefined)
    return {
      entry: { ...others, ...written, ...(inMatch !== undefined && { commands: inMatch }) } as unknown as NativeEntry,
    };
  const main = Object.keys(shortForms).find(key => written[key] !== undefined) as ShortForm;
  const { type, into } = shortForms[main];
  const { [main]: text, command: beside, interpreter, ...rest } = written;
  const commands = beside ?? inMatch;
  const entry = {
    ...others,
    ...rest,
    type,
    [into]: text,
    // A request has a minute to be delivered in.
    ...(main === 'webhook' && { timeout: rest['timeout'] ?? 60 }),
    ...(commands !== undefined && { commands }),
    ...(interpreter !== undefined && { shell: interpreter }),
  };
  return { entry: entry as unknown as NativeEntry, ...(main === 'shell' && { commandKey: 'shell' }) };
}
