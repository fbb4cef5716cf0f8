import { describe, expect, test } from 'vitest';
import type { Notice } from '../../../model/notice.ts';
import { createColours } from '../../print/paint.ts';
import { createProgress, follow } from '../../print/progress.ts';
import { textWidth } from '../../print/text.ts';
import { notice, passed, story } from '../fixtures/notices.ts';
import { symbolsFor } from './line.ts';
import { frameLines, isTurning } from './live-area.ts';
import { createView, followOutput, followView, type View } from './live-state.ts';

const startMs = Date.parse(story[0]!.at);

function viewOf(notices: readonly Notice[], stages: readonly string[] = []): View {
  const view = createView(createProgress(), stages);
  for (const one of notices) {
    follow(view.progress, one);
    followView(view, one, Date.parse(one.at));
  }
  return view;
}

const frame = (view: View, seconds: number, size: { columns?: number; rows?: number } = {}): string[] =>
  frameLines(view, {
    columns: 80,
    rows: 24,
    ...size,
    nowMs: startMs + seconds * 1000,
    sinceMs: startMs,
    colours: createColours(false),
    symbols: symbolsFor('xterm'),
    questions: [],
    hasKeys: false,
  });

const hookStarted = (hook: string, attempt = 1): Notice =>
  notice(34, { type: 'hook.started', hook, name: hook, event: 'file.edited', wait: true, attempt });
const tool = (id: string, status: 'running' | 'completed'): Notice =>
  notice(34, { type: 'agent.tool', id, title: `Edit ${id}`, status });

