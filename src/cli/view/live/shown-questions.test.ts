import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { notice, story } from '../fixtures/notices.ts';
import { buildDriver, openTerminal, type Terminal, type TerminalOptions, untilSo } from '../fixtures/terminal.ts';

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookloop-watch-questions-'));
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
const approval = (id: string): unknown =>
  notice(35, { type: 'approval.requested', approval: id, question: `Deploy ${id}?` });

describe('a question', () => {
  test('is answered with a key, the oldest first', async () => {
    const terminal = await open({ flags: 'answers' });
    play(terminal);
    terminal.send('notice', approval('ap-1'));
    terminal.send('notice', approval('ap-2'));
    const screen = await terminal.until(text => text.includes('1 more question'));
    expect(screen).toMatch(
      /\n {2}\? Deploy ap-1\?\n {4}y approve {3}n reject {3}hookloop approve ap-1\n {4}1 more question$/,
    );
    await pressUntil(terminal, 'y', text => text.includes('? Deploy ap-2?'));
    await pressUntil(terminal, 'N', text => text.includes('Why not?'));
    terminal.press('-l', 'not on Fridaz');
    terminal.press('BSpace', 'y', 'Enter');
    await terminal.until(text => !text.includes('? Deploy'));
    await untilSo(
      () => terminal.told,
      told => told.length === 2,
    );
    expect(terminal.told).toEqual([
      ['answer', 'ap-1', 'approve', ''],
      ['answer', 'ap-2', 'reject', 'not on Friday'],
    ]);
    const all = await terminal.until(text => text.includes('rejected by you'));
    expect(all).toContain(
      '✓ build 2  approved by you: Deploy ap-1?\n⊘ build 2  rejected by you: Deploy ap-2? (not on Friday)',
    );
  });

  test('that someone answers elsewhere leaves a line, and one that was answered with a key only its own', async () => {
    const terminal = await open({ flags: 'answers' });
    play(terminal);
    const answered = (id: string): unknown =>
      notice(36, {
        ...{ type: 'approval.answered', approval: id, action: 'approve', message: 'well', question: `Deploy ${id}?` },
        by: 'on the approval page',
      });
    terminal.send('notice', approval('ap-1'));
    await terminal.until(text => text.includes('? Deploy ap-1?'));
    await pressUntil(terminal, 'y', text => text.includes('approved by you: Deploy ap-1?'));
    terminal.send('notice', answered('ap-1'));
    terminal.send('notice', approval('ap-2'));
    await terminal.until(text => text.includes('? Deploy ap-2?'));
    terminal.send('settled', 'ap-2');
    terminal.send('notice', answered('ap-2'));
    const all = await terminal.until(text => text.includes('approved on the approval page'));
    expect(all).toContain('✓ build 2  approved on the approval page: Deploy ap-2? (well)');
    expect(all).not.toContain('approved on the approval page: Deploy ap-1?');
  });

  test('stays when the answer is not taken, and goes when someone else has answered', async () => {
    const terminal = await open({ flags: 'answers' });
    play(terminal);
    terminal.send('notice', approval('gone'));
    await terminal.until(text => text.includes('Deploy gone?'));
    await pressUntil(terminal, 'y', text => text.includes('was not accepted: it has expired'));
    expect(await terminal.until(text => text.includes('? Deploy gone?'))).toContain('y approve');
    terminal.send('settled', 'gone');
    await terminal.until(text => !text.includes('? Deploy gone?'));
  });

  test('is not answered by a paste, an arrow key, or what was typed before it was there', async () => {
    const terminal = await open({ flags: 'answers' });
    play(terminal);
    terminal.press('y', 'n');
    terminal.send('notice', approval('ap-1'));
    await terminal.until(text => text.includes('Deploy ap-1?'));
    await new Promise(resolve => setTimeout(resolve, 400));
    terminal.press('-l', 'yes to all');
    terminal.press('Up', 'M-y', 'x');
    await new Promise(resolve => setTimeout(resolve, 300));
    expect(terminal.screen()).toContain('? Deploy ap-1?');
    expect(terminal.told).toEqual([]);
  });

  test('without keys shows the command only', async () => {
    const terminal = await open();
    play(terminal);
    terminal.send('notice', approval('ap-1'));
    expect(await terminal.until(text => text.includes('Deploy ap-1?'))).toMatch(
      /\? Deploy ap-1\?\n {4}hookloop approve ap-1$/,
    );
  });

  test('about a permission is answered with y or n', async () => {
    const terminal = await open({ flags: 'asks' });
    play(terminal);
    terminal.send('ask', 'May it run hunter2?');
    await terminal.until(text => /\? May it run \*\*\*\?\n {4}y allow {3}n refuse/.test(text));
    await pressUntil(terminal, 'n', text => text.includes('Why not?'));
    terminal.press('Escape');
    await terminal.until(text => text.includes('n refuse'));
    await pressUntil(terminal, 'n', text => text.includes('Why not?'));
    terminal.press('Enter');
    await terminal.until(text => !text.includes('May it'));
    terminal.send('ask', 'And now?');
    await terminal.until(text => text.includes('And now?'));
    await pressUntil(terminal, 'y', text => !text.includes('And now?'));
    terminal.send('ask', 'Anyone?');
    await terminal.until(text => text.includes('Anyone?'));
    terminal.send('close');
    await untilSo(
      () => terminal.told.length,
      told => told === 3,
    );
    expect(terminal.told).toEqual([
      ['asked', 'May it run hunter2?', { no: '' }],
      ['asked', 'And now?', 'yes'],
      ['asked', 'Anyone?', 'no-one'],
    ]);
  });

  test('reaches no one where no keys are read', async () => {
    const terminal = await open();
    terminal.send('ask', 'Anyone?');
    await untilSo(
      () => terminal.told,
      told => told.length === 1,
    );
    expect(terminal.told).toEqual([['asked', 'Anyone?', 'no-one']]);
  });
});

test('permissions that no one can be asked for are told to be refused, before the first', async () => {
  const terminal = await open({ flags: 'asks', shell: '$PLAY < /dev/null' });
  play(terminal);
  await terminal.until(text => text.includes('build, stage 2 of 3'));
  const all = terminal.screen('with-history');
  expect(all).toMatch(/warning: --permissions ask: .*no one can be asked here/s);
});

/** A key counts once its question can have been read. */
async function pressUntil(terminal: Terminal, key: string, wanted: (screen: string) => boolean): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 400));
  terminal.press(key);
  await terminal.until(wanted);
}
