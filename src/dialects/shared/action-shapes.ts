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
