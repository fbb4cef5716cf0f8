import { eventNames } from '../../src/model/index.ts';

type Json = Record<string, unknown>;

const text = (description?: string): Json => ({ type: 'string', ...(description && { description }) });
const number: Json = { type: 'number', minimum: 0 };

/** One member of a union tagged with `tag`; its other properties are required unless their name ends with `?`. */
function variant(tag: string, value: string, fields: Readonly<Record<string, Json>> = {}): Json {
  const properties = Object.entries(fields).map(([name, schema]): [string, Json] => [name.replace('?', ''), schema]);
  return {
    type: 'object',
    properties: { [tag]: { const: value }, ...Object.fromEntries(properties) },
    required: [tag, ...Object.keys(fields).filter(name => !name.endsWith('?'))],
  };
}

const output = {
  stdout: text(),
  stderr: text(),
  'truncated?': {
    type: 'object',
    description: 'The output was long: head and tail are here, all of it in these files',
    properties: { stdoutBytes: number, stderrBytes: number, stdoutFile: text(), stderrFile: text() },
    required: ['stdoutBytes', 'stderrBytes'],
  },
};
const refusal = { reason: text('Why'), by: text('The hook that said so') };

/** What `hookloop dispatch` prints, and what `fire` of the library resolves to. */
export const resultSchema: Json = {
  title: 'Result of an event',
  description: 'What `hookloop dispatch` prints on standard output.',
  type: 'object',
  properties: {
    event: { enum: eventNames, description: 'The event under our name' },
    decision: { $ref: '#/$defs/decision' },
    feedback: text('Texts for the agent in hook order, joined with a newline'),
    results: {
      type: 'array',
      items: { $ref: '#/$defs/result' },
      description: 'Every hook of the event, in hook order',
    },
  },
  required: ['event', 'decision', 'feedback', 'results'],
  $defs: {
    decision: {
      description: 'What the session does next',
      oneOf: [
        variant('kind', 'proceed'),
        variant('kind', 'revise', refusal),
        variant('kind', 'block', { ...refusal, 'ask?': { const: true, description: 'A person may allow it' } }),
        variant('kind', 'abort', refusal),
      ],
    },
    verdict: {
      description: 'What the hook said',
      oneOf: [
        variant('kind', 'passed'),
        ...['failed', 'rejected', 'asked', 'stopped'].map(kind => variant('kind', kind, { reason: text() })),
      ],
    },
    outcome: {
      description: 'What happened when its action ran',
      oneOf: [
        variant('kind', 'exited', { exitCode: { type: 'integer' }, ...output }),
        variant('kind', 'killed', { signal: text(), ...output }),
        variant('kind', 'timed-out', { afterMs: number, ...output }),
        variant('kind', 'cancelled'),
        variant('kind', 'not-started', { reason: text() }),
        variant('kind', 'no-answer', { reason: text() }),
        variant('kind', 'replied', { status: number, body: text() }),
        variant('kind', 'answered', {
          ...{ action: text(), message: text(), response: {} },
          'by?': text('In which way, and who where it is known'),
          'at?': text('When'),
        }),
        variant('kind', 'child-finished', { succeeded: { type: 'boolean' }, output: text() }),
        variant('kind', 'judged', { ok: { type: 'boolean' }, reason: text() }),
      ],
    },
    result: {
      oneOf: [
        variant('status', 'skipped', { hook: text(), why: text('Why it did not run') }),
        variant('status', 'detached', { hook: text(), 'failed?': text('Why it failed, where that is known') }),
        variant('status', 'finished', {
          hook: text(),
          outcome: { $ref: '#/$defs/outcome' },
          verdict: { $ref: '#/$defs/verdict' },
          decision: { $ref: '#/$defs/decision' },
          'feedback?': text('Text for the agent'),
          'answer?': { type: 'object', description: 'The JSON object it answered with' },
          attempts: { type: 'integer', minimum: 0 },
          durationMs: number,
        }),
      ],
    },
  },
};
