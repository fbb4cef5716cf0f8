import { isObject, isTooDeep, maxJsonDepth } from '../model/json.ts';
import { InputError, maxInputBytes } from './io.ts';

/** Contract: throws InputError for anything but a JSON object. Nothing given is an empty object. */
export function payloadFields(input: string | undefined): Readonly<Record<string, unknown>> {
  if (input !== undefined && input.length > maxInputBytes) throw new InputError('the payload is larger than 64 MiB');
  if (input === undefined || input.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch (error) {
    throw new InputError(`the payload is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new InputError('the payload must be a JSON object, as in {"session": "demo"}');
  if (isTooDeep(value)) throw new InputError(`the payload is nested deeper than ${maxJsonDepth}`);
  return value;
}
