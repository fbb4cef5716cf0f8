import {
  count,
  either,
  filled,
  flag,
  json,
  list,
  map,
  oneOf,
  record,
  type Shape,
  seconds,
  text,
  type ValueOf,
} from '../../config/shape.ts';
import { ownWordFlaw } from '../../model/index.ts';

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

export const shellFields = {
  type: oneOf(['shell']),
  command: filled('Shell command; variables are in its environment'),
  ...whenever,
  timeout: duration('Seconds, 0 = no limit (default 300)'),
  ...failing,
  retries: count('Further attempts with on_failure: retry (default 3)'),
};

export const webhookFields = {
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

export const spawnFields = {
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
export const judgeFields = {
  prompt: filled('Question about the event, answered with yes or no'),
  ...whenever,
  timeout: duration('Seconds, 0 = no limit (default 120)'),
  ...failing,
  retries: count('Further attempts with on_failure: retry (default 3)'),
};

/** The fields of any action. Each type's own shape lets through what belongs to it. */
export type ActionEntry = ValueOf<{
  type: 'record';
  fields: Omit<typeof shellFields & typeof webhookFields & typeof spawnFields & typeof judgeFields, 'type'>;
  required: readonly [];
}>;

/** The actions of a grammar, each with what it needs and, beside its own fields, those that the grammar adds to all. */
export function actionShapes<const Added extends Readonly<Record<string, Shape>>>(added: Added) {
  return {
    shell: record({ ...shellFields, ...added }, { required: ['type', 'command'], doc: 'Runs a command', closed: true }),
    webhook: record(
      { ...webhookFields, ...added },
      { required: ['type', 'url'], doc: 'Sends an HTTP request, may wait for an answer', closed: true },
    ),
    spawn: record(
      { ...spawnFields, ...added },
      { required: ['type', 'pipeline'], doc: 'Runs a child pipeline', closed: true },
    ),
    prompt: judge('prompt', 'Asks a model about the event', added),
    agent: judge('agent', 'Asks an agent, which may look around first', added),
  };
}

function judge<const Added extends Readonly<Record<string, Shape>>>(
  kind: 'prompt' | 'agent',
  doc: string,
  added: Added,
) {
  const fields = { type: oneOf([kind]), ...judgeFields, ...added };
  return record(fields, { required: ['type', 'prompt'], doc, closed: true });
}

export interface FieldFlaw {
  field: 'url' | 'method' | 'headers' | 'callback_port' | 'callback_base_url' | 'pass_env' | 'actions';
  message: string;
  hint?: string;
}

/** What is wrong with a request or a child's environment beyond the types, as far as it shows before variables are filled in. */
export function fieldFlaws(entry: ActionEntry): FieldFlaw[] {
  const flaws: (FieldFlaw | undefined)[] = [
    urlFlaw('url', entry.url),
    urlFlaw('callback_base_url', entry.callback_base_url),
    methodFlaw(entry.method),
    ...Object.entries(entry.headers ?? {}).map(headerFlaw),
    ...(entry.pass_env ?? []).map(passEnvFlaw),
    ...Object.entries(entry.actions ?? {}).map(answerFlaw),
    (entry.callback_port ?? 0) > 65_535
      ? { field: 'callback_port', message: `${entry.callback_port} is not a port`, hint: 'write 1 to 65535' }
      : undefined,
  ];
  return flaws.filter(flaw => flaw !== undefined);
}

/** https, or http to this machine. What starts with a variable is known only when it is filled in. */
export function urlFlaw(field: 'url' | 'callback_base_url', url: string | undefined): FieldFlaw | undefined {
  if (url === undefined || url.startsWith('${')) return undefined;
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(url) ?? [];
  if (scheme === undefined || authority === undefined) {
    const [, name] = /^\$(\w+)$/.exec(url) ?? [];
    return {
      field,
      message: `${field} must be a URL`,
      hint: name ? `write \${${name}}` : 'write https://... or ${NAME}',
    };
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

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const methodFlaw = (method: string | undefined): FieldFlaw | undefined =>
  method === undefined || methods.includes(method.toUpperCase())
    ? undefined
    : {
        field: 'method',
        message: `"${method}" is not a method for webhooks`,
        hint: `write one of ${methods.join(', ')}`,
      };

function headerFlaw([name, value]: [string, string]): FieldFlaw | undefined {
  if (!token.test(name)) return { field: 'headers', message: `"${name}" is not a header name` };
  if (/[\r\n]/.test(value)) return { field: 'headers', message: `header ${name} holds a line break` };
  return undefined;
}

function answerFlaw([word, meaning]: [string, string]): FieldFlaw | undefined {
  const message = ownWordFlaw(word, meaning);
  return message === undefined
    ? undefined
    : { field: 'actions', message, hint: 'write actions: { ship: approve, hold: reject }' };
}

const passEnvFlaw = (name: string): FieldFlaw | undefined =>
  /^[A-Za-z_]\w*$/.test(name)
    ? undefined
    : { field: 'pass_env', message: `"${name}" is not the name of a variable`, hint: 'write names only, as in HOME' };
