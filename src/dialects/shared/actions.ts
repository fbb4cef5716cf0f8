import { checkCondition } from '../../config/conditions/check-condition.ts';
import {
  count,
  either,
  type FieldFlaw,
  filled,
  flag,
  json,
  list,
  map,
  oneOf,
  type RecordShape,
  record,
  type Shape,
  seconds,
  text,
  type ValueOf,
} from '../../config/shape.ts';
import {
  type FailurePolicy,
  type FileAction,
  type HookDefinition,
  type Invocation,
  ownWordFlaw,
} from '../../model/index.ts';
import type { VariableTypes } from '../../model/ports.ts';

/** A length of time that cannot be negative. */
export const duration = (doc: string) => ({ ...seconds(doc), min: 0 }) as const;

const whenever = {
  name: filled('Name for logs and messages'),
  await: flag('Wait for it (default: spawn and judges true, others false)'),
  when: either([text(), flag()], 'Condition in CEL, as in "${ITERATION} % 10 == 0"'),
};
const failing = {
  on_failure: oneOf(['abort', 'continue', 'retry'], 'What its failure means (default continue)'),
  retry_delay: duration('Seconds between attempts (default 5)'),
  // biome-ignore lint/suspicious/noThenProperty: it is a key of the file format
  then: oneOf(['abort', 'continue'], 'What follows when every retry has failed (default continue)'),
};

const shellFields = {
  type: oneOf(['shell']),
  command: filled('Shell command; variables are in its environment'),
  ...whenever,
  timeout: duration('Seconds, 0 = no limit (default 300)'),
  ...failing,
  retries: count('Further attempts with on_failure: retry (default 3)'),
};

const webhookFields = {
  type: oneOf(['webhook']),
  url: filled('https URL, or ${NAME} of a variable that holds it'),
  method: filled('HTTP method (default POST)'),
  headers: map(text(), 'HTTP headers'),
  body: json('Request body, sent as JSON'),
  ...whenever,
  callback_port: { ...count('Port of the callback server (default 8765)'), min: 1 },
  callback_base_url: filled('Public https address of the callback server'),
  timeout: duration('Seconds to wait for the answer, 0 = no limit (default 3600)'),
  on_timeout: oneOf(['abort', 'continue'], 'What no answer means (default abort)'),
  on_reject: oneOf(['abort', 'continue'], 'What a no means (default abort)'),
  on_failure: oneOf(['abort', 'continue', 'retry'], 'What a request that cannot be sent means'),
  retries: count('Further tries to send (default 3)'),
  secret: filled('Signs the request by Standard Webhooks; usually ${NAME}'),
  question: filled('Question shown to the person'),
  title: filled('Title shown to the person'),
  actions: map(oneOf(['approve', 'reject']), 'Words of its own that answer the question, and what each means'),
};

const spawnFields = {
  type: oneOf(['spawn']),
  pipeline: filled('Name or path of the pipeline'),
  inputs: map(json(), 'Data for the child pipeline'),
  ...whenever,
  timeout: duration('Seconds, 0 = no limit (default 3600)'),
  ...failing,
  retries: count('Further attempts with on_failure: retry (default 0)'),
  isolate: oneOf(['worktree'], 'Run in a git worktree of its own'),
  inherit_hooks: flag("The project's hooks fire in the child too"),
  pass_env: list(filled(), 'Names of environment variables for the child'),
};

/** A question to a model. */
const judgeFields = {
  prompt: filled('Question about the event, answered with yes or no'),
  ...whenever,
  timeout: duration('Seconds, 0 = no limit (default 120)'),
  ...failing,
  retries: count('Further attempts with on_failure: retry (default 3)'),
};

/** The fields of any action. Each type's own shape lets through what belongs to it. */
export interface AnyAction {
  type: 'record';
  fields: Omit<typeof shellFields & typeof webhookFields & typeof spawnFields & typeof judgeFields, 'type'> & {
    type: { type: 'text'; values: readonly FileAction['kind'][] };
  };
  required: readonly ['type'];
}

export type ActionEntry = ValueOf<AnyAction>;

type Fields = Readonly<Record<string, Shape>>;

