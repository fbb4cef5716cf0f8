import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../program.ts';
import { bundleForTests, diary, noticesOf, type Project, processesOf } from './project.ts';

const bundled = await bundleForTests();

/** Does what its prompt says, over ACP, and keeps its conversations in a file. */
const fixture = `acp:'${process.execPath}' '${root}/test/fixtures/agents/acp-agent.mjs' --load`;

const nyzhi = (...hooks: readonly Record<string, string | boolean>[]): Record<string, string> => ({
  'config.toml': hooks
    .map(
      hook =>
        `[[agent.hooks]]\n${Object.entries(hook)
          .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
          .join('')}`,
    )
    .join('\n'),
});

const claude = (
  hooks: Readonly<Record<string, readonly [matcher: string, command: string][]>>,
): Record<string, string> => ({
  '.claude/settings.json': JSON.stringify({
    hooks: Object.fromEntries(
      Object.entries(hooks).map(([event, entries]) => [
        event,
        entries.map(([matcher, command]) => ({ matcher, hooks: [{ type: 'command', command }] })),
      ]),
    ),
  }),
});

const run = (project: Project, prompt: string, args: readonly string[] = []) => {
  const env = { AGENT_MEMORY: project.pathOf('~/memory.json') };
  const ran = project.run(['run', '--agent', fixture, '--session', 's', '--prompt', prompt, '--json', ...args], {
    env,
  });
  return { ...ran, types: noticesOf(ran).map(({ type }) => type) };
};

/** What the agent was told in each of its conversations. */
const conversations = (project: Project): string[][] =>
  Object.values(JSON.parse(project.read('~/memory.json')) as Record<string, string[]>);

test('a refused call does not happen, is no failed one, and its reason comes with the next prompt', () => {
  const project = bundled.project({
    ...nyzhi(
      { event: 'pre_tool', tool_name: 'git_push', command: 'echo never push; exit 1', block: true },
      { event: 'post_tool', tool_name: 'shell', command: 'echo called >> ~/events' },
      { event: 'post_tool_failure', command: 'echo failed >> ~/events' },
    ),
  });
  const ran = run(project, 'shell git add . && FOO=1 git push origin; touch ~/pushed\nshell touch fine\nshell exit 3', [
    '--max-iterations',
    '2',
  ]);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const [first, second] = conversations(project);
  expect(first).toHaveLength(1);
  expect(second![0]).toMatch(
    /^Refused: Bash\. Hook "echo never push; exit 1" refused[\s\S]*\nnever push\n[\s\S]*shell git add/,
  );
  expect(project.lines('~/pushed')).toEqual([]);
  expect(project.lines('~/events')).toEqual(['called', 'failed', 'called', 'failed']);
  expect(ran.types.filter(type => type === 'tool.calling')).toHaveLength(6);
});

test('a refused call that the agent makes without asking ends its turn, and the same conversation goes on with the reason', () => {
  const project = bundled.project({
    ...nyzhi(
      { event: 'pre_tool', tool_name: 'git_push', command: 'echo never push; exit 1', block: true },
      { event: 'post_tool', command: 'echo called >> ~/events' },
    ),
  });
  const ran = run(project, 'silentshell git push origin\nwait\nshell touch after');
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const [heard, ...others] = conversations(project);
  expect(others).toEqual([]);
  expect(heard).toHaveLength(2);
  expect(heard![1]).toMatch(/^Refused: Bash\. [\s\S]*\nnever push\n[\s\S]*\nYour turn was cancelled: you called Bash/);
  expect(() => project.read('after')).toThrow();
  expect(project.lines('~/events')).toEqual([]);
});

test('an agent that goes on making refused calls without asking fails its iteration', () => {
  const project = bundled.project({
    ...nyzhi({ event: 'pre_tool', tool_name: 'shell', command: 'echo; echo silentshell true; exit 1', block: true }),
  });
  const ran = run(project, 'silentshell true');
  expect(ran.exit).toBe(1);
  expect(ran.stdout).toContain('keeps calling tools that hooks refuse');
  expect(conversations(project)[0]).toHaveLength(9);
});

