import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { notice, story, summary } from '../fixtures/notices.ts';
import { buildDriver, openTerminal, type Terminal, type TerminalOptions, untilSo } from '../fixtures/terminal.ts';

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookloop-watch-live-'));
  program = await buildDriver(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function open(options?: TerminalOptions): Promise<Terminal> {
  const terminal = await openTerminal(program, options);
  onTestFinished(terminal.close);
  return terminal;
}

const play = (terminal: Terminal, notices = story): void => {
  for (const one of notices) terminal.send('notice', one);
};
const count = (text: string, part: string): number => text.split(part).length - 1;
const running = notice(34, { type: 'agent.tool', id: 'x', title: 'Edit src/parser.test.ts', status: 'running' });

describe('on a terminal', () => {
  test('what is finished stays above, what goes on stands below', async () => {
    const terminal = await open();
    play(terminal, [...story, running]);
    const screen = await terminal.until(text => text.includes('Edit src/parser.test.ts'));
    expect(
      screen.replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, '*').replaceAll(/\d s$/gm, 'N s'),
    ).toBe(`· build 1  task T1 starts: Write the parser
⊘ build 1  hook guard.sh refused Bash rm -rf build: nothing outside tmp is
           deleted  tool.calling
· build 1  tool Write src/parser.ts
✓ build 1  hook lint.sh passed in 0.4 s, 2 lines for the agent  file.edited
✗ build 1  hook npm test failed in 3.2 s: exit code 1; the agent fixes it
             > vitest run
              FAIL  src/parser.test.ts > reads numbers
             AssertionError: expected 1 to be 2
              ❯ src/parser.test.ts:12:20
              Test Files  1 failed (1)
                   Tests  1 failed | 3 passed (4)
                Duration  412ms
             npm error code 1
· build 1  tool Edit src/parser.ts
✓ build 1  hook npm test passed in 3.0 s  task.completing
✓ build 1  task T1 done: Write the parser
✓ build 1  iteration completed in 21 s, 2 files changed
· build 2  task T2 starts: Add tests for the parser

  demo  ·  build, stage 2 of 3  ·  iteration 2  ·  N s
  task       T2  Add tests for the parser
  agent      * Edit src/parser.test.ts  N s`);
    expect(terminal.ask('cursor_flag')).toBe('0');
  });

  test('where there is one stage its name is not repeated, and a message is there once', async () => {
    const terminal = await open({ flags: 'alone' });
    const words = (text: string) => notice(1, { type: 'agent.message', text });
    play(terminal, [
      notice(0, { type: 'session.starting' }),
      notice(0, { type: 'stage.starting', stage: 'work', maxIterations: 5 }),
      notice(0, { type: 'iteration.starting', stage: 'work', iteration: 1 }),
      words('I look at the code.\nThen I'),
    ]);
    const live = await terminal.until(text => text.includes('Then I'));
    expect(live).toMatch(/^ {2}agent: I look at the code\.\n\n {2}demo.*\n {2}agent {6}Then I$/);
    play(terminal, [
      words(' write it.'),
      notice(2, { type: 'agent.tool', id: 't', title: 'Write a.ts', status: 'completed' }),
      notice(2, { type: 'iteration.completed', stage: 'work', iteration: 1 }),
      notice(2, { type: 'iteration.starting', stage: 'work', iteration: 2 }),
    ]);
    const later = await terminal.until(text => text.includes('iteration 2'));
    expect(later).toMatch(/^ {2}agent: I look at the code\.\n {9}Then I write it\.\n· tool Write a\.ts\n/);
    expect(later).toContain('\n✓ work 1  iteration completed in 2.0 s\n');
  });

  test('the end leaves the summary and no trace of the live area', async () => {
    const terminal = await open();
    play(terminal, [...story, running]);
    await terminal.until(text => text.includes('Edit src/parser.test.ts'));
    terminal.send('notice', notice(185, { type: 'session.summary', ...summary }));
    terminal.send('remark', { level: 'info', text: 'after it' });
    terminal.send('close');
    terminal.send('close');
    terminal.send('remark', { level: 'info', text: 'and later' });
    terminal.send('exit', 0);
    await terminal.until(text => text.includes('ended with 0'));
    const all = terminal.screen('with-history');
    expect(all).toMatch(/Add tests for the parser\n\nSession demo completed in 3 min 05 s\n\n {2}STAGE/);
    expect(all).toMatch(/hookloop show demo\nafter it\nand later\nended with 0$/);
    expect([
      count(all, 'agent      '),
      count(all, '⠋'),
      terminal.ask('cursor_flag'),
      terminal.ask('wrap_flag'),
    ]).toEqual([0, 0, '1', '1']);
  });

  test('lines that stay are there once, however often the area below changes its height', async () => {
    const terminal = await open({ rows: 12 });
    for (let at = 1; at <= 60; at += 1) {
      const hooks = Array.from({ length: at % 4 }, (_, hook) =>
        notice(at, {
          type: 'hook.started',
          hook: `h${hook}`,
          name: `hook ${hook}`,
          event: 'file.edited',
          wait: true,
          attempt: 1,
        }),
      );
      play(terminal, [
        notice(at, { type: 'iteration.starting', stage: 'build', iteration: at, maxIterations: 60 }),
        ...(at % 2 ? [notice(at, { type: 'task.starting', taskId: 'T', content: 'x' })] : []),
        ...hooks,
        notice(at, { type: 'agent.message', text: `${'words '.repeat(at % 30)}\n` }),
        notice(at, { type: 'iteration.completed', stage: 'build', iteration: at }),
      ]);
      if (at % 6 === 0) await new Promise(resolve => setTimeout(resolve, 100));
    }
    await terminal.until(text => text.includes('iteration 60'));
    terminal.send('close');
    await untilSo(
      () => terminal.ask('cursor_flag'),
      flag => flag === '1',
    );
    const lines = terminal
      .screen('with-history')
      .split('\n')
      .filter(line => line.startsWith('✓'));
    expect(lines).toEqual(Array.from({ length: 60 }, (_, at) => `✓ build ${at + 1}  iteration completed in 0.0 s`));
  });

  test('another size of the terminal leaves nothing behind', async () => {
    const terminal = await open();
    play(terminal, [...story, running]);
    await terminal.until(text => text.includes('Edit src/parser.test.ts'));
    for (const [columns, rows] of [
      [40, 24],
      [100, 30],
      [40, 10],
      [30, 24],
      [120, 24],
    ] as const) {
      terminal.resize(columns, rows);
      await untilSo(
        () => terminal.ask('pane_width'),
        wide => wide === String(columns),
      );
      const before = terminal.told.length;
      terminal.send('ping');
      await untilSo(
        () => terminal.told.length,
        told => told > before,
      );
      await new Promise(resolve => setTimeout(resolve, 250));
    }
    const all = terminal.screen('with-history');
    expect([count(all, 'demo  ·'), count(all, 'iteration 2 '), count(all, 'agent      ')]).toEqual([1, 1, 1]);
    expect(count(all, '2 files changed')).toBe(1);
  });

  test('a terminal lower than the area shows what matters most', async () => {
    const terminal = await open({ rows: 4 });
    play(terminal, [...story, running]);
    const screen = await terminal.until(text => text.includes('Edit src/parser.test.ts'));
    expect(screen.split('\n').map(line => line.trim().split(' ')[0])).toEqual(['demo', 'task', 'agent']);
  });

  test('foreign text cannot steer it, and wide characters keep their columns', async () => {
    const terminal = await open();
    const hostile = '\x1b[2J\x1b[H\x1b]0;owned\x07\x9b1A日本👩‍👩‍👧\u202e';
    play(terminal, story.slice(0, 3));
    play(terminal, [
      notice(3, { type: 'task.starting', taskId: 'T9', content: hostile }),
      notice(3, { type: 'task.completed', taskId: 'T9', content: hostile }),
      notice(3, { type: 'hook.started', hook: 'h', name: hostile, event: 'file.edited', wait: true, attempt: 1 }),
      notice(3, { type: 'agent.message', text: `${hostile.repeat(9)} end` }),
    ]);
    terminal.send('remark', { level: 'error', text: `hunter2 ${hostile}` });
    const screen = await terminal.until(text => text.includes('hook  ') && text.includes(' end'));
    expect(screen).toMatch(/^✓ plan 1 {2}task T9 done: �\[2J�\[H�\]0;owned��1A日本/m);
    expect(screen).toContain('\nerror: *** �[2J');
    expect(count(screen, 'demo  ·')).toBe(1);
    expect(terminal.ask('pane_title')).not.toBe('owned');
  });

  test('it is drawn at most twelve times a second, and hardly ever when nothing turns', async () => {
    const terminal = await open();
    const log = join(folder, 'frames');
    terminal.record(log);
    play(terminal, story);
    const from = Date.now();
    for (let at = 0; Date.now() - from < 1500; at += 1) {
      for (let piece = 0; piece < 50; piece += 1)
        terminal.send('notice', notice(34, { type: 'agent.message', text: `${at} ` }));
      await new Promise(resolve => setTimeout(resolve, 10));
    }
    const seconds = (Date.now() - from) / 1000;
    const busy = terminal.frames(log);
    expect(busy).toBeGreaterThan(5);
    expect(busy).toBeLessThanOrEqual(seconds * 12 + 3);
    await new Promise(resolve => setTimeout(resolve, 1000));
    expect(terminal.frames(log) - busy).toBeLessThanOrEqual(4);
  });

  test('keys stop the session now or after the turn, and open help and the output of a hook', async () => {
    const terminal = await open({ flags: 'answers', rows: 40 });
    play(terminal, [...story, running]);
    await terminal.until(text => text.includes('? help'));
    terminal.press('?');
    await terminal.until(text => text.includes('stop after this turn'));
    terminal.press('?');
    await terminal.until(text => !text.includes('stop now'));
    terminal.press('p');
    await terminal.until(text => text.includes("stops after the agent's turn"));
    terminal.press('s');
    await terminal.until(text => text.includes('is stopping'));
    await untilSo(
      () => terminal.told.length,
      length => length === 2,
    );
    expect(terminal.told).toEqual([
      ['stop', 'turn'],
      ['stop', 'now'],
    ]);
  });
});