/** The actions of a grammar, each with what it needs and, beside its own fields, those that the grammar adds to all, or to shell actions. */
export function actionShapes(variables: VariableTypes, added: Fields = {}, toShell: Fields = {}) {
  const check = (entry: ActionEntry): FieldFlaw[] => [...conditionFlaw(entry, variables), ...fieldFlaws(entry)];
  const shape = (fields: Fields, needs: string, doc: string): RecordShape =>
    record({ ...fields, ...added }, { required: ['type', needs], doc, closed: true, check });
  return {
    shell: shape({ ...shellFields, ...toShell }, 'command', 'Runs a command'),
    webhook: shape(webhookFields, 'url', 'Sends an HTTP request, may wait for an answer'),
    spawn: shape(spawnFields, 'pipeline', 'Runs a child pipeline'),
    prompt: shape({ type: oneOf(['prompt']), ...judgeFields }, 'prompt', 'Asks a model about the event'),
    agent: shape({ type: oneOf(['agent']), ...judgeFields }, 'prompt', 'Asks an agent, which may look around first'),
  };
}

function conditionFlaw({ when }: ActionEntry, variables: VariableTypes): FieldFlaw[] {
  const said = typeof when === 'string' ? checkCondition(when, variables) : undefined;
  return said?.kind === 'flaw' ? [{ field: 'when', ...said }] : [];
}

