import type { LimitedTurn, LimitKind } from '../../model/agent.ts';
import { type Fields, fieldsOf, isObject } from '../../model/json.ts';
import type { ReadAt } from './calendar.ts';
import { epochTime, inSeconds, laterBy, resetTime, retryAfter } from './reset-time.ts';

/** How an agent says that it may not go on for now. */
export interface LimitSign {
  says: RegExp;
  limit: LimitKind;
  /** It is a limit only where a time is told: otherwise to wait does not help, as where there is no money left. */
  withTime?: true;
  /** When such a limit ends where the agent does not say so. */
  ends?(now: Date): Date;
}

interface Limit {
  limit: LimitKind;
  until?: Date;
}

/** What went wrong in a turn: the words, and the error where the agent answered with one. */
interface Complaint {
  text: string;
  error?: unknown;
}

/** The limit that a failed turn tells of; undefined: it has failed. The first sign that fits counts, then the codes that mean the same everywhere. */
export function limitIn({ text, error }: Complaint, signs: readonly LimitSign[], at: ReadAt): Limit | undefined {
  const parts = partsOf(error);
  const words = text.slice(0, maxWords).replaceAll('\u2019', "'");
  const sign = [...signs, ...noMoney].find(({ says }) => says.test(words));
  const limit = sign?.limit ?? limitOf(parts);
  if (limit === undefined) return undefined;
  const told = toldTime(parts, at.now) ?? resetTime(words, at);
  if (!told && sign?.withTime) return undefined;
  const until = told ?? sign?.ends?.(at.now);
  return { limit, ...(until && { until }) };
}

/** The same as the end of a turn; undefined: it has failed. `zone`: where the agent's clock is. */
export function limitedBy(
  complaint: Complaint,
  signs: readonly LimitSign[] = [],
  zone: string | undefined,
): LimitedTurn | undefined {
  const found = limitIn(complaint, signs, { now: new Date(), zone });
  if (!found) return undefined;
  const { limit, until } = found;
  return { kind: 'limited', limit, ...(until && { until: until.toISOString() }), reason: complaint.text };
}

const maxWords = 20_000;

/** What no agent's limit is, although its code is one of a limit. */
const noMoney: readonly LimitSign[] = [
  { says: /insufficient_quota|billing_hard_limit|credit balance is too low/i, limit: 'usage', withTime: true },
];

function limitOf(parts: readonly Fields[]): LimitKind | undefined {
  const codes = parts.flatMap(part => ['code', 'status', 'statusCode', 'status_code'].map(name => Number(part[name])));
  if (codes.includes(529)) return 'overload';
  return codes.includes(429) || parts.some(part => isSeconds(part['retryAfter'])) ? 'rate' : undefined;
}

const isSeconds = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/** The time where an error has a field for it, whatever it is called there. */
function toldTime(parts: readonly Fields[], now: Date): Date | undefined {
  for (const part of parts) {
    const found =
      epochTime(part['resets_at'] ?? part['resetsAt'], now) ??
      inSeconds(part['retryAfter'] ?? part['retry_after'] ?? part['resets_in_seconds'], now) ??
      retryAfter(headerOf(part['headers'] ?? part['responseHeaders'], 'retry-after'), now) ??
      (typeof part['retryDelay'] === 'string' ? laterBy(part['retryDelay'], now) : undefined);
    if (found) return found;
  }
  return undefined;
}

function headerOf(headers: unknown, name: string): unknown {
  return Object.entries(fieldsOf(headers)).find(([each]) => each.toLowerCase() === name)?.[1];
}

const maxDepth = 5;
const maxParts = 200;

/** The error and what lies in its data, the outer first. */
function partsOf(error: unknown): readonly Fields[] {
  if (!isObject(error)) return [];
  const { code, data } = error;
  const found: Fields[] = [{ code }];
  let layer: readonly unknown[] = [data];
  for (let depth = 0; depth < maxDepth && layer.length > 0; depth += 1) {
    const objects = layer.flatMap(each => (Array.isArray(each) ? each : [each])).filter(isObject);
    found.push(...objects);
    layer = objects.flatMap(each => Object.values(each)).slice(0, maxParts);
  }
  return found;
}
