import type { RecordedCase } from '../../app/record-tests.ts';
import { printableJson } from '../../model/index.ts';

/** Cases as a file in YAML that `hookloop test` reads. */
export const testFileText = (session: string, cases: readonly RecordedCase[]): string =>
  [
    '# yaml-language-server: $schema=./node_modules/hookloop/schema/test.schema.json',
    `# What happened in the session ${session}.`,
    'tests:',
    ...cases.flatMap(({ name, event, with: fields, expect, message, hooks }) => [
      `  - name: ${scalar(name)}`,
      `    event: ${event}`,
      ...(Object.keys(fields).length > 0 ? [`    with: ${flow(fields)}`] : []),
      `    expect: ${expect}`,
      ...(message === undefined ? [] : [`    message: ${scalar(message)}`]),
      ...(hooks === undefined ? [] : [`    hooks: ${flow(hooks)}`]),
    ]),
    '',
  ].join('\n');

/** On one line, as JSON has it but for words that need no quotes. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return scalar(value);
  const entries = Object.entries(value).map(([key, item]) => `${scalar(key)}: ${flow(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

const scalar = (value: unknown): string =>
  typeof value === 'string' && isPlain.test(value) && !isOther.test(value) ? value : printableJson(value);

const isPlain = /^[A-Za-z_][\w./-]*(?: [\w./-]+)*$/;
/** Words that YAML, of one version or another, takes for something else than a text. */
const isOther = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf|~)$|^[.\d]/i;