describe('the live area', () => {
  test('shows where the session is and all that runs', () => {
    const view = viewOf(
      [...story, tool('a.ts', 'running'), hookStarted('lint.sh'), hookStarted('npm test')],
      ['plan', 'build'],
    );
    expect(frame(view, 95)).toEqual([
      '',
      '  demo  ·  build, stage 2 of 2  ·  iteration 2  ·  1 min 35 s',
      '  task       T2  Add tests for the parser',
      '  agent      ⠋ Edit a.ts  1 min 01 s',
      '  hooks      file.edited',
      '             ⠋ lint.sh  1 min 01 s',
      '             ⠋ npm test  1 min 01 s',
    ]);
  });

  test('shows what is spent of budgets', () => {
    const spent = { scope: 'session', unit: 'cost', spent: 0.42, limit: 5 } as const;
    const turns = { scope: 'session', unit: 'turns', spent: 12, limit: 40 } as const;
    const used = { tokens: { input: 0, output: 0 }, costs: [] };
    const view = viewOf([...story, notice(40, { type: 'agent.usage', ...used, budgets: [spent, turns] })]);
    expect(frame(view, 41).join('\n')).toContain('spent 0.42 of 5 USD, 12 of 40 turns');
  });

  test('counts down to the end of a pause, and then waits for the agent', () => {
    const until = new Date(startMs + 40_000 + 4_320_000).toISOString();
    const facts = { kind: 'usage', agent: 'claude', reason: 'resets at 3 pm' } as const;
    const paused = notice(40, { type: 'session.paused', until, ...facts });
    const told = (view: View, seconds: number): string =>
      frame(view, seconds, { columns: 100 })
        .filter(line => /agent|^ {13}/.test(line))
        .join('\n');
    const view = viewOf([...story, paused]);
    expect(told(view, 40)).toMatch(/paused until \d\d:\d\d \(in 1 h 12 min\): usage limit of claude: resets at 3 pm$/);
    expect(told(view, 40 + 4_310)).toMatch(/paused until \d\d:\d\d:\d\d \(in 10 s\): usage/);
    expect(isTurning(view, startMs + 41_000)).toBe(false);
    expect(frame(view, 40, { columns: 60 }).every(line => textWidth(line) < 60)).toBe(true);
    const after = viewOf([...story, paused, notice(4361, { type: 'session.resumed' })]);
    expect(told(after, 4362)).toMatch(/thinking {2}1 s$/);
  });

  test('counts tasks, and shows what the session has used as far as it is known, in as many lines as that takes', () => {
    const view = viewOf([
      ...story,
      notice(34, { type: 'task.starting', taskId: 'T2', content: 'Tests', tasksDone: 2, tasksTotal: 6 }),
      notice(34, {
        type: 'agent.usage',
        tokens: { input: 48_000, output: 1200 },
        costs: [{ amount: 0.0412, currency: 'USD' }],
        contextUsed: 68_000,
        contextSize: 200_000,
      }),
    ]);
    expect(frame(view, 40, { columns: 120 })[1]).toBe(
      '  demo  ·  build  ·  2 of 6 tasks  ·  40 s  ·  49k tokens  ·  $0.041  ·  context 34 %',
    );
    expect(frame(view, 40, { columns: 60 }).slice(1, 3)).toEqual([
      '  demo · build · 2 of 6 tasks · 40 s · 49k tokens · $0.041',
      '  context 34 %',
    ]);
  });

  test('shows the last line that a running hook has printed, and more of it when that is opened', () => {
    const view = viewOf([...story, hookStarted('lint.sh')]);
    followOutput(view, { hook: 'lint.sh', event: 'file.edited', lines: ['one', 'two\x1b[2J'] });
    expect(frame(view, 40).at(-1)).toBe('             ⠋ lint.sh  6 s  two�[2J');
    view.open = 'output';
    expect(frame(view, 40).slice(-3)).toEqual([
      '             ⠋ lint.sh  6 s',
      '               | one',
      '               | two�[2J',
    ]);
  });

  test('does not let hooks flash by that are done at once', () => {
    const view = viewOf([...story, hookStarted('lint.sh')]);
    expect(frame(view, 34.1).join('\n')).not.toContain('lint.sh');
    expect(frame(view, 34.3).join('\n')).toContain('lint.sh');
  });

  test('counts hooks and tools that have no line of their own', () => {
    const view = viewOf([
      ...story,
      ...[1, 2, 3, 4, 5, 6, 7].map(at => hookStarted(`h${at}`)),
      tool('a', 'running'),
      tool('b', 'running'),
    ]);
    expect(frame(view, 40).slice(-8)).toEqual([
      '  agent      ⠋ Edit b  6 s  and 1 more tool',
      '  hooks      file.edited',
      ...[1, 2, 3, 4, 5].map(at => `             ⠋ h${at}  6 s`),
      '             and 2 more',
    ]);
  });

  test('shows another attempt of a hook on the same line', () => {
    const view = viewOf([...story, hookStarted('lint.sh'), hookStarted('lint.sh', 2)]);
    expect(frame(view, 40).at(-1)).toBe('             ⠋ lint.sh  6 s, attempt 2');
  });

  test('shows the last lines of what the agent says, then what it does', () => {
    const words = (text: string): Notice => notice(34, { type: 'agent.message', text });
    const view = viewOf([
      ...story,
      words('First I\nread '),
      words('the code, and then I write the tests that it needs, one by one'),
    ]);
    expect(frame(view, 40, { columns: 40 }).slice(-3)).toEqual([
      '  agent      read the code, and then I',
      '             write the tests that it',
      '             needs, one by one',
    ]);
    expect(isTurning(view, startMs + 40_000)).toBe(false);
    const done = viewOf([...story, words('Now I edit'), tool('a', 'running'), tool('a', 'completed')]);
    expect(frame(done, 36).at(-1)).toBe('  agent      ⠇ thinking  2 s');
    expect(isTurning(done, startMs + 40_000)).toBe(true);
  });

  test('says nothing about the agent before it is prompted', () => {
    const hook = (event: 'iteration.starting' | 'prompt.submitting', name: string, wait = true): Notice =>
      notice(34, { type: 'hook.started', hook: name, name, event, wait, attempt: 1 });
    const ended = (name: string): Notice =>
      notice(38, { type: 'hook.finished', hook: name, name, event: 'prompt.submitting', result: passed(4000) });
    const before = [...story, hook('iteration.starting', 'prepare.sh')];
    const lines = (notices: readonly Notice[], seconds = 40): string => frame(viewOf(notices), seconds).join('\n');
    expect(lines(before)).toMatch(/^(?!.*agent).* prepare\.sh {2}6 s$/s);
    const prompting = [...story, notice(34, { type: 'prompt.submitting' }), hook('prompt.submitting', 'a.sh')];
    expect(lines(prompting)).not.toContain('agent');
    const two = [...prompting, hook('prompt.submitting', 'b.sh'), ended('a.sh')];
    expect(lines(two)).not.toContain('agent');
    const noWord = '  agent      ⠋ thinking  2 s';
    expect(frame(viewOf([...two, ended('b.sh')]), 40)).toContain(noWord);
    const unwatched = [...two, ended('b.sh'), hook('prompt.submitting', 'c.sh', false)];
    expect(frame(viewOf(unwatched), 40)).toContain(noWord);
  });

  test('is still when nothing runs', () => {
    const view = viewOf([...story, notice(34, { type: 'turn.ended' })]);
    expect(frame(view, 40).at(-1)).toBe('  agent      waiting');
    expect(isTurning(view, startMs + 40_000)).toBe(false);
  });

  test('leaves out what matters least where the terminal is low', () => {
    const view = viewOf([...story, tool('a', 'running'), hookStarted('lint.sh')]);
    const labels = (rows: number): string[] => frame(view, 40, { rows }).map(line => line.trim().split(' ')[0]!);
    expect(labels(24)).toEqual(['', 'demo', 'task', 'agent', 'hook', '⠋']);
    expect(labels(6)).toEqual(['demo', 'task', 'agent', 'hook', '⠋']);
    expect(labels(4)).toEqual(['demo', 'task', 'agent']);
    expect(labels(2)).toEqual(['demo']);
  });

  test.each([20, 40, 80, 200])('fits %i columns, whatever the names', columns => {
    const long = '日本 very-long-name '.repeat(20);
    const view = viewOf([
      { ...notice(0, { type: 'session.starting' }), session: long },
      notice(0, { type: 'iteration.starting', stage: long, iteration: 12_345, maxIterations: 99_999 }),
      notice(0, { type: 'task.starting', taskId: long, content: long }),
      notice(0, { type: 'agent.tool', id: 'a', title: long, status: 'running' }),
      notice(0, { type: 'hook.started', hook: 'h', name: long, event: 'file.edited', wait: true, attempt: 3 }),
    ]);
    for (const line of frame(view, 40, { columns })) expect(textWidth(line), line).toBeLessThan(columns);
  });
});
