import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/program.ts';
import { bundleServeProgram } from './fixtures/program.ts';
import { createServeWorld, type ServeWorld, until } from './fixtures/world.ts';

const folder = temporaryFolder('serve-ready');
let program: string;
beforeAll(async () => {
  program = await bundleServeProgram(folder, 'one');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gate = '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "echo $$ > pid; echo no >&2; exit 1"\nblock = true\n';

/** One that has answered once, and has a process waiting for the next call. */
async function servedOnce() {
  const world = createServeWorld(folder, program);
  world.write('~/.config/nyzhi/config.toml', gate);
  const { child, ended } = await world.serve('--port', '0');
  ask(world, 'first');
  const waiting = (): number[] => childrenOf(child.pid!);
  await until(() => waiting().length === 1);
  return { world, child, ended, waiting };
}

let count = 0;

function ask(world: ServeWorld, what: string): { pid: number; stdout: string } {
  count += 1;
  const call = { session_id: 's', hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: `${what}-${count}` };
  const { stdout } = world.launch(['hook', 'claude'], JSON.stringify({ ...call, tool_input: { command: what } }));
  return { pid: Number(readFileSync(world.pathOf('pid'), 'utf8')), stdout: `${stdout}` };
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

const isThere = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

describe('the process that waits for the next hook', () => {
  test('becomes it, and another one waits afterwards', async () => {
    const { world, waiting } = await servedOnce();
    let used = 0;
    await until(() => {
      const before = waiting();
      const { pid, stdout } = ask(world, 'again');
      expect(stdout).toContain('"permissionDecision":"deny"');
      used = pid;
      return before.includes(pid);
    });
    await until(() => waiting().length === 1 && !waiting().includes(used));
  });

  test('is not to be had, nor much else, where files run out, which is told in words', async () => {
    const { world, child } = await servedOnce();
    execFileSync('prlimit', ['--pid', String(child.pid), '--nofile=36:36']);
    const call = (at: number): string =>
      JSON.stringify({ session_id: 's', hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: `many-${at}` });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => world.launchAside(['hook', 'claude'], call(at))),
    );
    const told = answers.map(({ stdout, stderr }) => `${stdout}${stderr}`);
    expect(told.filter(text => /bug|\.cjs:\d/.test(text))).toEqual([]);
    // Whoever serve cannot even look at any more is refused by its launcher.
    const passed = answers.filter(
      ({ exit, stdout }) => exit !== 2 && !`${stdout}`.includes('"permissionDecision":"deny"'),
    );
    expect(passed).toEqual([]);
    expect(told.filter(text => text.includes('EMFILE')).length).toBeGreaterThan(0);
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)('ends when serve ends by %s', async signal => {
    const { child, ended, waiting } = await servedOnce();
    const [pid = 0] = waiting();
    expect(isThere(pid)).toBe(true);
    child.kill(signal);
    await ended;
    await until(() => !isThere(pid));
  });
});
