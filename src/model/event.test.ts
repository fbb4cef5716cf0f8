import { describe, expect, test } from 'vitest';
import { toEvent } from './event.ts';

const now = (): string => '2026-01-25T14:30:12.123Z';
const read = (name: Parameters<typeof toEvent>[0], payload: Record<string, unknown>) => toEvent(name, payload, now);

describe('a payload', () => {
  test('may use any dialect’s names for the same field', () => {
    const expected = {
      kind: 'event',
      event: { name: 'iteration.completed', at: now(), session: 'demo', iteration: 3, maxIterations: 9 },
    };
    expect(read('iteration.completed', { session: 'demo', iteration: 3, maxIterations: 9 })).toEqual(expected);
    expect(read('iteration.completed', { runId: 'demo', ITERATION: 3, MAX_ITERATIONS: 9 })).toEqual(expected);
    expect(
      read('iteration.completed', { session_id: 'demo', Iteration: 3, max_iterations: 9, timestamp: now() }),
    ).toEqual(expected);
  });

  test('keeps babysitter’s word `status` apart from the path STATUS', () => {
    expect(
      read('session.completed', { status: 'completed', STATUS: '/s/status.json', CTX: '/s/context.json' }),
    ).toMatchObject({
      event: { status: 'completed', statusFile: '/s/status.json', contextFile: '/s/context.json' },
    });
  });

  test('takes lists of files as a list or as one path a line', () => {
    const files = { changedFiles: ['a.ts', 'b c.ts'] };
    expect(read('iteration.completed', { CHANGED_FILES: 'a.ts\nb c.ts\n' })).toMatchObject({ event: files });
    expect(read('iteration.completed', { changed_files: ['a.ts', 'b c.ts'] })).toMatchObject({ event: files });
  });

  test('reads `id` and `title` as a task’s only in task events', () => {
    expect(read('task.completed', { id: 'T1', title: 'Build' })).toMatchObject({
      event: { taskId: 'T1', content: 'Build' },
    });
    expect(read('approval.requested', { id: 'T1', title: 'Build' })).toMatchObject({
      event: { title: 'Build', extra: { id: 'T1' } },
    });
    expect(read('tool.called', { id: 7, path: 3 })).toMatchObject({ event: { extra: { id: 7, path: 3 } } });
  });

  test('passes unknown fields through untouched', () => {
    const payload = JSON.parse(
      '{"effectId":"e1","kind":"node","nested":{"__proto__":{"x":1}},"__proto__":{"polluted":true}}',
    );
    const reading = read('task.starting', payload);
    expect(JSON.stringify((reading as { event: { extra: unknown } }).event.extra)).toBe(JSON.stringify(payload));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('of two names for one field our own wins and the other is passed through', () => {
    expect(read('tool.called', { tool_use_id: 'own-1', tool_call_id: 'call-1' })).toMatchObject({
      event: { toolCallId: 'call-1', extra: { tool_use_id: 'own-1' } },
    });
  });

  test('says in any agent’s words that the turn ends once more', () => {
    expect(read('turn.ending', { stop_hook_active: true })).toMatchObject({ event: { again: true } });
    expect(read('turn.ending', { again: false })).toMatchObject({ event: { again: false } });
  });

  test('takes null for missing', () => {
    expect(read('iteration.failed', { error: null, iteration: null })).toEqual({
      kind: 'event',
      event: { name: 'iteration.failed', at: now() },
    });
  });

  test.each([
    ['iteration.completed', { ITERATION: 'three' }, '"ITERATION" must be a whole number'],
    ['iteration.completed', { iteration: 1.5 }, '"iteration" must be a whole number'],
    ['iteration.completed', { changedFiles: [1] }, '"changedFiles" must be a list of texts, or one text a line'],
    ['task.completing', { task_id: 7 }, '"task_id" must be a text'],
    ['turn.ending', { stop_hook_active: 'yes' }, '"stop_hook_active" must be true or false'],
    ['score.recorded', { score: '85' }, '"score" must be a number'],
    ['session.starting', { runId: {} }, '"runId" must be a text'],
  ] as const)('of a wrong type is refused by name: %s %j', (name, payload, flaw) => {
    expect(read(name, payload)).toEqual({ kind: 'bad', flaws: [flaw] });
  });
});
