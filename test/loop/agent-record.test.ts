import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { LogEntry } from '../../src/session/log-entries.ts';
import { root } from '../program.ts';
import { bundleForTests, diary, diaryAgent, type Project } from './project.ts';

const bundled = await bundleForTests();
const acp = `acp:'${process.execPath}' '${root}/test/fixtures/agents/acp-agent.mjs' --load`;

const logOf = (project: Project): LogEntry[] =>
  project
    .run(['log', 's', '--json'])
    .stdout.trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as LogEntry);

const ofType = (project: Project, type: string): LogEntry[] => logOf(project).filter(entry => entry.type === type);

const ran = (
  project: Project,
  prompt: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): void => {
  const { exit, stderr } = project.run(['run', '--agent', acp, '--session', 's', '--prompt', prompt, ...args], { env });
  expect([stderr, exit]).toEqual([stderr, 0]);
};

const native = (hooks: object): Record<string, string> => ({ 'hookloop.yaml': JSON.stringify({ hooks }) });

const claude = (event: string, command: string): Record<string, string> => ({
  '.claude/settings.json': JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: 'command', command }] }] } }),
});

test('what the agent was sent, said and did stands in the log, each thing once and in order', () => {
  const project = bundled.project({});
  ran(project, 'pieces one |message\nshell echo made > made; echo out\nedit file.txt\nsay the end');
  const told = logOf(project).filter(({ type }) => type.startsWith('agent.') || type === 'file.changes');
  expect(told.map(({ type }) => type)).toEqual([
    ...['agent.prompt', 'agent.message', 'agent.message', 'agent.tool', 'agent.message', 'agent.tool'],
    ...['agent.message', 'file.changes'],
  ]);
  const [prompt, first, , shell, , write, last, changes] = told;
  expect(prompt!['text']).toContain('shell echo made');
  expect(first).toMatchObject({ text: 'one message' });
  expect(shell).toMatchObject({
    tool: 'Bash',
    input: { command: 'echo made > made; echo out' },
    output: expect.stringContaining('out'),
    status: 'completed',
  });
  expect(write).toMatchObject({ tool: 'Write', output: 'written', status: 'completed' });
  expect(last!['text']).toContain('the end');
  expect(changes).toMatchObject({ files: [{ path: 'made' }, { path: 'file.txt', added: 1, removed: 0 }] });
});

test('a refused call is recorded with its input, and what the agent was told with the hooks that said it', () => {
  const project = bundled.project(claude('PreToolUse', 'echo not here >&2; exit 2'));
  ran(project, 'shell touch never', ['--max-iterations', '2']);
  expect(ofType(project, 'agent.tool')[0]).toMatchObject({
    tool: 'Bash',
    input: { command: 'touch never' },
    status: 'refused',
  });
  const [told] = ofType(project, 'agent.told');
  expect(told!['text']).toContain('not here');
  expect(told!['hooks']).toEqual([expect.stringContaining('settings.json')]);
  expect(ofType(project, 'tool.calling')[0]).toMatchObject({ input: { command: 'touch never' } });
});

test('what a gate says to the agent is recorded once, with the gate', () => {
  const project = bundled.project({
    ...diary({ 2: 'touch fixed' }),
    ...native({ 'task.completing': [{ type: 'shell', command: 'test -e fixed || { echo fix it; exit 1; }' }] }),
  });
  expect(project.talk(['--prompt', 'go']).exit).toBe(0);
  const told = ofType(project, 'agent.told');
  expect(told).toHaveLength(1);
  expect(told[0]!['text']).toContain('fix it');
  expect(told[0]!['hooks']).toEqual([expect.stringContaining('task.completing')]);
  expect(ofType(project, 'agent.prompt').map(({ text }) => String(text).includes('fix it'))).toEqual([false, true]);
});

test('usage is told for the conversation so far, and summed over conversations', () => {
  const project = bundled.project(claude('Stop', 'test -e ~/once || { touch ~/once; echo uses 50 5 2 >&2; exit 2; }'));
  ran(project, 'uses 100 20 3', ['--max-iterations', '2']);
  const usage = ofType(project, 'agent.usage');
  expect(usage).toMatchObject([
    { tokens: { input: 100, output: 20, cached: 5 }, contextUsed: 120, contextSize: 1000, cost: { amount: 0.03 } },
    { tokens: { input: 150, output: 25, cached: 10 }, contextUsed: 55, cost: { amount: 0.05, currency: 'USD' } },
    { tokens: { input: 100, output: 20, cached: 5 }, contextUsed: 120 },
  ]);
  expect(new Set(usage.map(({ conversation }) => conversation)).size).toBe(2);
  const shown = JSON.parse(project.run(['show', 's', '--json']).stdout) as { usage: { tokens: object } };
  expect(shown.usage.tokens).toEqual({ input: 250, output: 45, cached: 15 });
});

