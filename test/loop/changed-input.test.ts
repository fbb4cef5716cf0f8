import { expect, test } from 'vitest';
import { root } from '../program.ts';
import { bundleForTests, noticesOf } from './project.ts';

const bundled = await bundleForTests();

/** Puts `safe` in front of a shell command that does not have it. */
const rewriter = `#!/usr/bin/env node
const p = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const { command } = p.tool_input;
if (!process.env.ALWAYS && command.startsWith('safe ')) process.exit(0);
console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { ...p.tool_input, command: 'safe ' + command } } }));
`;
const settings = JSON.stringify({
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'node rewrite.js' }] }] },
});
const script = (...commands: string[]): string =>
  `turns:\n${commands.map(command => `  - tools: [{ name: Bash, input: { command: "${command}" } }]\n    text: done`).join('\n')}\n`;

test('an agent that cannot be given another input hears which one to use, and may then use it', () => {
  const project = bundled.project({
    '.claude/settings.json': settings,
    'rewrite.js': rewriter,
    'script.yaml': script('echo hi > ran', 'safe echo hi > ran2'),
  });
  project.write('~/bin/safe', '#!/bin/sh\nexec "$@"\n', 0o755);
  const ran = project.session(['--prompt', 'go', '--max-iterations', '2', '--json']);
  const journal = project.journal('s');
  const told = journal.filter(entry => entry.kind === 'pending.taken').map(entry => (entry as { text: string }).text);
  expect(told.join('\n')).toContain(
    'Refused: Bash. A hook has changed what it is called with. Call it again with exactly this input:\n{"command":"safe echo hi > ran"}',
  );
  expect(
    journal.filter(entry => entry.kind === 'agent.tool').map(entry => (entry as { status: string }).status)[0],
  ).toBe('refused');
  const changed = journal.find(entry => entry.kind === 'hook.finished') as { result: { input: unknown } };
  expect(changed.result.input).toEqual({ command: 'safe echo hi > ran' });
  expect(noticesOf(ran).filter(notice => notice.type === 'tool.called' || notice.type === 'tool.failed')).toHaveLength(
    1,
  );
});

test('a hook that changes every input does not keep the agent from doing what it was told', () => {
  const project = bundled.project({
    '.claude/settings.json': settings.replace('node rewrite.js', 'ALWAYS=1 node rewrite.js'),
    'rewrite.js': rewriter,
    'script.yaml': script('echo hi', 'safe echo hi'),
  });
  const ran = project.session(['--prompt', 'go', '--max-iterations', '2', '--json']);
  const happened = noticesOf(ran).map(({ type }) => type);
  expect(happened.filter(type => type === 'tool.calling')).toHaveLength(2);
  expect(happened.some(type => type === 'tool.called' || type === 'tool.failed')).toBe(true);
});

test("an agent whose own hooks reach the session is given the input in its hook's answer", () => {
  const agent = `acp:'${process.execPath}' '${root}/test/fixtures/agents/acp-agent.mjs' --load`;
  const payload = {
    session_id: 'x',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_use_id: 't1',
  };
  const call = `printf %s '${JSON.stringify(payload)}' | ~/hookloop hook claude PreToolUse > ~/answer`;
  const project = bundled.project({
    'hookloop.yaml':
      'hooks:\n  tool.calling:\n    - { type: shell, block: true, command: node rewrite.js, answers: json }\n',
    'rewrite.js': rewriter,
    steps: JSON.stringify([['hook', call]]),
  });
  project.run(['run', '--agent', agent, '--session', 's', '--prompt', 'play steps', '--json'], {
    env: { AGENT_MEMORY: project.pathOf('~/memory.json') },
  });
  expect(JSON.parse(project.read('~/answer'))).toEqual({
    hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'safe ls' } },
  });
});
