import { formsOf } from './forms.ts';
import { isSecret } from './secret-names.ts';
import { maskShapes } from './shapes.ts';
import { maskUrls } from './urls.ts';

export { type ByteMask, createByteMask, createLineMask, type LineMask } from './line-mask.ts';

/** Puts `***` where a text tells a secret. */
export type Mask = (text: string) => string;

/**
 * Hides the values of variables that look secret, in every form they may take, tokens of well-known forms, and what URLs carry. `secrets` are values
 * that are secret whatever their name; they are asked for with the first text.
 */
export function createMask(
  env: Readonly<Record<string, string | undefined>>,
  secrets: () => Iterable<string> = () => [],
): Mask {
  let forms: readonly string[] | undefined;
  return text => {
    if (text.length < 6) return text;
    forms ??= secretForms(env, secrets());
    return maskUrls(maskShapes(maskForms(text, forms)));
  };
}

/** Masks every string in a JSON value, at any depth; keys only in what a hook has answered, the others are ours. */
export const maskDeep = (value: unknown, mask: Mask): unknown => maskAt(value, mask, 0, false);

function secretForms(env: Readonly<Record<string, string | undefined>>, secrets: Iterable<string>): readonly string[] {
  const forms = new Set<string>();
  for (const secret of secrets) for (const form of formsOf(secret)) forms.add(form);
  for (const name in env) {
    const value = env[name];
    if (value !== undefined && isSecret(name, value)) for (const form of formsOf(value)) forms.add(form);
  }
  return [...forms];
}

/** Spans are joined before anything is replaced, so of two secrets that overlap no rest stays behind. */
function maskForms(text: string, forms: readonly string[]): string {
  const spans: [number, number][] = [];
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
      spans.push([at, at + form.length]);
    }
  }
  if (spans.length === 0) return text;
  spans.sort((a, b) => a[0] - b[0]);
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of spans) {
    if (start > done || done === 0) parts.push(text.slice(done, start), '***');
    done = Math.max(done, end);
  }
  return parts.join('') + text.slice(done);
}

/** Deeper than this no event of ours is, and the stack has an end. */
const maxDepth = 500;

function maskAt(value: unknown, mask: Mask, depth: number, keysToo: boolean): unknown {
  if (typeof value === 'string') return mask(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth === maxDepth) return '***';
  if (Array.isArray(value)) return value.map(item => maskAt(item, mask, depth + 1, keysToo));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      keysToo ? mask(key) : key,
      maskAt(item, mask, depth + 1, keysToo || key === 'answer'),
    ]),
  );
}