/** What is wrong with a request or a child's environment beyond the types, as far as it shows before variables are filled in. */
function fieldFlaws(entry: ActionEntry): FieldFlaw[] {
  const { url, callback_base_url: base, callback_port: port = 0, method, headers = {}, pass_env: names = [] } = entry;
  const flaws: (FieldFlaw | undefined)[] = [urlFlaw('url', url), urlFlaw('callback_base_url', base)];
  const tell = (field: keyof ActionEntry, message: string, hint?: string): unknown =>
    flaws.push({ field, message, ...(hint !== undefined && { hint }) });
  if (method !== undefined && !methods.includes(method.toUpperCase()))
    tell('method', `"${method}" is not a method for webhooks`, `write one of ${methods.join(', ')}`);
  for (const [name, value] of Object.entries(headers))
    if (!token.test(name)) tell('headers', `"${name}" is not a header name`);
    else if (/[\r\n]/.test(value)) tell('headers', `header ${name} holds a line break`);
  for (const name of names)
    if (!/^[A-Za-z_]\w*$/.test(name))
      tell('pass_env', `"${name}" is not the name of a variable`, 'write names only, as in HOME');
  for (const [word, meaning] of Object.entries(entry.actions ?? {})) {
    const message = ownWordFlaw(word, meaning);
    if (message !== undefined) tell('actions', message, 'write actions: { ship: approve, hold: reject }');
  }
  if (port > 65_535) tell('callback_port', `${port} is not a port`, 'write 1 to 65535');
  return flaws.filter(flaw => flaw !== undefined);
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** https, or http to this machine. What starts with a variable is known only when it is filled in. */
export function urlFlaw(field: 'url' | 'callback_base_url', url: string | undefined): FieldFlaw | undefined {
  if (url === undefined || url.startsWith('${')) return undefined;
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(url) ?? [];
  if (scheme === undefined || authority === undefined) {
    const [, name] = /^\$(\w+)$/.exec(url) ?? [];
    const hint = name ? `write \${${name}}` : 'write https://... or ${NAME}';
    return { field, message: `${field} must be a URL`, hint };
  }
  if (scheme.toLowerCase() === 'https' || authority.includes('${')) return undefined;
  if (scheme.toLowerCase() === 'http' && isLoopback(authority)) return undefined;
  return { field, message: `${scheme}://${authority} is not allowed`, hint: 'use https; http only to localhost' };
}

function isLoopback(authority: string): boolean {
  const url = `http://${authority}`;
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

type Built = Pick<HookDefinition, 'name' | 'action' | 'wait' | 'timeoutMs' | 'onFailure' | 'onTimeout'> &
  Partial<HookDefinition>;

const defaults = {
  shell: { wait: false, timeout: 300, retries: 3 },
  webhook: { wait: false, timeout: 3600, retries: 0 },
  spawn: { wait: true, timeout: 3600, retries: 0 },
  prompt: { wait: true, timeout: 120, retries: 3 },
  agent: { wait: true, timeout: 120, retries: 3 },
} as const;

/** What one checked entry does and what its failure means. `run`: what a shell action starts. `isAwaited`: whether it is awaited where it does not say so itself. */
export function buildAction(
  entry: ActionEntry,
  run: Invocation | undefined,
  isAwaited: boolean = defaults[entry.type].wait,
): Built {
  const byDefault = defaults[entry.type];
  const wait = entry.await ?? isAwaited;
  const timeout = entry.timeout ?? byDefault.timeout;
  const action = actionOf(entry, run);
  return {
    name: entry.name ?? nameOf(action),
    action,
    wait,
    timeoutMs: timeout === 0 ? null : timeout * 1000,
    ...(action.kind === 'webhook' && action.approval
      ? questionPolicies(entry)
      : policies(entry, wait, action.kind === 'webhook' ? undefined : byDefault.retries)),
  };
}

function actionOf(entry: ActionEntry, run: Invocation | undefined): FileAction {
  const { type: kind } = entry;
  switch (kind) {
    case 'shell': {
      const command = entry.command ?? '';
      return { kind, command, run: run ?? { via: 'sh', script: command }, cwd: 'root' };
    }
    case 'webhook':
      return {
        kind,
        url: entry.url ?? '',
        method: (entry.method ?? 'POST').toUpperCase(),
        headers: entry.headers ?? {},
        body: entry.body ?? {},
        // Only who says that an answer is awaited asks a question; else it is sent, and that is all.
        approval: entry.await === true,
        callbackPort: entry.callback_port ?? 8765,
        ...(entry.callback_base_url !== undefined && { callbackBaseUrl: entry.callback_base_url }),
        ...(entry.question !== undefined && { question: entry.question }),
        ...(entry.title !== undefined && { title: entry.title }),
        ...(entry.actions !== undefined && { actions: entry.actions }),
        onReject: entry.on_reject === 'continue' ? 'continue' : 'abort',
        ...(entry.secret !== undefined && { secret: entry.secret }),
        retries: entry.retries ?? 3,
      };
    case 'spawn':
      return {
        kind,
        pipeline: entry.pipeline ?? '',
        inputs: entry.inputs ?? {},
        ...(entry.isolate !== undefined && { isolate: 'worktree' }),
        inheritHooks: entry.inherit_hooks ?? false,
        passEnv: entry.pass_env ?? [],
      };
    case 'prompt':
    case 'agent':
      return { kind, prompt: entry.prompt ?? '' };
  }
}

/** No one waits for a detached action, so its failure cannot stop anything. A webhook's retries are its sender's business. */
function policies(
  entry: ActionEntry,
  wait: boolean,
  retries: number | undefined,
): Pick<Built, 'onFailure' | 'onTimeout' | 'retry'> {
  const isRetried = entry.on_failure === 'retry';
  const aborts = entry.on_failure === 'abort' || (isRetried && entry.then === 'abort');
  const policy: FailurePolicy = wait && aborts ? 'abort' : 'continue';
  if (!isRetried || retries === undefined) return { onFailure: policy, onTimeout: policy };
  const retry = { attempts: 1 + (entry.retries ?? retries), delayMs: (entry.retry_delay ?? 5) * 1000 };
  return { onFailure: policy, onTimeout: policy, retry };
}

/**
 * A question that could not be sent was not answered with yes: it aborts unless the file says otherwise. With
 * `on_reject: continue` a no must not abort, so there the unsent question is told apart by a setting.
 */
function questionPolicies(entry: ActionEntry): Pick<Built, 'onFailure' | 'onTimeout' | 'settings'> {
  const unsentAborts = entry.on_failure !== 'continue';
  const rejectedAborts = entry.on_reject !== 'continue';
  return {
    onFailure: unsentAborts && rejectedAborts ? 'abort' : 'continue',
    onTimeout: entry.on_timeout === 'continue' ? 'continue' : 'abort',
    ...(unsentAborts && !rejectedAborts && { settings: { unsent: 'abort' } }),
  };
}

function nameOf(action: FileAction): string {
  switch (action.kind) {
    case 'shell':
      return firstLine(action.command);
    case 'webhook':
      return `webhook ${hostOf(action.url)}`;
    case 'spawn':
      return `spawn ${action.pipeline}`;
    default:
      return `${action.kind}: ${firstLine(action.prompt)}`;
  }
}

function firstLine(text: string): string {
  const [first = '', ...rest] = text.trim().split('\n');
  return rest.length === 0 ? first : `${first.trimEnd()} ...`;
}

/** Paths, queries and credentials of webhook URLs are often secret. */
const hostOf = (url: string): string =>
  url
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '');
