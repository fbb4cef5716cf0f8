import { checkCondition } from '../../config/conditions/check-condition.ts';
import { checkResponseCondition } from '../../config/conditions/response.ts';
import {
  count,
  duration,
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
  text,
  type ValueOf,
} from '../../config/shape.ts';
import { type FileAction, ownWordFlaw } from '../../model/index.ts';
import type { VariableTypes } from '../../model/ports.ts';

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const variableName = /^[A-Za-z_]\w*$/;
const urlPattern =
  '^(\\$\\{|[hH][tT][tT][pP][sS]://|[hH][tT][tT][pP]://(([^/?#]*@)?(localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1\\])(:\\d*)?([/?#]|$)|[^/?#]*\\$\\{))';

export const whenever = {
  name: filled('Name for logs and messages'),
  await: flag('Wait for it (default: spawn and judges true, others false)'),
  when: either([text(), flag()], 'Condition in CEL, as in "${ITERATION} % 10 == 0"'),
};
/** One agent, or several of which the next takes over while those before it are limited. */
export const agentsShape = (doc: string) => either([filled(), { ...list(filled()), nonEmpty: true }], doc);

export const failing = {
  on_failure: oneOf(['abort', 'continue', 'retry'], 'What its failure means (default continue)'),
  retry_delay: duration('Pause between attempts (default 5s)'),
  // biome-ignore lint/suspicious/noThenProperty: it is a key of the file format
  then: oneOf(['abort', 'continue'], 'What follows when every retry has failed (default continue)'),
};

export const shellRetries = { retries: count('Further attempts with on_failure: retry (default 3)') };

const shellFields = {
  type: oneOf(['shell']),
  command: filled('Shell command; variables are in its environment'),
  ...whenever,
  timeout: duration('0 = no limit (default 5m)'),
  ...failing,
  retries: count('Further attempts with on_failure: retry (default 3)'),
};

export const webhookUrl = { ...filled('https URL, or ${NAME} of a variable that holds it'), like: urlPattern } as const;

/** Of a request, beside its address. */
export const requestFields = {
  method: {
    ...filled('HTTP method (default POST)'),
    like: '^([gG][eE][tT]|[pP][oO][sS][tT]|[pP][uU][tT]|[pP][aA][tT][cC][hH]|[dD][eE][lL][eE][tT][eE])$',
  },
  headers: { ...map(text(), 'HTTP headers'), names: token.source },
  body: json('Request body, sent as JSON'),
  retries: count('Further tries to send (default 3)'),
  secret: filled('Signs the request by Standard Webhooks; usually ${NAME}'),
} as const;

/** Of a question. */
export const questionFields = {
  title: filled('Title shown to the person'),
  actions: map(oneOf(['approve', 'reject']), 'Words of its own that answer the question, and what each means'),
  callback_port: { ...count('Port of the callback server (default 8765)'), min: 1, max: 65_535 },
  callback_base_url: { ...filled('Public https address of the callback server'), like: urlPattern },
  on_timeout: oneOf(['abort', 'continue'], 'What no answer means (default abort)'),
  on_reject: oneOf(['abort', 'continue'], 'What a no means (default abort)'),
} as const;

/** How a server is asked for the answer. */
const pollFields = {
  url: webhookUrl,
  headers: requestFields.headers,
  every: duration('Pause between two questions, at least 1s (default 30s)'),
  until: filled('Condition in CEL over `response` that approves, as in "response.status == \'approved\'"'),
  unless: filled('Condition in CEL over `response` that rejects'),
} as const;

const webhookFields = {
  type: oneOf(['webhook']),
  url: webhookUrl,
  ...requestFields,
  ...whenever,
  ...questionFields,
  timeout: duration('How long to wait for the answer, 0 = no limit (default 1h)'),
  on_failure: oneOf(['abort', 'continue', 'retry'], 'What a request that cannot be sent means'),
  question: filled('Question shown to the person'),
  poll: record(pollFields, { required: ['url', 'until'], doc: 'Asks a server for the answer', closed: true }),
};

const awaitPollFields = {
  type: oneOf(['await_poll']),
  ...pollFields,
  ...whenever,
  ...questionFields,
  timeout: webhookFields.timeout,
  on_failure: webhookFields.on_failure,
  question: webhookFields.question,
};

export const childFields = {
  inputs: map(json(), 'Data for the child pipeline'),
  isolate: oneOf(['worktree'], 'Run in a git worktree of its own'),
  inherit_hooks: flag("The project's hooks fire in the child too"),
  pass_env: list({ ...filled(), like: variableName.source }, 'Names of environment variables for the child'),
} as const;

const spawnFields = {
  type: oneOf(['spawn']),
  pipeline: filled('Name or path of the pipeline'),
  ...childFields,
  ...whenever,
  timeout: duration('0 = no limit (default 1h)'),
  ...failing,
  retries: count('Further attempts with on_failure: retry (default 0)'),
};

/** A question to a model. */
const judgeFields = {
  prompt: filled('Question about the event, answered with yes or no'),
  ...whenever,
  timeout: duration('0 = no limit (default 2m)'),
  ...failing,
  retries: count('Further attempts with on_failure: retry (default 3)'),
};

