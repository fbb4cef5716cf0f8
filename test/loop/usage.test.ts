import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventNames } from '../../src/model/event.ts';
import { bundleForTests, diary, diaryAgent, noticesOf } from './project.ts';

const bundled = await bundleForTests();
const usage = bundled.project({
  ...diary(),
  'good.json': '{"a":1}',
  'list.json': '[1]',
  'bad.json': '{"a":',
  'empty.md': ' \n',
  'prose.md': '# no tasks here\n',
  'judged.yaml': 'prompt: x y\ntermination: { type: fixed, iterations: 0 }\n',
});

test.each([
  [['run'], 64, 'what should run'],
  [['run', '--prompt', ' '], 64, 'the prompt is empty'],
  [['run', '--prompt', 'x'], 64, 'no agent'],
  [['run', '--prompt', 'x', '--agent', 'scripted:'], 64, ''],
  [['run', '--prompt', 'x', '--prompt-file', 'good.json', '--agent', 'command:true'], 64, 'not both'],
  [['run', '--prompt-file', 'none.md', '--agent', 'command:true'], 64, 'none.md: there is no such file'],
  [['run', '--prompt-file', 'empty.md', '--agent', 'command:true'], 64, 'the prompt is empty'],
  [['run', 'p', '--prompt', 'x', '--agent', 'command:true'], 64, 'leave out --prompt'],
  [['run', '--tasks', 'prose.md', '--agent', 'command:true'], 64, 'has no tasks'],
  [['run', '--tasks', 'none.md', '--agent', 'command:true'], 64, 'does not exist'],
  [['run', '--prompt', 'x', '--max-iterations', '0', '--agent', 'command:true'], 64, 'at least 1'],
  [['run', '--prompt', 'x', '--max-retries', '-1', '--agent', 'command:true'], 64, ''],
  [['run', '--prompt', 'x', '--turn-timeout', 'soon', '--agent', 'command:true'], 64, 'write seconds'],
  [['run', '--prompt', 'x', '--permissions', 'maybe', '--agent', 'command:true'], 64, 'allow or ask'],
  [['run', '--prompt', 'x', '--set', 'novalue', '--agent', 'command:true'], 64, 'KEY=VALUE'],
  [['run', '--prompt', 'x', '--input', 'list.json', '--agent', 'command:true'], 65, 'not a JSON object'],
  [['run', '--prompt', 'x', '--input', 'bad.json', '--agent', 'command:true'], 65, 'not valid JSON'],
  [['run', '--prompt', 'x', '--session', '../up', '--agent', 'command:true'], 64, 'not a session name'],
  [['run', '--prompt', 'x', '--session', 'a'.repeat(65), '--agent', 'command:true'], 64, 'longer than 64'],
  [['run', 'nowhere', '--agent', 'command:true'], 78, 'no pipeline "nowhere"'],
  [['run', './judged.yaml', '--agent', 'command:true'], 78, 'judged.yaml:2'],
  [['run', '--promt', 'x'], 64, '--prompt'],
])('%j is refused with %d before anything runs', (args, exit, text) => {
  const ran = usage.run(args);
  expect([ran.exit, ran.stderr]).toEqual([exit, expect.stringContaining(text)]);
  expect(ran.stdout).toBe('');
  expect(existsSync(usage.pathOf('.hookloop'))).toBe(false);
});

test('a session keeps its name: another run of that name is refused, and one without a name gets its own', () => {
  const project = bundled.project({ ...diary(), 'sub/prompt.md': '\uFEFFfrom a file\n' });
  expect(project.talk(['--prompt', 'one']).exit).toBe(0);
  const again = project.talk(['--prompt', 'two']);
  expect([again.exit, again.stderr]).toEqual([64, expect.stringContaining('hookloop resume s')]);
  expect(project.heard()).toHaveLength(1);
  const named = project.run(['-C', 'sub', 'run', '--agent', diaryAgent, '--prompt-file', 'prompt.md', '--quiet']);
  expect([named.stderr, named.exit]).toEqual([named.stderr, 0]);
  const sessions = readdirSync(project.pathOf('.hookloop/sessions')).sort();
  expect(sessions).toEqual([expect.stringMatching(/^prompt-\d{8}-\d{6}$/), 's']);
  expect(project.heard()[1]!.text).toBe('from a file\n');
});

