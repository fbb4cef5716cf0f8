import { existsSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundleForTests, diary, eventually, type Project } from './project.ts';

const bundled = await bundleForTests();

function trust(project: Project): void {
  expect(project.run(['trust', '--yes'])).toMatchObject({ exit: 0, stderr: '' });
}

const call = JSON.stringify({ session_id: 'x', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'c1' });

const claudeFile = (command: string): string =>
  JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } });

describe('an entry that bears the mark of install', () => {
  test.each([
    'touch pwned # hookloop',
    'touch pwned; hookloop hook claude PreToolUse # hookloop',
    'hookloop hook claude PreToolUse && touch pwned # hookloop',
    'hookloop hook claude PreToolUse || exit 2 # hookloop\ntouch pwned',
    "'hookloop'$(touch pwned) hook claude PreToolUse # hookloop",
    '`touch pwned` hook claude PreToolUse # hookloop',
    'hookloop hook claude PreToolUse # hookloop ; # hookloop\r\ntouch pwned # hookloop',
  ])('and is not ours needs trust as any other: %j', command => {
    const project = bundled.project({ '.claude/settings.json': claudeFile(command) });
    const asked = project.run(['hook', 'codex', 'PreToolUse'], { input: call });
    expect(asked.stdout + asked.stderr).toMatch(/settings\.json: not trusted yet.*hookloop trust/);
    expect(existsSync(project.pathOf('pwned'))).toBe(false);
    expect(project.run(['trust', '--status'])).toMatchObject({ exit: 1 });
  });

  test('and is ours needs none, and is not run', () => {
    const project = bundled.project({});
    expect(project.run(['install', 'claude', '--shared'])).toMatchObject({ exit: 0 });
    expect(project.read('.claude/settings.json')).toContain('# hookloop');
    const asked = project.run(['hook', 'codex', 'PreToolUse'], { input: call });
    expect(asked).toEqual({ exit: 0, stdout: '', stderr: '' });
    expect(project.run(['trust', '--status'])).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('no hooks here'),
    });
  });
});

describe('run --require-trust', () => {
  const gate = '#!/bin/sh\necho asked >> ~/gates\n';

  test('refuses a script that was changed meanwhile, and resume requires trust as well', () => {
    const change = "printf '#!/bin/sh\\ntouch ~/pwned\\n' > gate.sh";
    const project = bundled.project({
      ...diary({ 1: change, 2: change }),
      '.sauna/hooks.json': '["./gate.sh"]',
    });
    project.write('gate.sh', gate, 0o755);
    const words = ['--prompt', 'work', '--require-trust', '--max-retries', '0'];
    const untrusted = project.talk(words);
    expect([untrusted.exit, untrusted.stderr]).toEqual([2, expect.stringMatching(/nothing was run: .*hookloop trust/)]);
    expect(existsSync(project.pathOf('.hookloop/sessions'))).toBe(false);
    trust(project);
    const changed = project.talk(words);
    expect([changed.exit, changed.stderr]).toEqual([
      1,
      expect.stringContaining('gate.sh has changed since this session began'),
    ]);
    const records = project.journal('s').length;
    const refused = project.run(['resume', 's']);
    expect([refused.exit, refused.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^hookloop resume: nothing was run: changed or gone since session s last ran: gate\.sh\. Put it back.*--accept-changes\n$/,
      ),
    ]);
    expect(project.journal('s')).toHaveLength(records);
    project.write('gate.sh', gate, 0o755);
    expect(project.run(['resume', 's'])).toMatchObject({ exit: 1 });
    expect(existsSync(project.pathOf('~/pwned'))).toBe(false);
    expect(project.lines('~/gates')).toEqual([]);
    project.write('gate.sh', gate, 0o755);
    expect(project.run(['resume', 's'])).toMatchObject({ exit: 0 });
    expect(project.lines('~/gates')).toEqual(['asked']);
  });

  test('holds in child pipelines', () => {
    const project = bundled.project({
      ...diary({ 1: 'echo "echo pwned >> ~/notes" >> note.sh' }),
      'hookloop.yaml': 'hooks:\n  iteration.completed:\n    - { type: spawn, pipeline: review }\n',
      'pipelines/review.yaml': `
agent: "command:echo fine"
prompt: go on
hooks:
  on_iteration_complete:
    - { type: shell, await: true, command: sh ./note.sh }
`,
    });
    project.write('note.sh', 'echo noted >> ~/notes\n');
    trust(project);
    const ran = project.talk(['--prompt', 'work', '--require-trust']);
    expect([ran.exit, ran.stderr]).toEqual([
      0,
      expect.stringMatching(/iteration\.completed-1: hook .* failed: .*note\.sh is not what was trusted/),
    ]);
    expect(project.lines('~/notes')).toEqual([]);
    trust(project);
    expect(project.run(['run', '--agent', 'command:cat', '--prompt', 'x', '--require-trust'])).toMatchObject({
      exit: 0,
    });
    expect(project.lines('~/notes')).toEqual(['noted', 'pwned']);
  });
});

