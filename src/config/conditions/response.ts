import { isTooDeep } from '../../model/json.ts';
import { checkCondition } from './check-condition.ts';
import { type ConditionFlaw, evaluateOver } from './evaluate.ts';

const variables = { response: 'dyn' } as const;

/** Checks a condition over an answer in JSON, which is `response` in it. */
export const checkResponseCondition = (text: string): { kind: 'ok'; condition: string } | ConditionFlaw =>
  checkCondition(text, variables);

/** Whether a checked condition holds for an answer. What it asks for and is not there makes it false. */
export function holdsFor(condition: string, response: unknown): boolean {
  if (typeof response === 'object' && response !== null && isTooDeep(response)) return false;
  try {
    return evaluateOver(condition, { response: toCel(response) }) === true;
  } catch {
    return false;
  }
}

/** Whole numbers are ints in conditions, as their authors write them. */
function toCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCel);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toCel(part)]));
}