test('--json prints the lines of the contract and nothing else', () => {
  const project = bundled.project({
    'script.yaml': `
turns:
  - { text: "hello there", tools: [{ name: Bash, input: { command: "echo hi" } }, { name: Write, input: { file_path: a.txt, content: x } }] }
`,
    '.iteratr.hooks.yml': 'hooks: { session_start: [{ command: "echo noise; echo more >&2" }] }\n',
    '.sauna/hooks.json': '["true"]',
    '.a5c/hooks/on-iteration-start/say.sh': '',
  });
  const ran = project.session(['--prompt', 'x', '--json']);
  expect([ran.stderr, ran.exit]).toEqual([expect.any(String), 0]);
  const notices = noticesOf(ran);
  const known = new Set<string>([
    ...eventNames,
    'hook.started',
    'hook.finished',
    'agent.message',
    'agent.tool',
    'session.summary',
  ]);
  for (const notice of notices) {
    expect(known).toContain(notice.type);
    expect([notice.session, Date.parse(notice.at)]).toEqual(['s', expect.any(Number)]);
  }
  expect(
    notices.map(({ type }) => type).filter(type => !type.startsWith('hook.') && !type.startsWith('agent.')),
  ).toEqual([
    ...['session.starting', 'stage.starting', 'iteration.starting', 'prompt.submitting', 'tool.calling', 'tool.called'],
    ...['tool.calling', 'tool.called', 'file.edited', 'turn.ending', 'turn.ended', 'task.completing'],
    ...['iteration.completed', 'stage.completed', 'session.completed', 'session.ended', 'session.summary'],
  ]);
  const quiet = bundled.project({ 'script.yaml': 'turns: [{ text: x }]\n' }).session(['--prompt', 'x', '--quiet']);
  expect([quiet.stdout, quiet.stderr]).toEqual(['', expect.not.stringContaining('iteration starts')]);
});

const secret = 'hunter2-very-secret';

test.each([[['--json']], [[]]])(
  'secrets reach the commands, and neither the journal nor anything that is printed: %j',
  args => {
    const project = bundled.project({
      ...diary({
        1: `echo "the key is $MY_TOKEN"; ~/hookloop task add "use the key"; ~/hookloop task done T1 --summary "used $MY_TOKEN"`,
        2: `printf '{"decision":"error","reason":"%s is wrong"}' "$MY_TOKEN" > "$STATUS"; echo "log $MY_TOKEN" >&2`,
        3: 'echo "broken: $MY_TOKEN" >&2; exit 1',
      }),
      'config.toml': '[[agent.hooks]]\nevent = "after_turn"\ncommand = "echo $MY_TOKEN | tee ~/real"\n',
      '.iteratr.hooks.yml': `hooks: { on_error: [{ command: 'echo "{{error}} $MY_TOKEN"', pipe_output: true }] }\n`,
      '.sauna/hooks.json': '["echo gate $MY_TOKEN"]',
    });
    const ran = project.talk(['--prompt', 'x', '--max-iterations', '4', ...args], { env: { MY_TOKEN: secret } });
    expect(ran.stdout + ran.stderr).not.toContain(secret);
    expect(ran.stdout + ran.stderr).toContain('***');
    expect(project.read('~/real').trim()).toBe(secret);
    expect(project.read('.hookloop/sessions/s/journal.jsonl')).not.toContain(secret);
  },
);

test('hostile names and places are only names', () => {
  const project = bundled.project({
    ...diary({ 0: 'sed -i "s/\\[ \\]/[x]/" ./*.md' }),
    '$(touch pwned); x.md':
      '- [ ] task with {{error}} ${HOME} {file} \u0007 \u202e and \\n "quotes" \'single\' `ticks` $(touch pwned)\n',
    '.sauna/hooks.json': '["printf %s \\"$HOOK_TASK_CONTENT\\" > ~/content"]',
    '.iteratr.hooks.yml': `hooks: { on_task_complete: [{ command: "printf %s {{task_content}} > ~/bare; printf %s '{{task_content}}' > ~/single; printf %s \\"{{task_content}}\\" > ~/double" }] }\n`,
  });
  const ran = project.talk(['--tasks', '$(touch pwned); x.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const content = 'task with {{error}} ${HOME} {file} \u0007 \u202e and \\n "quotes" \'single\' `ticks` $(touch pwned)';
  for (const file of ['~/content', '~/bare', '~/single', '~/double'])
    expect([file, project.read(file)]).toEqual([file, content]);
  expect(existsSync(project.pathOf('pwned'))).toBe(false);
  expect(ran.stderr).not.toMatch(/[\u0007\u202e]/);
});

test('a session is kept only in real folders of the project', () => {
  const project = bundled.project(diary());
  mkdirSync(project.pathOf('~/elsewhere'));
  symlinkSync(project.pathOf('~/elsewhere'), project.pathOf('.hookloop'));
  const ran = project.talk(['--prompt', 'x']);
  expect([ran.exit, ran.stderr]).toEqual([1, expect.stringContaining('is a link')]);
  expect(readdirSync(project.pathOf('~/elsewhere'))).toEqual([]);
});
