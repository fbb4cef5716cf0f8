import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { notice, story } from '../fixtures/notices.ts';
import { buildDriver, openTerminal, type Terminal, type TerminalOptions, untilSo } from '../fixtures/terminal.ts';

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookloop-watch-ending-'));
  program = await buildDriver(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A terminal in the middle of a session. */
async function open(options: TerminalOptions): Promise<Terminal> {
  const terminal = await openTerminal(program, options);
  onTestFinished(terminal.close);
  for (const one of story) terminal.send('notice', one);
  terminal.send('notice', notice(34, { type: 'agent.tool', id: 'x', title: 'Edit a.ts', status: 'running' }));
  await terminal.until(text => text.includes('Edit a.ts'));
  expect(terminal.ask('cursor_flag')).toBe('0');
  return terminal;
}

/** Runs on after the driver has died of the signal itself. */
const shell = 'trap : INT TERM HUP QUIT; $PLAY; echo ended with $?; stty -a';
const keys = 'answers asks';

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGQUIT', 131],
])('death by %s leaves the terminal as it was', async (signal, code) => {
  const terminal = await open({ flags: keys, shell });
  terminal.send('kill', signal);
  const screen = await terminal.until(text => /-?echok/.test(text));
  expect(screen).toMatch(new RegExp(`ended with ${code}\\b`));
  expect(screen).toMatch(/^isig icanon /m);
  expect([terminal.ask('cursor_flag'), terminal.ask('wrap_flag')]).toEqual(['1', '1']);
});

test.each(['exit', 'throws'])('an end by %s leaves the terminal as it was', async method => {
  const terminal = await open({ flags: keys, shell });
  terminal.send(method, 3);
  const screen = await terminal.until(text => /-?echok/.test(text));
  expect(screen).toMatch(/^isig icanon /m);
  expect(terminal.ask('cursor_flag')).toBe('1');
});

test('Ctrl-C interrupts although keys are read', async () => {
  const terminal = await open({ flags: `${keys} listens`, shell });
  terminal.press('C-c');
  await untilSo(
    () => terminal.told.length,
    told => told === 1,
  );
  expect(terminal.told).toEqual([['signal', 'SIGINT']]);
  await terminal.until(text => text.includes('Edit a.ts'));
});

test('Ctrl-Z stops the program with a clean terminal, and it goes on where it was', async () => {
  const terminal = await open({ flags: keys, shell: 'set -m; $PLAY; echo stopped; stty -a; read line; fg; echo back' });
  terminal.press('C-z');
  const stopped = await terminal.until(text => /-?echok/.test(text));
  expect(stopped).toMatch(/^isig icanon /m);
  expect(stopped).not.toContain('Edit a.ts');
  expect(terminal.ask('cursor_flag')).toBe('1');
  terminal.press('Enter');
  await terminal.until(text => text.includes('Edit a.ts'));
  await untilSo(
    () => terminal.ask('cursor_flag'),
    flag => flag === '0',
  );
  terminal.send('ask', 'Still there?');
  await terminal.until(text => text.includes('Still there?'));
  await new Promise(resolve => setTimeout(resolve, 400));
  terminal.press('y');
  await untilSo(
    () => terminal.told.length,
    told => told === 1,
  );
  expect(terminal.told).toEqual([['asked', 'Still there?', 'yes']]);
});

test('in the background no keys are read, and the program runs', async () => {
  const terminal = await open({ flags: keys, shell: 'set -m; $PLAY & wait' });
  terminal.send('ask', 'Anyone?');
  await untilSo(
    () => terminal.told.length,
    told => told === 1,
  );
  expect(terminal.told).toEqual([['asked', 'Anyone?', 'no-one']]);
});

test('a terminal that is stuck stops nothing', async () => {
  const terminal = await open({});
  terminal.press('C-s');
  for (let at = 0; at < 3000; at += 1)
    terminal.send('notice', notice(at, { type: 'task.completed', taskId: `T${at}`, content: 'x'.repeat(100) }));
  terminal.send('ping');
  await untilSo(
    () => terminal.told.length,
    told => told === 1,
  );
  terminal.press('C-q');
  await terminal.until(text => text.includes('T2999'));
});
