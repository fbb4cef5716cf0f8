import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../model/json.ts';
import { describeError } from '../acp/protocol.ts';
import { limitIn } from '../limits/limit.ts';
import { presetNames, presets } from '../presets.ts';

/** What an agent sent over ACP at the end of a turn, when and in which zone, and what is read from it; null: a failure. */
interface Sample {
  source: string;
  at: string;
  zone: string;
  frames: readonly { update?: unknown; error?: unknown }[];
  gives: { limit: string; until?: string } | null;
}

describe.each(presetNames)('%s', name => {
  const file = new URL(`./${name}/fixtures/limits.json`, import.meta.url);
  const samples = JSON.parse(readFileSync(file, 'utf8')) as Sample[];

  test.each(samples)('$source', ({ at, zone, frames, gives }) => {
    const error = frames.at(-1)!.error;
    const text = frames.map(({ update }) => fieldsOf(fieldsOf(update)['content'])['text'] ?? '').join('');
    const complaint = error === undefined ? { text } : { text: describeError(error), error };
    const found = limitIn(complaint, presets[name]!.limits, { now: new Date(at), zone });
    const read = found && { limit: found.limit, ...(found.until && { until: found.until.toISOString() }) };
    expect(read ?? null).toEqual(gives);
  });
});
