import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundleProgram, eventually, temporaryFolder } from '../../platform/fixtures/programs.ts';
import { processStartTime } from '../../platform/processes.ts';
import { serve, untilAborted } from '../../session/control/fixtures/session.ts';

const program = await bundleProgram(new URL('fixtures/program.ts', import.meta.url), 'cjs');

const isAlive = (pid: number): boolean => processStartTime(pid) !== undefined;

describe('the server', () => {
  function start(env: Record<string, string> = {}): { child: ChildProcess; lines: string[] } {
    const child = spawn(process.execPath, [program], {
      env: { HOOKLOOP_SESSION_DIR: join(temporaryFolder(), 'none'), ...env },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface(child.stdout!).on('line', line => lines.push(line));
    return { child, lines };
  }

  const initialize = `${JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  })}\n`;

  test('survives garbage and prints nothing but the protocol', async () => {
    const { child, lines } = start();
    child.stdin!.write('garbage\n\n{"half":\n[1]\n{"jsonrpc":"2.0"}\n\u0000\n');
    child.stdin!.write(initialize);
    await eventually(() => lines.length > 0);
    child.stdin!.write('more of it\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n');
    await eventually(() => lines.some(line => JSON.parse(line).id === 2));
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(lines.map(line => JSON.parse(line).id)).toEqual(expect.arrayContaining([1, 2]));
  });

  test('ends when its input does, also in the middle of a call', async () => {
    const served = await serve(untilAborted);
    const { child } = start({ HOOKLOOP_SESSION_DIR: served.sessionFolder });
    child.stdin!.write(initialize);
    child.stdin!.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    child.stdin!.write('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"task_list","arguments":{}}}\n');
    await eventually(() => served.asked.length === 1);
    const exited = once(child, 'exit');
    child.stdin!.end();
    expect(await exited).toEqual([0, null]);
    await eventually(() => served.asked[0]!.signal.aborted);
  });

  test('ends when no one reads its output any more, although its input stays open', async () => {
    const { child, lines } = start();
    child.stdin!.write(initialize);
    await eventually(() => lines.length > 0);
    const exited = once(child, 'exit');
    child.stdin!.on('error', () => {});
    child.stdout!.destroy();
    child.stdin!.write('{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
    expect(await exited).toEqual([0, null]);
  });

  test('ends with the program that has started it', async () => {
    const script = `const { spawn } = require('child_process');
      const child = spawn(process.execPath, [${JSON.stringify(program)}], { stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdin.write(${JSON.stringify(initialize)});
      child.stdout.once('data', () => console.log(child.pid));`;
    const parent = spawn(process.execPath, ['-e', script], { env: { HOOKLOOP_SESSION_DIR: '/nowhere' } });
    const [line] = (await once(createInterface(parent.stdout!), 'line')) as [string];
    const pid = Number(line);
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await eventually(() => !isAlive(pid));
  });

  test('without a session to work for is wrong usage', async () => {
    const { child, lines } = start({ HOOKLOOP_SESSION_DIR: 'relative' });
    let stderr = '';
    child.stderr!.on('data', chunk => {
      stderr += chunk;
    });
    expect(await once(child, 'close')).toEqual([64, null]);
    expect(stderr).toContain('HOOKLOOP_SESSION_DIR');
    expect(lines).toEqual([]);
  });
});
