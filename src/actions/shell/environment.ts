import { wholeLength } from '../../model/cut-text.ts';
import type { Scratch } from '../output-files.ts';

/** Linux refuses an environment string over 128 KiB, and a whole environment over a quarter of the stack limit. */
const maxValueBytes = 96 * 1024;
const maxTotalBytes = 768 * 1024;

export interface HookEnvironment {
  env: Record<string, string>;
  /** Files that hold long values, to be removed after the hook. */
  files: readonly string[];
}

/** What fits goes as it is. A longer value is cut, and `<NAME>_FILE` names a file that has all of it. */
export function fitEnvironment(
  values: Readonly<Record<string, string>>,
  scratch: Scratch,
  warn: (text: string) => void,
): HookEnvironment {
  const env: Record<string, string> = {};
  const files: string[] = [];
  for (const name in values) env[name] = withoutNul(values[name]!, name, warn);
  const limit = valueLimit(env);
  for (const name of Object.keys(env)) {
    const value = env[name]!;
    if (!isLonger(value, limit)) continue;
    const bytes = Buffer.from(value);
    env[name] = bytes.toString('utf8', 0, wholeLength(bytes, limit));
    const fileName = `${name}_FILE`;
    if (Object.hasOwn(values, fileName)) {
      warn(`${name} was cut to ${limit} bytes; ${fileName} has a meaning of its own, so the rest is not handed over`);
      continue;
    }
    try {
      env[fileName] = scratch.write(name, value);
      files.push(env[fileName]);
    } catch (error) {
      warn(`${name} was cut to ${limit} bytes and could not be written to a file: ${(error as Error).message}`);
    }
  }
  return { env, files };
}

/** NUL cannot stand in an argument or a variable: with it nothing would start. */
export function withoutNul(text: string, what: string, warn: (text: string) => void): string {
  if (!text.includes('\0')) return text;
  warn(`NUL characters were removed from ${what}`);
  return text.replaceAll('\0', '');
}

/** Many values that fit one by one may still be too much together; then each gets less. */
function valueLimit(env: Readonly<Record<string, string>>): number {
  let limit = maxValueBytes;
  while (limit > 1024 && totalBytes(env, limit) > maxTotalBytes) limit /= 4;
  return limit;
}

function totalBytes(env: Readonly<Record<string, string>>, limit: number): number {
  let total = 0;
  for (const name in env) total += name.length + 2 + Math.min(limit, env[name]!.length * 3);
  return total;
}

/** A UTF-16 unit is at most three bytes of UTF-8, so short texts need no counting. */
const isLonger = (text: string, maxBytes: number): boolean =>
  text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
