import { describe, expect, test } from 'vitest';
import type { SessionSummary } from '../../model/notice.ts';
import { summary } from '../view/fixtures/notices.ts';
import { createColours } from './paint.ts';
import { summaryLines } from './summary.ts';
import { textWidth } from './text.ts';

const lines = (told: SessionSummary, columns = Number.POSITIVE_INFINITY): readonly string[] =>
  summaryLines({ session: 'demo', ...told }, { colours: createColours(false), columns });

describe('the summary of a session', () => {
  test('has how it ended, its stages, hooks and tasks', () =>
    expect(
      lines({
        ...summary,
        usage: { tokens: { input: 48_000, output: 1200 }, costs: [{ amount: 0.31, currency: 'USD' }] },
      }).join('\n'),
    ).toBe(
      `Session demo completed in 3 min 05 s

  STAGE  RESULT     ITERATIONS  FAILED        TIME  WHY
  plan   completed           1       0        12 s  all iterations done
  build  completed           3       1  2 min 53 s  no task left

  HOOK                                             EVENT            RUNS  FAILED  REFUSED        TIME
  npm test                                         task.completing     4       1        0        12 s
  guard.sh                                         tool.calling       31       0        2       0.9 s
  biome check --reporter=summary src test scripts  file.edited         9       0        0  1 min 01 s

2 of 3 tasks
  [x] T1  Write the parser
  [x] T2  Add tests for the parser
  [-] T3  Describe the format in docs/format.md

Hooks:   44 runs, 41 passed, 2 refused, 1 fixed by the agent, 1 failed
Time:    1 min 40 s in the agent, 1 min 14 s in hooks
Used:    49k tokens, $0.31
Changed: 2 files (+40 -2): src/parser.ts, src/parser.test.ts

See how it went: hookloop show demo`,
    ));

  test('that was interrupted says why and how to go on', () =>
    expect(
      lines({
        ...summary,
        status: 'interrupted',
        reason: 'SIGINT',
        stages: [],
        hooks: [],
        tasks: [],
        files: [],
        time: { agentMs: 0, hooksMs: 0, peopleMs: 7000 },
        resume: 'hookloop resume demo',
      }),
    ).toEqual([
      'Session demo interrupted after 3 min 05 s',
      '  Reason: SIGINT',
      '',
      'Time: 7.0 s waiting for people',
      '',
      'Continue with: hookloop resume demo',
    ]));

  test.each([200, 100, 80, 60, 40])('fits %i columns', columns => {
    const reason = 'the gate npm test failed four times, last with exit code 1, on task T2';
    for (const line of lines({ ...summary, status: 'failed', reason }, columns))
      expect(textWidth(line), line).toBeLessThanOrEqual(columns);
  });

  test('on a narrow terminal gives up what matters least', () =>
    expect(lines({ ...summary, tasks: [] }, 40).slice(2)).toEqual([
      '  STAGE RESULT    ITER.       TIME',
      '  plan  completed     1       12 s',
      '  build completed     3 2 min 53 s',
      '',
      '  HOOK         RUNS FAIL REF.       TIME',
      '  npm test        4    1    0       12 s',
      '  guard.sh       31    0    2      0.9 s',
      '  biome check…    9    0    0 1 min 01 s',
      '',
      'Hooks:   44 runs, 41 passed, 2 refused,',
      '         1 fixed by the agent, 1 failed',
      'Time:    1 min 40 s in the agent,',
      '         1 min 14 s in hooks',
      'Changed: 2 files (+40 -2):',
      '         src/parser.ts,',
      '         src/parser.test.ts',
      '',
      'See how it went: hookloop show demo',
    ]));

  test('does not name tasks of checklists by their marks', () => {
    const tasks = [{ id: 'c4f26a39758', content: 'Write it', status: 'open' as const }];
    expect(lines({ ...summary, stages: [], hooks: [], tasks }).slice(2, 4)).toEqual(['0 of 1 task', '  [ ] Write it']);
  });

  test('of many tasks lists those that are not done', () => {
    const tasks = Array.from({ length: 40 }, (_, at) => ({
      id: `T${at + 1}`,
      content: 'x',
      status: at < 20 ? ('done' as const) : ('open' as const),
    }));
    const told = lines({ ...summary, stages: [], hooks: [], tasks });
    expect(told[2]).toBe('20 of 40 tasks');
    expect(told[3]).toBe('  [ ] T21  x');
    expect(told[15]).toBe('  ... 8 more not done');
    expect(told[16]).toBe('');
  });

  test('cannot steer the terminal', () => {
    const hostile = '\x1b[2J\u202e日本\n';
    const told = lines({
      ...summary,
      reason: hostile,
      resume: hostile,
      files: [{ path: hostile }],
      stages: [{ ...summary.stages[0]!, stage: hostile, reason: hostile }],
      hooks: [{ ...summary.hooks[0]!, name: hostile }],
      tasks: [{ id: hostile, content: hostile, status: 'open' }],
    });
    expect(told.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});
