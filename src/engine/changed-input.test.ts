import { describe, expect, test } from 'vitest';
import { claudeSettings, createEngineProject } from '../../test/engine-project.ts';
import type { HookEvent } from '../model/index.ts';

const { log, write, fire } = createEngineProject();

const call = (command: string, more: Partial<HookEvent> = {}): HookEvent => ({
  name: 'tool.calling',
  tool: 'Bash',
  input: { command },
  ...more,
});

/** Runs code with the payload in `p`, and `say` for an answer. */
const node = (code: string): string =>
  `node -e '${`
  const p = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const command = p.tool_input.command;
  const change = updatedInput => console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: p.hook_event_name, updatedInput } }));
  ${code}`.replaceAll(/\s+/g, ' ')}'`;
const adds = (word: string): string => node(`change({ ...p.tool_input, command: command + " ${word}" });`);
const addsOnce = (word: string): string =>
  node(`if (!command.includes("${word}")) change({ command: command + " ${word}" });`);
const refuses = (word: string): string =>
  node(
    `require("fs").appendFileSync("log", command + "\\n"); if (command.includes("${word}")) { console.error("no ${word}"); process.exit(2); }`,
  );

describe('a hook that changes the input of a call', () => {
  test('changes it, and what it made of it is in its result', async () => {
    write('.claude/settings.json', claudeSettings('PreToolUse', adds('b')));
    const { decision, results } = await fire(call('a'));
    expect(decision).toEqual({ kind: 'proceed', input: { command: 'a b' } });
    expect(results).toMatchObject([{ status: 'finished', input: { command: 'a b' }, decision: { kind: 'proceed' } }]);
  });

  test('changes nothing by giving back what it got', async () => {
    write('.claude/settings.json', claudeSettings('PreToolUse', node('change({ command });')));
    expect((await fire(call('a'))).decision).toEqual({ kind: 'proceed' });
  });

  test('cannot get a call past a gate that was asked before it', async () => {
    write('.claude/settings.json', claudeSettings('PreToolUse', refuses('evil'), adds('evil')));
    expect((await fire(call('a'))).decision).toMatchObject({ kind: 'block', reason: 'no evil' });
    expect(log()).toBe('a\na evil\n');
  });

  test('is heard by a rule that did not match before', async () => {
    write('hookloop.yaml', 'hooks:\n  tool.calling:\n    - { deny: not today, command: git push }\n');
    write('.claude/settings.json', claudeSettings('PreToolUse', node('change({ command: "git push" });')));
    expect((await fire(call('ls'))).decision).toMatchObject({ kind: 'block', reason: 'not today' });
  });

  test('works on what another has made of it, in the order of the hooks', async () => {
    write('.claude/settings.json', claudeSettings('PreToolUse', addsOnce('b'), addsOnce('c')));
    expect((await fire(call('a'))).decision).toEqual({ kind: 'proceed', input: { command: 'a b c' } });
  });

  test('changes it once, however often it is asked', async () => {
    write('.claude/settings.json', claudeSettings('PreToolUse', adds('b'), adds('c')));
    expect((await fire(call('a'))).decision).toEqual({ kind: 'proceed', input: { command: 'a b c' } });
  });

  test('changes nothing where another refuses the call', async () => {
    write('.claude/settings.json', claudeSettings('PreToolUse', adds('b'), refuses('a')));
    expect((await fire(call('a'))).decision).toEqual({ kind: 'block', reason: 'no a', by: expect.any(String) });
  });

  test('leaves a question open with the changed input in it', async () => {
    const ask = `echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?","updatedInput":{"command":"b"}}}'`;
    write('.claude/settings.json', claudeSettings('PreToolUse', ask));
    expect((await fire(call('a'))).decision).toMatchObject({
      kind: 'block',
      ask: true,
      reason: 'sure?',
      input: { command: 'b' },
    });
  });

  test.each([
    ['exec_command', { cmd: 'a', workdir: '/x' }, { cmd: 'a b', workdir: '/x' }],
    ['shell', { command: ['bash', '-lc', 'a'] }, { command: ['bash', '-lc', 'bash -lc a b'] }],
    ['shell', 'a', 'a b'],
  ])('of %s with %j changes it in the words of the agent', async (tool, input, changed) => {
    write('.claude/settings.json', claudeSettings('PreToolUse', adds('b')));
    const { decision } = await fire(call('', { tool, input }));
    expect(decision).toEqual({ kind: 'proceed', input: changed });
  });

  test('of a file in the words of the agent', async () => {
    const elsewhere = node('change({ ...p.tool_input, file_path: "/other" });');
    write('.claude/settings.json', claudeSettings('PreToolUse', elsewhere));
    const { decision } = await fire(call('', { tool: 'write', input: { filePath: '/f', content: 'x' } }));
    expect(decision).toEqual({ kind: 'proceed', input: { filePath: '/other', content: 'x' } });
  });

  test('is not heard on other events', async () => {
    write('.claude/settings.json', claudeSettings('PostToolUse', node('change({ command: "b" });')));
    expect((await fire({ ...call('a'), name: 'tool.called' })).decision).toEqual({ kind: 'proceed' });
  });

  test('may ask for it in the answer to a permission', async () => {
    const allow = `echo '{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedInput":{"command":"b"}}}}'`;
    write('.claude/settings.json', claudeSettings('PermissionRequest', allow));
    expect((await fire({ ...call('a'), name: 'permission.requesting' })).decision).toEqual({
      kind: 'proceed',
      input: { command: 'b' },
    });
  });
});