test('commits and new branches are events of their own: who refuses one refuses the call', () => {
  const project = bundled.project({
    'hookloop.yaml': `
hooks:
  branch.creating: [{ type: shell, await: true, command: 'echo branch >> ~/git' }]
  commit.creating: [{ type: shell, block: true, command: 'echo no commits today; exit 1', feedback: true }]
`,
  });
  project.write('.a5c/hooks/pre-branch/see.sh', '#!/bin/sh\ncat >> ~/payloads\n', 0o755);
  const ran = run(
    project,
    'shell git checkout -b x; touch branched\nshell git commit -m x; touch committed\nshell git log',
    ['--max-iterations', '2'],
  );
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/git')).toEqual(['branch', 'branch']);
  expect(project.read('~/payloads')).toContain('git checkout -b x');
  expect(project.read('branched')).toBe('');
  expect(() => project.read('committed')).toThrow();
  expect(conversations(project)[1]![0]).toContain('no commits today');
  const created = ['branch.creating', 'commit.creating'];
  expect(ran.types.filter(type => /creating/.test(type))).toEqual([...created, ...created]);
});

test('a hook of step.dispatching runs before each call of the agent; a refusal fails the iteration', () => {
  const project = bundled.project({
    'hookloop.yaml': `
hooks:
  step.dispatching: [{ type: shell, await: true, command: 'echo step >> ~/steps; test $(wc -l < ~/steps) -lt 3', block: true }]
  task.completing: [{ type: shell, block: true, command: 'exit 1' }]
`,
  });
  const ran = run(project, 'say hello');
  expect([ran.exit, project.lines('~/steps')]).toEqual([1, ['step', 'step', 'step']]);
  expect(conversations(project)[0]).toHaveLength(2);
});

test('Claude hooks deny by matcher and by answer; ask means no where no one is asked', () => {
  const answer = (decision: string) =>
    `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"${decision}","permissionDecisionReason":"${decision} it is"}}'`;
  const project = bundled.project(
    claude({
      PreToolUse: [
        ['Bash', `grep -q forbidden && ${answer('deny')}; true`],
        ['Write', answer('ask')],
        ['Edit', 'touch ~/wrong'],
      ],
      PostToolUse: [['Bash', 'cat >> ~/payloads; echo >> ~/payloads']],
    }),
  );
  const ran = run(project, 'shell touch forbidden\nshell touch allowed\nedit a.txt', ['--max-iterations', '2']);
  expect(ran.exit).toBe(0);
  for (const path of ['forbidden', 'a.txt', '~/wrong']) expect(() => project.read(path)).toThrow();
  expect(project.read('allowed')).toBe('');
  const payloads = project
    .lines('~/payloads')
    .filter(Boolean)
    .map(line => JSON.parse(line));
  expect(payloads).toHaveLength(2);
  expect(payloads[0]).toMatchObject({
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'touch allowed' },
  });
  const told = conversations(project)[1]![0]!;
  expect(told).toContain('Refused: Bash. deny it is');
  expect(told).toContain('ask it is');
});

test('file.edited fires for edits and for what commands change, each file once; names are only names', () => {
  const project = bundled.project({
    ...nyzhi({ event: 'after_edit', pattern: '*.txt', command: 'printf "%s|" {file} >> ~/edited' }),
    'kept.txt': 'as it is',
  });
  const ran = run(project, `edit a.txt\nshell echo x > "b \\$(touch pwned).txt"; echo y > c.md\nsay done`);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.read('~/edited')).toBe('a.txt|b $(touch pwned).txt|');
  expect(() => project.read('pwned')).toThrow();
  expect(conversations(project)).toEqual([[expect.any(String)]]);
});

