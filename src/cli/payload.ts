import { InputError, maxInputBytes } from './io.ts';

/** No hook needs it nested deeper, and beyond some thousands the engine itself could not write it out again. */
const maxDepth = 500;

/** Contract: throws InputError for anything but a JSON object. Nothing given is an empty object. */
export function parsePayload(input: string | undefined): Readonly<Record<string, unknown>> {
  if (input !== undefined && input.length > maxInputBytes) throw new InputError('the payload is larger than 64 MiB');
  if (input === undefined || input.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch (error) {
    throw new InputError(`the payload is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InputError('the payload must be a JSON object, as in {"session": "demo"}');
  if (isDeeper(value, maxDepth)) throw new InputError(`the payload is nested deeper than ${maxDepth}`);
  return value as Record<string, unknown>;
}

/** Level by level, so that the check itself cannot run out of stack. */
function isDeeper(value: object, depth: number): boolean {
  let level: object[] = [value];
  for (let at = 0; level.length > 0; at += 1) {
    if (at > depth) return true;
    level = level.flatMap(node => Object.values(node).filter(child => typeof child === 'object' && child !== null));
  }
  return false;
}
