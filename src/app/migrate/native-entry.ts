import {
  type Action,
  type HookDefinition,
  type Invocation,
  isPending,
  type PollTemplate,
  type WebhookAction,
} from '../../model/index.ts';
import { given } from '../../model/json.ts';

/** An entry of a native file, as its keys stand in it. */
export type Entry = Readonly<Record<string, unknown>>;

/** What a failure means and what of its output the agent hears, in the words of a native file. */
export type Manner = Readonly<Record<string, unknown>>;

/** Ways to write the same thing, shortest first: of those that mean the same, the first is written. */
export function mannersOf(hook: HookDefinition): readonly Manner[] {
  if (!hook.wait) return [{}];
  if (hook.action.kind === 'webhook' && hook.action.approval) return [questionManner(hook, hook.action)];
  const gates = hook.retry ? retryGates(hook.onFailure === 'abort') : (gatesOf[hook.action.kind] ?? ofOthers);
  return [undefined, 'failure', 'always', 'next-prompt', 'now'].flatMap(feedback =>
    gates.map(gate => ({ ...gate, ...given({ feedback }) })),
  );
}

const ofOthers: readonly Manner[] = [{}, { gate: false }, { gate: true }, { on_failure: 'abort' }];
const json = { answers: 'json' };
const ofShell: readonly Manner[] = [
  ...ofOthers,
  { on_failure: 'revise' },
  { refuses_on: [2] },
  json,
  { ...json, gate: false },
  { ...json, refuses_on: [2] },
  { ...json, refuses_on: 'answer' },
  { ...json, gate: true },
];

const ofJudges: readonly Manner[] = [...ofOthers, { refuses_on: 'answer' }];

const gatesOf: Readonly<Record<string, readonly Manner[]>> = { shell: ofShell, prompt: ofJudges, agent: ofJudges };

const retryGates = (aborts: boolean): readonly Manner[] =>
  (aborts ? ['abort'] : [undefined, 'continue']).map(next => Object.fromEntries(next ? [['then', next]] : []));

/** What no answer, a no and a question that cannot be sent mean. */
function questionManner({ onFailure, onTimeout, settings }: HookDefinition, { onReject }: WebhookAction): Manner {
  const unsentAborts = onFailure === 'abort' || settings?.['unsent'] === 'abort';
  return given({
    on_failure: unsentAborts ? undefined : 'continue',
    on_reject: onReject === 'continue' ? onReject : undefined,
    on_timeout: onTimeout === 'continue' ? onTimeout : undefined,
  });
}

/** What runs, and what must match, beside its manner. */
export interface Parts {
  /** The name of the event in the file. */
  point: string;
  /** For a shell action, as a native file has it. */
  command: string;
  tool: string | undefined;
  when: string | undefined;
  name: string | undefined;
}

export function entryOf(hook: HookDefinition, parts: Parts, manner: Manner): Entry {
  const { action, wait, timeoutMs, retry, match } = hook;
  const main = actionOf(action, parts.command);
  const isQuestion = main['type'] !== undefined && action.kind === 'webhook' && action.approval;
  return given({
    ...main,
    name: parts.name,
    tool: parts.tool,
    files: match.files?.join(', '),
    when: parts.when,
    await: isQuestion || (wait && parts.point !== hook.event) ? true : wait ? undefined : false,
    timeout: timeoutMs === defaultTimeouts[main['type'] ? 'question' : action.kind] ? undefined : durationOf(timeoutMs),
    ...(retry && { on_failure: 'retry', ...retriesOf(retry, action.kind) }),
    ...manner,
  });
}

/** The short form; a question by webhook has none. */
function actionOf(action: Action, command: string): Entry {
  switch (action.kind) {
    case 'shell':
      return given({ shell: command, interpreter: isBash(action.run) ? 'bash' : undefined });
    case 'prompt':
      return { judge: action.prompt, tools: false };
    case 'agent':
      return { judge: action.prompt };
    case 'webhook':
      return webhookOf(action);
    case 'spawn':
      return given({
        spawn: action.pipeline,
        inputs: filledOr(action.inputs),
        isolate: action.isolate,
        inherit_hooks: action.inheritHooks || undefined,
        pass_env: action.passEnv.length > 0 ? action.passEnv : undefined,
      });
    default:
      return {};
  }
}

function webhookOf(action: WebhookAction): Entry {
  const question = given({
    title: action.title,
    question: action.question,
    actions: action.actions,
    callback_port: action.callbackPort === 8765 ? undefined : action.callbackPort,
    callback_base_url: action.callbackBaseUrl,
    on_reject: !action.approval && action.onReject === 'continue' ? 'continue' : undefined,
  });
  const isLong = action.approval || Object.keys(question).length > 0;
  return given({
    ...(isLong
      ? { type: action.sends === false ? 'await_poll' : 'webhook', url: action.url }
      : { webhook: action.url }),
    ...(action.poll && pollOf(action.poll, action.sends === false)),
    method: action.method === 'POST' ? undefined : action.method,
    headers: filledOr(action.headers),
    body: filledOr(action.body),
    secret: action.secret,
    retries: action.retries === 3 ? undefined : action.retries,
    ...question,
  });
}

/** Of `await_poll` these are fields of its own. */
function pollOf({ url, headers, everyMs, until, unless }: PollTemplate, isOwn: boolean): Entry {
  const fields = given({ headers: filledOr(headers), every: `${everyMs / 1000}s`, until, unless });
  return isOwn ? fields : { poll: { url, ...fields } };
}

const filledOr = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0 ? undefined : value;

const isBash = (run: Invocation): boolean => run.via === 'bash';

/** What the native reader takes where an entry does not say it. */
const defaultTimeouts: Readonly<Record<string, number | null>> = {
  ...{ shell: 300_000, webhook: 60_000, question: 3_600_000, spawn: 3_600_000 },
  ...{ prompt: 120_000, agent: 120_000 },
};

const retriesOf = ({ attempts, delayMs }: NonNullable<HookDefinition['retry']>, kind: string): Entry =>
  given({
    retries: attempts - 1 === (kind === 'spawn' ? 0 : 3) ? undefined : attempts - 1,
    retry_delay: delayMs === 5000 ? undefined : durationOf(delayMs),
  });

/** In the largest unit that leaves a whole number. */
export function durationOf(ms: number | null): string | number {
  if (ms === null) return 0;
  const [, unit, size] = units.find(([least, , per]) => ms >= least && ms % per === 0) ?? [];
  return unit === undefined || size === undefined ? ms / 1000 : `${ms / size}${unit}`;
}

const units = [
  [3_600_000, 'h', 3_600_000],
  [60_000, 'm', 60_000],
  [1000, 's', 1000],
  [1, 'ms', 1],
] as const;

/** A hook that stands alone in its entry, and is only a command, is written as one. */
export const shortest = (entry: Entry): Entry | string =>
  Object.keys(entry).length === 1 && typeof entry['shell'] === 'string' ? entry['shell'] : entry;

/** Whether a hook that runs after others must say that it does so whatever they said. */
export const needsAlways = (hook: HookDefinition, order: string): boolean =>
  order !== 'in-order' && isPending(hook.event);