test('a finding about an edit holds up the end of that turn, in the same conversation', () => {
  const project = bundled.project({
    ...nyzhi(
      {
        event: 'after_edit',
        command: 'test -e ~/once || { touch ~/once; echo "shell touch fixed"; exit 1; }',
        block: true,
      },
      { event: 'after_turn', command: 'echo turn ended >> ~/turns; echo lint is fine' },
    ),
  });
  const ran = run(project, 'edit a.txt', ['--max-iterations', '2']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const [first, second] = conversations(project);
  expect(first).toHaveLength(2);
  expect(first![1]).toMatch(/^Hook .* refused the edit of a.txt: exit code 1\.\n[\s\S]*\nshell touch fixed\n/);
  expect(project.read('fixed')).toBe('');
  // Nothing is said only to say that the last turn was fine.
  expect(second).toEqual(['[hook] echo turn ended >> ~/turns; echo lint is fine (ok)\nlint is fine\nedit a.txt']);
  expect(project.lines('~/turns')).toEqual(['turn ended', 'turn ended']);
});

test('the end of a turn is refused at most 8 times in a row; a refused call is no progress, a tool is', () => {
  const stopHook = `n=$(cat ~/stops 2>/dev/null || echo 0); n=$((n+1)); echo $n > ~/stops; echo '{"decision":"block","reason":"WORD"}' | sed "s/WORD/$(test $n = 4 && echo 'shell true' || echo 'shell git push')/"`;
  const project = bundled.project({
    ...claude({ Stop: [['', stopHook]] }),
    ...nyzhi({ event: 'pre_tool', tool_name: 'git_push', command: 'exit 1', block: true }),
  });
  const ran = run(project, 'say hello');
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(ran.stderr).toContain('8 times without progress');
  expect(conversations(project)[0]).toHaveLength(1 + 4 + 8);
  expect(conversations(project)[0]![4]).toMatch(/shell true$/);
});

test('a Stop hook is told whether hooks have sent the agent back already', () => {
  const project = bundled.project({
    ...diary(),
    ...claude({
      Stop: [
        [
          '',
          `grep -o '"stop_hook_active":[a-z]*' >> ~/active; test $(wc -l < ~/active) = 2 || echo '{"decision":"block","reason":"more"}'`,
        ],
      ],
    }),
  });
  const ran = project.talk(['--prompt', 'go']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/active')).toEqual(['"stop_hook_active":false', '"stop_hook_active":true']);
});

test('a changed file is progress too', () => {
  const project = bundled.project({
    ...diary({ 5: 'echo x > made.txt' }),
    ...claude({ Stop: [['', `echo '{"decision":"block","reason":"more"}'`]] }),
  });
  expect(project.talk(['--prompt', 'go']).exit).toBe(0);
  expect(project.heard()).toHaveLength(5 + 8);
});

test('what a hook writes before a turn is no progress of the agent, and none of its edits', () => {
  const stop = `echo x >> stops; echo '{"decision":"block","reason":"more"}'`;
  const project = bundled.project({
    ...diary(),
    ...claude({ Stop: [['', stop]] }),
    ...nyzhi({ event: 'after_edit', command: 'echo "$NYZHI_FILE $FILE" >> ~/edits' }),
    'hookloop.yaml': `
hooks:
  iteration.starting: [{ type: shell, await: true, command: 'echo x > started.txt' }]
  iteration.completed: [{ type: shell, await: true, command: 'echo "$CHANGED_FILES" > ~/changed' }]
`,
  });
  const ran = project.talk(['--prompt', 'go']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(ran.stderr).toContain('8 times without progress');
  expect(project.lines('stops')).toHaveLength(1 + 8);
  expect(project.lines('~/edits')).toEqual([]);
  expect(project.read('~/changed')).not.toContain('started.txt');
});

test('hooks may add to a prompt or refuse it', () => {
  const project = bundled.project(
    claude({
      UserPromptSubmit: [
        ['', 'cat > ~/payload; grep -q bad ~/payload && { echo too bad >&2; exit 2; }; echo mind the gap'],
      ],
    }),
  );
  expect(run(project, 'say good').exit).toBe(0);
  expect(conversations(project)).toEqual([['mind the gap\nsay good']]);
  expect(JSON.parse(project.read('~/payload'))).toMatchObject({ prompt: 'say good' });
  const refused = project.run(['run', '--agent', fixture, '--session', 't', '--prompt', 'say bad']);
  expect(refused.exit).toBe(1);
  expect(refused.stderr).toContain('too bad');
  expect(conversations(project)).toHaveLength(1);
});

test('a hook that aborts ends the turn, the session and everything the agent started', () => {
  const project = bundled.project({
    'hookloop.yaml': `
hooks:
  tool.calling: [{ type: shell, await: true, command: 'test "$TOOL" = Bash && { echo enough; exit 1; }; true', on_failure: abort }]
  session.failed: [{ type: shell, await: true, command: 'echo "$ERROR" > ~/error' }]
`,
  });
  const ran = run(project, 'orphan pids\nshell touch never\nwait');
  expect(ran.exit).toBe(1);
  expect(() => project.read('never')).toThrow();
  expect(project.read('~/error')).toContain('ended the session');
  expect(project.lines('pids')).toHaveLength(2);
  expect(processesOf(project)).toEqual([]);
});

test("Claude-style hooks are told Claude's own name that the agent gave its tool, and match it by its family", () => {
  const rawInput = { file_path: 'a.txt', edits: [{ old_string: 'a', new_string: 'b' }] };
  const call = { toolCallId: 'c1', name: 'MultiEdit', kind: 'edit', rawInput };
  const project = bundled.project({
    ...claude({ PreToolUse: [['Edit', 'cat >> ~/seen']] }),
    steps: JSON.stringify([['ask', call]]),
  });
  expect(run(project, 'play steps').exit).toBe(0);
  expect(JSON.parse(project.read('~/seen'))).toMatchObject({ tool_name: 'MultiEdit', tool_input: rawInput });
});

test('Claude-style hooks find what was said and done in transcript_path, as the turn goes, without secrets', () => {
  const show = (name: string) =>
    `f=$(node -p 'JSON.parse(require("fs").readFileSync(0)).transcript_path'); cp "$f" ~/${name}`;
  const project = bundled.project(claude({ PreToolUse: [['', show('before')]], Stop: [['', show('after')]] }));
  const prompt = 'say I begin\nshell echo hush-hush-4711\nsay I end';
  const env = { AGENT_MEMORY: project.pathOf('~/memory.json'), API_TOKEN: 'hush-hush-4711' };
  const ran = project.run(['run', '--agent', fixture, '--session', 's', '--prompt', prompt], { env });
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const linesOf = (file: string) => project.lines(file).map(line => JSON.parse(line));
  const contentOf = (file: string) => linesOf(file).map(({ type, message }) => [type, message.content]);
  const begun = [
    ['user', prompt.replace('hush-hush-4711', '***')],
    ['assistant', [{ type: 'text', text: 'I begin' }]],
    ['assistant', [{ type: 'tool_use', id: 'call-1', name: 'Bash', input: { command: 'echo ***' } }]],
  ];
  expect(contentOf('~/before')).toEqual(begun);
  expect(contentOf('~/after')).toEqual([
    ...begun,
    ['assistant', [{ type: 'text', text: '(selected yes)' }]],
    ['user', [{ type: 'tool_result', tool_use_id: 'call-1', content: '***\n', is_error: false }]],
    ['assistant', [{ type: 'text', text: 'I end' }]],
  ]);
  const [first, second] = linesOf('~/after');
  expect([first.parentUuid, second.parentUuid, first.sessionId]).toEqual([null, first.uuid, 's']);
  expect(statSync(project.pathOf('.hookloop/sessions/s/transcript.jsonl')).mode & 0o777).toBe(0o600);
});

test('what a SessionStart hook exports in CLAUDE_ENV_FILE reaches later hooks and the agent, also after a resume', () => {
  const start = `echo 'export FLAVOUR="it is $(echo sweet)"; echo noise; export HOOKLOOP_SESSION=stolen' >> "$CLAUDE_ENV_FILE"; test -z "$FLAVOUR"`;
  const project = bundled.project({
    ...claude({ SessionStart: [['', start]] }),
    'hookloop.yaml': `hooks: { iteration.starting: [{ type: shell, await: true, command: 'echo "hook $FLAVOUR $HOOKLOOP_SESSION" >> ~/seen' }] }\n`,
    'agent.sh': 'echo "agent $FLAVOUR" >> ~/seen; test -e ~/again\n',
  });
  const seen = ['hook it is sweet s', 'agent it is sweet'];
  const args = ['run', '--agent', 'command:sh agent.sh', '--session', 's', '--prompt', 'go'];
  expect([project.run(args).exit, project.lines('~/seen')]).toEqual([1, seen]);
  project.write('~/again', '');
  expect([project.run(['resume', 's']).exit, project.lines('~/seen')]).toEqual([0, [...seen, ...seen]]);
});