test('what is for people is refused to the agent and the hooks of a session', async () => {
  const attempts = `
for words in "approve $(cat ~/id)" "reject $(cat ~/id)" "approvals --link $(cat ~/id)" "trust --yes" "trust --revoke" "trust --status"; do
  ~/hookloop $words > ~/said 2>&1
  echo "$WHO $words: $? $(head -1 ~/said)" >> ~/told
done
`;
  const project = bundled.project({
    ...diary({ 1: `WHO=agent\n${attempts}` }),
    '~/attempts.sh': attempts,
    '.nyzhi/config.toml': '[[agent.hooks]]\nevent = "session_start"\ncommand = "WHO=hook; . ~/attempts.sh"\n',
  });
  const asking = project.start(['breakpoint', '--question', 'Go on?']);
  onTestFinished(() => void asking.process.kill('SIGKILL'));
  const id = (): string => /approve (\w+),/.exec(asking.stderr())?.[1] ?? '';
  await eventually(() => id() !== '');
  project.write('~/id', id());
  expect(project.talk(['--prompt', 'work'])).toMatchObject({ exit: 0 });
  const inside = 'is for people: this runs inside session s. Use another terminal';
  expect(project.lines('~/told')).toEqual(
    ['hook', 'agent'].flatMap(who => [
      `${who} approve ${id()}: 64 hookloop approve: an answer ${inside}`,
      `${who} reject ${id()}: 64 hookloop reject: an answer ${inside}`,
      `${who} approvals --link ${id()}: 64 hookloop approvals: a link that answers ${inside}`,
      `${who} trust --yes: 64 hookloop trust: trust ${inside}`,
      `${who} trust --revoke: 64 hookloop trust: trust ${inside}`,
      `${who} trust --status: 1 Not trusted as they are now.`,
    ]),
  );
  expect(asking.process.exitCode).toBeNull();
  expect(existsSync(project.pathOf('~/.local/state/hookloop/trust.json'))).toBe(false);
  expect(project.run(['approve', id()])).toMatchObject({ exit: 0 });
  expect(await asking.ended).toEqual({ code: 0, signal: null });
});

describe('HOOKLOOP_TRUST that is not the hash of the hooks', () => {
  const project = bundled.project({
    '.claude/settings.json': claudeFile('echo ran >> ~/ran'),
    'script.yaml': 'turns: [{ tools: [{ name: Bash, input: { command: "true" } }] }]\n',
  });
  const callWith = (words: readonly string[], hash: string): string => {
    const { stdout, stderr } = project.run(words, { env: { HOOKLOOP_TRUST: hash }, input: call });
    return stdout + stderr;
  };
  const another = 'a'.repeat(64);
  const ways = [
    ['hook', 'codex', 'PreToolUse'],
    ['dispatch', 'tool.calling', '--require-trust'],
    ['run', '--prompt', 'x', '--agent', 'scripted:script.yaml', '--require-trust'],
  ];

  test.each(ways)('is no trust for %s', (...words) => {
    expect(callWith(words, another)).toMatch(/not trusted as they are \(HOOKLOOP_TRUST is not the hash/);
    expect(project.lines('~/ran')).toEqual([]);
  });

  test('is told in one line where the hooks are trusted, and they run', () => {
    trust(project);
    for (const [at, words] of [...ways, ['trust', '--status']].entries()) {
      const told = callWith(words, another).match(/^.*HOOKLOOP_TRUST is.*$/gm);
      expect([words, told]).toEqual([words, [expect.stringMatching(/not the hash of these hooks, .*still trusted/)]]);
      expect(told![0]).not.toMatch(/hookloop: hookloop:/);
      expect(project.lines('~/ran')).toHaveLength(Math.min(at + 1, ways.length));
    }
    const { hash, remark } = JSON.parse(callWith(['trust', '--status', '--json'], another));
    expect(remark).toContain(hash);
    expect(callWith(ways[1]!, hash)).not.toContain('HOOKLOOP_TRUST');
  });
});
