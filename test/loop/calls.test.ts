import { expect, test } from 'vitest';
import { root } from '../program.ts';
import { bundleForTests, noticesOf, type Project } from './project.ts';

const bundled = await bundleForTests();
const agent = `acp:'${process.execPath}' '${root}/test/fixtures/agents/acp-agent.mjs' --load`;

/** The gate refuses what is FORBIDDEN or about secret.env. */
const hooks = (more = '') => `
hooks:
  tool.calling:
    - { type: shell, block: true, command: 'cat > ~/event; ! grep -qE "FORBIDDEN|secret.env" ~/event' }
${more}`;

/** What the fixture agent does; the second list when its turn is over, while gates run. */
function play(steps: readonly unknown[], afterTurn: readonly unknown[] = [], args: readonly string[] = []) {
  const project = bundled.project({
    'hookloop.yaml': hooks("  task.completing: [{ type: shell, block: true, command: 'sleep 3' }]"),
    steps: JSON.stringify([...steps, ...(afterTurn.length > 0 ? [['end', 'later']] : [])]),
    later: JSON.stringify(afterTurn),
  });
  const env = { AGENT_MEMORY: project.pathOf('~/memory.json') };
  const more = ['--session', 's', '--prompt', 'play steps', '--json', ...args];
  const ran = project.run(['run', '--agent', agent, ...more], { env });
  const notices = noticesOf(ran);
  const said = notices.flatMap(notice => (notice.type === 'agent.message' ? [notice.text.trim()] : []));
  const happened = notices.flatMap(({ type }) => (/^(tool|file)\./.test(type) ? [type] : []));
  return { ...ran, project, said: said.join(' '), happened };
}

const prompts = (project: Project): string[] =>
  Object.values(JSON.parse(project.read('~/memory.json')) as Record<string, string[]>).flat();

/** A call of the agent's own hooks, as Claude makes it. */
const hook = (id: string, tool: string, input: object, then = '') => [
  'hook',
  `printf %s '${JSON.stringify({ session_id: 'x', hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input, tool_use_id: id })}' | ~/hookloop hook claude PreToolUse ${then}`,
];
const write = (toolCallId: string, file: string) => ({
  ...{ toolCallId, kind: 'edit', name: 'Write', locations: [{ path: `/PROJ/${file}` }] },
  rawInput: { file_path: `/PROJ/${file}`, content: 'x' },
});

test("an agent's own hooks are answered by the gates between two turns too", () => {
  const { project } = play(
    [hook('t1', 'Bash', { command: 'ls' })],
    [hook('t2', 'Bash', { command: 'FORBIDDEN' }, '> ~/between')],
  );
  expect(JSON.parse(project.read('~/between'))).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
});

test('what the protocol tells between two turns is heard, and the next prompt says what was refused', () => {
  const call = { toolCallId: 'c1', kind: 'execute', rawInput: { command: 'FORBIDDEN' } };
  const { project, happened } = play([], [['told', { ...call, status: 'completed' }]], ['--max-iterations', '2']);
  expect(happened[0]).toBe('tool.calling');
  expect(prompts(project)[1]).toMatch(
    /^Refused: Bash\. [\s\S]*\nBetween your turns you called Bash, which a hook refuses/,
  );
});

test("what was decided about a call of the agent's own hooks holds for no other of the same id", () => {
  const { said } = play([
    hook('c1', 'Read', { file_path: 'a.txt' }),
    hook('c1', 'Write', { file_path: 'secret.env', content: 'x' }),
    hook('c1', 'mcp__db__drop', { table: 'a' }),
    hook('c1', 'mcp__db__drop', { table: 'FORBIDDEN' }),
    ['ask', write('c1', 'secret.env')],
  ]);
  expect(said).toBe('passed denied passed denied no');
});

test('a call that is another than the one its hooks were answered about ends the turn where it is refused', () => {
  const { project, said } = play([
    hook('c1', 'Write', { file_path: 'a.txt', content: 'x' }),
    ['told', { toolCallId: 'c1', kind: 'execute', status: 'completed', rawInput: { command: 'FORBIDDEN' } }],
    ['cancel'],
  ]);
  expect(said).toMatch(/^passed/);
  expect(prompts(project)[1]).toContain('Your turn was cancelled: you called Bash');
});

test("a call that the agent's own hooks and the protocol tell of is one, whoever says more of it", () => {
  const call = { toolCallId: 'c1', name: 'exec_command', kind: 'execute', rawInput: { command: 'ls', cwd: '/PROJ' } };
  const { happened, said } = play([
    hook('c1', 'Bash', { command: 'ls' }),
    ['told', { ...call, status: 'in_progress' }],
    ['ask', { ...call, rawInput: { command: 'ls', description: 'look' } }],
    ['more', { toolCallId: 'c1', status: 'completed' }],
    hook('c2', 'Bash', { command: 'FORBIDDEN' }),
    ['told', { ...call, toolCallId: 'c2', rawInput: { command: 'FORBIDDEN', cwd: '/PROJ' }, status: 'failed' }],
  ]);
  // How the first one ended comes from the protocol, the second one from a process of its own: either may be first.
  expect([said, happened.sort()]).toEqual(['passed yes denied', ['tool.called', 'tool.calling', 'tool.calling']]);
});

test('an allowed call is heard to its end although another of its id was refused', () => {
  const { said, happened } = play([
    ['ask', write('c1', 'secret.env')],
    ['ask', write('c1', 'a.txt')],
    ['more', { toolCallId: 'c1', status: 'completed' }],
  ]);
  expect([said, happened]).toEqual(['no yes', ['tool.calling', 'tool.calling', 'tool.called', 'file.edited']]);
});

/** What is printed without --json. */
function printed(steps: readonly unknown[]): string {
  const project = bundled.project({ 'hookloop.yaml': hooks(), steps: JSON.stringify(steps) });
  const env = { AGENT_MEMORY: project.pathOf('~/memory.json') };
  return project.run(['run', '--agent', agent, '--session', 's', '--prompt', 'play steps'], { env }).stderr;
}

test('what the agent said in a turn that was cancelled stands apart from what it says in the next', () => {
  const lines = printed([
    ['told', { toolCallId: 'c1', kind: 'execute', status: 'completed', rawInput: { command: 'FORBIDDEN' } }],
    ['hook', 'true'],
    ['cancel'],
  ]);
  expect(lines).toMatch(/: agent: passed\n[\s\S]*: agent: heard Refused: Bash/);
});

test('a call that was allowed and not heard of again is not called failed', () => {
  const lines = printed([
    ['ask', { toolCallId: 'c0', kind: 'read', name: 'Read', rawInput: { file_path: 'a.txt' } }],
    ['told', { toolCallId: 'c1', name: 'Bash', kind: 'execute', status: 'failed', rawInput: { command: 'cat b' } }],
  ]);
  expect(lines).toMatch(/: tool Bash cat b failed: the tool failed\n/);
  expect(lines).toMatch(/: tool Read a\.txt: the turn ended before the call finished\n/);
  expect(lines).not.toMatch(/(c0|Read a\.txt) failed/);
});
