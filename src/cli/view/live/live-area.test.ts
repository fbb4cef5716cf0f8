import { describe, expect, test } from 'vitest';
import type { Notice } from '../../../model/notice.ts';
import { createColours } from '../../print/paint.ts';
import { createProgress, follow } from '../../print/progress.ts';
import { textWidth } from '../../print/text.ts';
import { notice, passed, story } from '../fixtures/notices.ts';
import { symbolsFor } from './line.ts';
import { frameLines, isTurning } from './live-area.ts';
import { createView, followView, type View } from './live-state.ts';

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
      '  demo  ·  build, stage 2 of 2  ·  1 min 35 s',
      '  iteration  2 of 5  ━━━━━━━━────────────────────────────────',
      '  task       T2  Add tests for the parser',
      '  agent      ⠋ Edit a.ts  1 min 01 s',
      '  hooks      ⠋ lint.sh  1 min 01 s',
      '             ⠋ npm test  1 min 01 s',
    ]);
  });

  test('shows the results of this iteration, the newest first', () => {
    const finished = (name: string): Notice[] => [
      hookStarted(name),
      notice(35, { type: 'hook.finished', hook: name, name, event: 'file.edited', result: passed(412) }),
    ];
    const view = viewOf([...story, ...finished('lint.sh'), ...finished('format.sh')]);
    expect(frame(view, 36).at(-1)).toBe('  finished   ✓ format.sh 0.4 s   ✓ lint.sh 0.4 s');
    expect(frame(view, 36, { columns: 40 }).at(-1)).toBe('  finished   ✓ format.sh 0.4 s');
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
    expect(frame(view, 40).slice(-7)).toEqual([
      '  agent      ⠋ Edit b  6 s  and 1 more tool',
      ...['  hooks      ⠋ h1  6 s', ...[2, 3, 4, 5].map(at => `             ⠋ h${at}  6 s`)],
      '             and 2 more',
    ]);
  });

  test('shows another attempt of a hook on the same line', () => {
    const view = viewOf([...story, hookStarted('lint.sh'), hookStarted('lint.sh', 2)]);
    expect(frame(view, 40).at(-1)).toBe('  hook       ⠋ lint.sh  6 s  attempt 2');
  });

  test('shows the last lines of what the agent says, then what it does', () => {
    const words = (text: string): Notice => notice(34, { type: 'agent.message', text });
    const view = viewOf([
      ...story,
      words('First I\nread '),
      words('the code, and then I write the tests that it needs, one by one'),
    ]);
    expect(frame(view, 40, { columns: 40 }).slice(-2)).toEqual([
      '  agent      write the tests that it',
      '             needs, one by one',
    ]);
    expect(isTurning(view, startMs + 40_000)).toBe(false);
    const done = viewOf([...story, words('Now I edit'), tool('a', 'running'), tool('a', 'completed')]);
    expect(frame(done, 36).at(-1)).toBe('  agent      ⠋ thinks  2 s');
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
    const noWord = '  agent      ⠋ no word yet  2 s';
    expect(frame(viewOf([...two, ended('b.sh')]), 40)).toContain(noWord);
    const unwatched = [...two, ended('b.sh'), hook('prompt.submitting', 'c.sh', false)];
    expect(frame(viewOf(unwatched), 40)).toContain(noWord);
  });

  test('is still when nothing runs', () => {
    const view = viewOf([...story, notice(34, { type: 'turn.ended' })]);
    expect(frame(view, 40).at(-1)).toBe('  agent      waits');
    expect(isTurning(view, startMs + 40_000)).toBe(false);
  });

  test('leaves out what matters least where the terminal is low', () => {
    const view = viewOf([...story, tool('a', 'running'), hookStarted('lint.sh')]);
    const labels = (rows: number): string[] => frame(view, 40, { rows }).map(line => line.trim().split(' ')[0]!);
    expect(labels(24)).toEqual(['', 'demo', 'iteration', 'task', 'agent', 'hook']);
    expect(labels(6)).toEqual(['demo', 'iteration', 'task', 'agent', 'hook']);
    expect(labels(4)).toEqual(['demo', 'iteration', 'agent']);
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
