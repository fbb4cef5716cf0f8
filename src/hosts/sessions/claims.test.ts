import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleHostProgram, trust } from '../../../test/host-program.ts';
import { createWorld, temporaryFolder, type World } from '../../../test/program.ts';
import { type Decision, type HookEvent, proceed } from '../../model/index.ts';
import { type Asking, type Claim, claim, fileClaims } from './claims.ts';

const folder = temporaryFolder('claims');
let program: string;
beforeAll(async () => {
  program = await bundleHostProgram(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const event: HookEvent = {
  ...{ name: 'tool.calling', session: 's', agent: 'codex', tool: 'Bash', toolCallId: 'call_1' },
  input: { command: 'ls' },
};
const here: Asking = { root: '/x', process: '7@1' };
const no: Decision = { kind: 'block', reason: 'no', by: 'h' };

/** What a second call gets after a first one has decided. */
async function afterwards(
  decision: Decision,
  second: HookEvent,
  asking: Asking,
  { takesMs = 0, laterMs = 0, before = event } = {},
): Promise<Claim['kind']> {
  const store = fileClaims(join(folder, Math.random().toString(36).slice(2)));
  const first = await claim(store, before, ['h'], 1000, here);
  await delay(takesMs);
  if (first.kind === 'mine') first.done(decision);
  await delay(laterMs);
  return (await claim(store, second, ['h'], 1000, asking)).kind;
}

describe('what was decided for one call', () => {
  const other = { ...event, agent: 'claude' };

  test('counts for the same call that the same process makes again', async () => {
    for (const decision of [proceed, no]) expect(await afterwards(decision, event, here)).toBe('theirs');
  });

  test('counts under another name only if it is a refusal, or if the call has been made', async () => {
    expect(await afterwards(proceed, other, here)).toBe('mine');
    expect(await afterwards(no, other, here)).toBe('theirs');
    const [called, calledByOther] = [event, other].map(each => ({ ...each, name: 'tool.called' as const }));
    expect(await afterwards(proceed, calledByOther!, here, { before: called! })).toBe('theirs');
  });

  test('is no pass while it is not decided, where the call has no id', async () => {
    const { toolCallId: _id, ...without } = event;
    const store = fileClaims(join(folder, 'no-id'));
    await claim(store, without, ['h'], 1000, here);
    expect((await claim(store, without, ['h'], 60_000, here)).kind).toBe('mine');
  });

  test.each<[string, Partial<HookEvent>, Partial<Asking>]>([
    ['in another project', {}, { root: '/y' }],
    ['of another tool', { tool: 'Write' }, {}],
    ['with another input', { input: { command: 'rm -rf x' } }, {}],
    ['of another session', { session: 't' }, {}],
    ['with another id', { toolCallId: 'call_2' }, {}],
  ])('does not count for a call %s', async (_how, more, asking) => {
    for (const decision of [proceed, no])
      expect(await afterwards(decision, { ...other, ...more }, { ...here, ...asking })).toBe('mine');
  });

  test.each(['8@1', '7@2', ''])('from the process %j counts only if it is a refusal', async process => {
    for (const second of [event, other]) {
      expect(await afterwards(proceed, second, { ...here, process })).toBe('mine');
      expect(await afterwards(no, second, { ...here, process })).toBe('theirs');
    }
  });

  test('is passed on for as long as one call may be told twice, however long the hooks took', async () => {
    expect(await afterwards(proceed, event, here)).toBe('theirs');
    expect(await afterwards(proceed, event, here, { takesMs: 2200 })).toBe('theirs');
  });

  test('has to be decided anew later, with the same id too: the files may be others by then. A refusal stays', async () => {
    const later = { laterMs: 2200 };
    const kinds = [proceed, no].flatMap(decision => [event, other].map(one => afterwards(decision, one, here, later)));
    expect(await Promise.all(kinds)).toEqual(['mine', 'mine', 'theirs', 'theirs']);
  });

  test('is not waited for where its pass would not count', async () => {
    const store = fileClaims(join(folder, 'in-flight'));
    await claim(store, event, ['h'], 1000, here);
    const begunMs = performance.now();
    expect((await claim(store, other, ['h'], 60_000, { ...here, process: '8@1' })).kind).toBe('mine');
    expect(performance.now() - begunMs).toBeLessThan(30_000);
  });
});

describe('a call of hookloop hook', () => {
  const gate = (command: string): string =>
    `[[agent.hooks]]\nevent = "pre_tool"\ncommand = "${command}"\nblock = true\n`;
  const payload = JSON.stringify({
    session_id: 'S',
    tool_use_id: 'call_1',
    tool_name: 'Bash',
    tool_input: { command: 'rm' },
  });

  function worldWith(command: string): World {
    const world = createWorld(folder, program);
    world.write('.nyzhi/config.toml', gate(command));
    trust(world);
    return world;
  }

  test('is not answered by what another project passed', () => {
    const [first, second] = [worldWith('true'), worldWith('exit 1')];
    const env = { HOME: first.home };
    expect(second.run(['trust', '--yes'], { env })).toMatchObject({ exit: 0 });
    expect(first.run(['hook', 'codex', 'PreToolUse'], { input: payload }).stdout).toBe('');
    expect(second.run(['hook', 'claude', 'PreToolUse'], { input: payload, env }).stdout).toContain('deny');
  });

  test('is not answered by what a shell has asked for in its place, with programs of its own', () => {
    const world = worldWith('grep -qv rm');
    world.write('fake/grep', '#!/bin/sh\nexit 0\n', 0o755);
    world.write('payload', payload);
    const shell = 'PATH=$PWD/fake:$PATH "$NODE" "$PROGRAM" hook codex PreToolUse < payload; exit 0';
    expect(world.run([], { shell }).stdout).toBe('');
    expect(world.run(['hook', 'claude', 'PreToolUse'], { input: payload }).stdout).toContain('deny');
  });

  test.each([
    [
      'with an entry among its words',
      `bash -c 'PATH=$PWD/fake:$PATH; "$NODE" "$PROGRAM" hook AGENT PreToolUse < payload; true' 'x hook AGENT PreToolUse # hookloop'`,
    ],
    ['that becomes the call', 'env PATH=$PWD/fake:$PATH "$NODE" "$PROGRAM" hook codex PreToolUse < payload'],
  ])('is not answered by what a shell of the agent has asked for %s', (_how, fake) => {
    const world = worldWith('grep -qv rm');
    world.write('fake/grep', '#!/bin/sh\nexit 0\n', 0o755);
    world.write('payload', payload);
    const real = `bash -c 'exec "$NODE" "$PROGRAM" hook claude PreToolUse < payload'`;
    const shell = `bash -c 'exec ${fake.replaceAll("'", `'\\''`)}'; ${real}; exit 0`;
    for (const agent of fake.includes('AGENT') ? ['codex', 'claude'] : ['codex'])
      expect(world.run([], { shell: shell.replaceAll('AGENT', agent) }).stdout).toContain('deny');
  });

  test('under two names from one agent runs the hooks once, through the entries that install writes', () => {
    const world = createWorld(folder, program);
    world.write('.nyzhi/config.toml', '[[agent.hooks]]\nevent = "post_tool"\ncommand = "echo ran >> runs"\n');
    trust(world);
    world.write('payload', payload);
    world.run(['install', 'codex']);
    world.run(['install', 'claude']);
    const entries = ['.codex/hooks.json', '.claude/settings.local.json'].map(
      file => JSON.parse(readFileSync(world.pathOf(file), 'utf8')).hooks.PostToolUse[0].hooks[0].command,
    );
    world.run(entries, { shell: 'sh -c "$0" < payload; sh -c "$1" < payload; exit 0' });
    expect(world.run([], { shell: 'cat runs' }).stdout).toBe('ran\n');
  });
});