test('a program that is no agent of the protocol tells its usage in status.json, which needs no decision', () => {
  const usage = '{"usage":{"input_tokens":7,"output_tokens":3,"cost_usd":0.5}}';
  const project = bundled.project(diary({ 1: `echo '${usage}' > "$STATUS"` }));
  expect(project.talk(['--prompt', 'go', '--max-iterations', '2']).exit).toBe(0);
  expect(ofType(project, 'agent.usage')).toMatchObject([
    { tokens: { input: 7, output: 3 }, cost: { amount: 0.5, currency: 'USD' } },
  ]);
});

test('long texts and inputs are cut in the journal, and whole in a file that only the user reads', () => {
  const project = bundled.project({ 'long.txt': `${'line\n'.repeat(10_000)}the end\n` });
  const padding = 'x'.repeat(20_000);
  ran(project, `shell cat long.txt # ${padding}`);
  const [tool] = ofType(project, 'agent.tool');
  const { input, output } = tool as unknown as { input: Record<string, string>; output: Record<string, string> };
  expect(input).toMatchObject({ cut: true, head: expect.stringContaining('cat long.txt'), tail: expect.any(String) });
  expect(output).toMatchObject({
    cut: true,
    head: expect.stringContaining('line'),
    tail: expect.stringContaining('end'),
  });
  expect(JSON.stringify(tool).length).toBeLessThan(40_000);
  expect(project.read(input['file']!)).toContain(padding);
  expect(project.read(output['file']!)).toContain('the end');
  expect(statSync(project.pathOf(output['file']!)).mode & 0o777).toBe(0o600);
});

test('the output of a hook is in the log up to 16 KiB, and beyond that in a file', () => {
  const project = bundled.project({
    ...diary(),
    ...native({ 'iteration.starting': [{ type: 'shell', command: 'seq 1 10000' }] }),
  });
  expect(project.talk(['--prompt', 'go']).exit).toBe(0);
  const [finished] = ofType(project, 'hook.finished');
  expect(finished!['output']).toMatch(/^1\n2\n[\s\S]*more lines: \.hookloop\/sessions\/s\/kept\/[\s\S]*\n10000\n$/);
  expect(String(finished!['output']).length).toBeLessThan(17_000);
  const { truncated } = (finished as unknown as { result: { outcome: { truncated: { stdoutFile: string } } } }).result
    .outcome;
  expect(project.read(truncated.stdoutFile).split('\n')).toHaveLength(10_001);
});

test('secrets are in none of it, also where a text is cut', () => {
  const secret = 'hunter2-hunter2-hunter2';
  const project = bundled.project({});
  const env = { API_TOKEN: secret };
  ran(project, `say ${secret}\nshell echo ${secret}${' '.repeat(30_000)}${secret}`, [], env);
  const folder = '.hookloop/sessions/s';
  const everything = execFileSync('sh', ['-c', `cat ${folder}/journal.jsonl ${folder}/kept/*`], {
    cwd: project.project,
    encoding: 'utf8',
  });
  expect(everything).toContain('agent.tool');
  expect(everything).not.toContain(secret);
});

test('a secret is hidden as a name of an input, as the id of a call, and in the output of a hook', () => {
  const secret = 'hunter2-hunter2-hunter2';
  const call = { toolCallId: secret, kind: 'read', status: 'pending', rawInput: { [secret]: { [secret]: 1 } } };
  const done = { toolCallId: secret, status: 'completed', rawOutput: { [secret]: true } };
  const project = bundled.project({
    'play.json': JSON.stringify([
      ['told', call],
      ['more', done],
    ]),
    ...native({
      'iteration.completed': [{ type: 'shell', command: 'yes "$API_TOKEN~" | head -c 3000000 | tr -d "\\n"' }],
    }),
  });
  const args = ['run', '--agent', acp, '--session', 's', '--prompt', 'play play.json', '--json'];
  const { stdout, exit } = project.run(args, { env: { API_TOKEN: secret } });
  const told = execFileSync('sh', ['-c', 'find .hookloop -type f -exec cat {} +'], {
    cwd: project.project,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  expect([exit, ofType(project, 'agent.tool').length, told.includes('***~***')]).toEqual([0, 1, true]);
  for (const text of [stdout, told])
    expect(
      text
        .split('\n')
        .filter(line => line.includes(secret))
        .map(line => line.slice(0, 300)),
    ).toEqual([]);
});

test('after a crash what was recorded before is not recorded again', async () => {
  const project = bundled.project({
    ...diary({ 2: 'test -e ~/again || { touch ~/again; kill -9 $PPID; sleep 300; }', 3: 'touch fixed' }),
    ...native({ 'task.completing': [{ type: 'shell', command: 'test -e fixed || { echo fix it; exit 1; }' }] }),
  });
  await project.start(['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'go']).ended;
  expect(project.run(['resume', 's']).exit).toBe(0);
  expect(ofType(project, 'agent.told').filter(({ text }) => String(text).includes('fix it'))).toHaveLength(1);
});