/** The fields of any action. Each type's own shape lets through what belongs to it. */
export interface AnyAction {
  type: 'record';
  fields: Omit<
    typeof shellFields & typeof webhookFields & typeof awaitPollFields & typeof spawnFields & typeof judgeFields,
    'type'
  > & {
    type: { type: 'text'; values: readonly (FileAction['kind'] | 'await_poll')[] };
    /** Of short forms alone. */
    text: { type: 'text' };
    tools: { type: 'flag' };
    notify: { type: 'text' };
  };
  required: readonly ['type'];
}

export type ActionEntry = ValueOf<AnyAction>;

type Fields = Readonly<Record<string, Shape>>;

/** What is wrong with an entry beyond the types of its fields. */
export const entryFlaws =
  (variables: VariableTypes) =>
  (entry: ActionEntry): FieldFlaw[] => [...conditionFlaw(entry, variables), ...fieldFlaws(entry), ...pollFlaws(entry)];

/** The actions of a grammar, each with what it needs and, beside its own fields, those that the grammar adds to all, or to shell actions. */
export function actionShapes(variables: VariableTypes, added: Fields = {}, toShell: Fields = {}) {
  const check = entryFlaws(variables);
  const shape = (fields: Fields, needs: string, doc: string, ...more: string[]): RecordShape =>
    record({ ...fields, ...added }, { required: ['type', needs, ...more], doc, closed: true, check });
  return {
    shell: shape({ ...shellFields, ...toShell }, 'command', 'Runs a command'),
    webhook: shape(webhookFields, 'url', 'Sends an HTTP request, may wait for an answer'),
    await_poll: shape(awaitPollFields, 'url', 'Asks a server again and again until it answers', 'until'),
    spawn: shape(spawnFields, 'pipeline', 'Runs a child pipeline'),
    prompt: shape({ type: oneOf(['prompt']), ...judgeFields }, 'prompt', 'Asks a model about the event'),
    agent: shape({ type: oneOf(['agent']), ...judgeFields }, 'prompt', 'Asks an agent, which may look around first'),
  };
}

function conditionFlaw({ when }: ActionEntry, variables: VariableTypes): FieldFlaw[] {
  const said = typeof when === 'string' ? checkCondition(when, variables) : undefined;
  return said?.kind === 'flaw' ? [{ field: 'when', ...said }] : [];
}

/** What is wrong with how a server is asked for an answer; of the long form all of it is told at `poll`. */
function pollFlaws(entry: ActionEntry): FieldFlaw[] {
  const isOwn = entry.type === 'await_poll';
  const poll = isOwn ? entry : entry.poll;
  if (poll === undefined) return [];
  const flaws: FieldFlaw[] = [];
  const at = (field: string): string => (isOwn ? field : 'poll');
  if (entry.await === false || (!isOwn && entry.await !== true))
    flaws.push({ field: at('until'), message: 'no answer is awaited, so none can be polled', hint: 'add await: true' });
  if (poll.every !== undefined && (poll.every < 1 || poll.every > 86_400))
    flaws.push({ field: at('every'), message: 'every must be between 1s and 24h' });
  for (const key of ['until', 'unless'] as const) {
    const said = poll[key] === undefined ? undefined : checkResponseCondition(poll[key]);
    if (said?.kind !== 'flaw') continue;
    const { message, hint } = said;
    flaws.push({
      field: at(key),
      message: isOwn ? message : `${key}: ${message}`,
      ...(hint !== undefined && { hint }),
    });
  }
  const wrong = isOwn ? undefined : urlFlaw('url', poll.url);
  if (wrong) flaws.push({ ...wrong, field: 'poll' });
  return flaws;
}

/** What is wrong with a request or a child's environment beyond the types, as far as it shows before variables are filled in. */
function fieldFlaws(entry: ActionEntry): FieldFlaw[] {
  const { url, callback_base_url: base, method, headers = {}, pass_env: names = [] } = entry;
  const flaws: (FieldFlaw | undefined)[] = [
    urlFlaw('url', url),
    urlFlaw('notify', entry.notify),
    urlFlaw('callback_base_url', base),
  ];
  const tell = (field: keyof ActionEntry, message: string, hint?: string): unknown =>
    flaws.push({ field, message, ...(hint !== undefined && { hint }) });
  if (method !== undefined && !methods.includes(method.toUpperCase()))
    tell('method', `"${method}" is not a method for webhooks`, `write one of ${methods.join(', ')}`);
  for (const [name, value] of Object.entries(headers))
    if (!token.test(name)) tell('headers', `"${name}" is not a header name`);
    else if (/[\r\n]/.test(value)) tell('headers', `header ${name} holds a line break`);
  for (const name of names)
    if (!variableName.test(name))
      tell('pass_env', `"${name}" is not the name of a variable`, 'write names only, as in HOME');
  for (const [word, meaning] of Object.entries(entry.actions ?? {})) {
    const message = ownWordFlaw(word, meaning);
    if (message !== undefined) tell('actions', message, 'write actions: { ship: approve, hold: reject }');
  }
  return flaws.filter(flaw => flaw !== undefined);
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** https, or http to this machine. What starts with a variable is known only when it is filled in. */
export function urlFlaw(field: string, url: string | undefined): FieldFlaw | undefined {
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
