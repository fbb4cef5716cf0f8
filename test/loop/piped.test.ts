import { expect, test } from 'vitest';
import { bundleForTests, diary, noticesOf } from './project.ts';

const bundled = await bundleForTests();

const piped = (hooks: Readonly<Record<string, readonly string[]>>): Record<string, string> => ({
  '.iteratr.hooks.yml': JSON.stringify({
    version: 1,
    hooks: Object.fromEntries(
      Object.entries(hooks).map(([point, commands]) => [
        point,
        commands.map(command => ({ command, pipe_output: !command.startsWith('silent') })),
      ]),
    ),
  }),
  '~/bin/keep': '',
});

test('piped output waits for the next iteration in order, stands before its prompt, and the rest is delivered at the end', () => {
  const project = bundled.project({
    ...diary({ 1: '~/hookloop task add extra; ~/hookloop task done T1' }),
    ...piped({
      session_start: ['printf "start of {{session}}"', 'true', 'echo oops >&2; exit 4'],
      pre_iteration: ['echo pre {{iteration}}', 'silent() { :; }; echo never'],
      post_iteration: ['echo post {{iteration}}'],
      on_task_complete: ['echo task {{task_id}} {{task_content}}'],
      session_end: ['echo end >> ~/ends; echo unheard; cp ~/turns ~/turns-at-end'],
    }),
  });
  const ran = project.talk(['--prompt', 'go on', '--max-iterations', '2']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const heard = project.heard();
  expect(heard.map(({ text }) => text)).toEqual([
    'start of s\n[Hook command failed: exit status 4]\n\n[stderr]\noops\n\npre 1\n\n\ngo on',
    'task T1 extra\n\npost 1\n\npre 2\n\n\ngo on',
    'post 2\n',
  ]);
  expect(heard[2]!.conversation).toBe(heard[1]!.conversation);
  expect(heard[1]!.conversation).not.toBe(heard[0]!.conversation);
  expect([project.lines('~/ends'), project.lines('~/turns-at-end')]).toEqual([['end'], ['3']]);
});

test('a failed iteration is told to on_error, whose output is sent at once into the same conversation', () => {
  const project = bundled.project({
    ...diary({
      1: 'echo "no model $(echo here)" >&2; exit 3',
      4: `echo '{"decision":"error","reason":"stuck"}' > "$STATUS"`,
    }),
    ...piped({
      on_error: ['echo "fix {{iteration}}: {{error}}"'],
      post_iteration: ['echo post {{iteration}}'],
      session_end: ['echo end >> ~/ends'],
    }),
  });
  const ran = project.talk(['--prompt', 'go on', '--max-iterations', '4', '--json']);
  const shown = 'the agent failed; its output is in .hookloop/sessions/s/agent.log and ends with';
  const last = 'hooks have something left for the agent: it goes there in one last prompt';
  const told = `hookloop: warning: ${shown}\n        | no model here\nhookloop: ${last}\n`;
  expect([ran.stderr, ran.exit]).toEqual([told, 0]);
  const heard = project.heard();
  expect(heard.map(({ text }) => text)).toEqual([
    'go on',
    "fix 1: the agent's command ended with exit code 3\nno model here\n",
    'go on',
    'post 2\n\n\ngo on',
    'fix 3: stuck\n',
    'go on',
    'post 4\n',
  ]);
  const talks = heard.map(({ conversation }) => heard.findIndex(other => other.conversation === conversation));
  expect(talks).toEqual([0, 0, 2, 3, 3, 5, 5]);
  expect(noticesOf(ran).at(-1)).toMatchObject({
    status: 'completed',
    stages: [{ iterations: 4, failedIterations: 2 }],
  });
  expect(project.lines('~/ends')).toEqual(['end']);
});

test.each([
  ['an on_error hook', { on_error: ['true'] }, [], 3],
  ['an on_error hook and --max-failures', { on_error: ['true'] }, ['--max-failures', '2'], 2],
  ['no on_error hook', { session_end: ['true'] }, [], 1],
  ['--max-failures alone', { session_end: ['true'] }, ['--max-failures', '4'], 4],
  ['the last allowed iteration', { on_error: ['true'] }, ['--max-iterations', '2'], 2],
] as const)('with %s so many failures in a row end the session: %#', (_, hooks, args, turns) => {
  const project = bundled.project({ ...diary({ 0: 'exit 1' }), ...piped(hooks) });
  const ran = project.talk(['--prompt', 'go', '--max-iterations', '9', ...args]);
  expect([ran.exit, project.heard().length]).toEqual([1, turns]);
});

test('an iteration that succeeds starts the count of failures anew', () => {
  const project = bundled.project({
    ...diary({ 1: 'exit 1', 2: 'exit 1', 4: 'exit 1', 5: 'exit 1' }),
    ...piped({ on_error: ['true'] }),
  });
  expect(project.talk(['--prompt', 'go', '--max-iterations', '6']).exit).toBe(0);
});

test('a command without a memory hears with the recovery prompt what it was asked and how it failed', () => {
  const project = bundled.project({ ...diary({ 1: 'exit 7' }), ...piped({ on_error: ['echo fix it'] }) });
  const ran = project.run(['run', '--agent', 'command:sh ~/agent.sh', '--prompt', 'go', '--max-failures', '1']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 1]);
  expect(project.read('~/heard-2')).toMatch(
    /^\[conversation so far\]\n\[user\]\ngo\n\[assistant\]\n\[this turn failed: .*exit code 7\]\n\[end of.*\]\n\nfix it/,
  );
});

test('an agent that dies hears the recovery prompt in a new process', () => {
  const project = bundled.project({
    'script.yaml': `
turns:
  - { when: "fix it", text: fixed, tools: [{ name: Bash, input: { command: "touch fixed" } }] }
  - { text: dies, exit: 9 }
`,
    ...piped({ on_error: ['echo fix it'], session_end: ['test -e fixed && echo fixed >> ~/ends'] }),
  });
  const ran = project.session(['--prompt', 'go', '--max-failures', '1']);
  expect(ran.exit).toBe(1);
  expect(project.lines('~/ends')).toEqual(['fixed']);
});

test('what is pending when the session fails is delivered before session_end, in the conversation that failed', () => {
  const project = bundled.project({
    ...diary({ 1: '~/hookloop task add extra; ~/hookloop task done T1' }),
    '.sauna/hooks.json': '["exit 1"]',
    ...piped({ on_task_complete: ['echo task done'], session_end: ['cp ~/turns ~/turns-at-end'] }),
  });
  project.write('.sauna/hooks.json', '["test -z \\"$HOOK_TASK_ID\\" && exit 1; true"]');
  expect(project.talk(['--prompt', 'go', '--max-retries', '0']).exit).toBe(1);
  const heard = project.heard();
  expect(heard.map(({ text }) => text)).toEqual(['go', 'task done\n']);
  expect(heard[1]!.conversation).toBe(heard[0]!.conversation);
  expect(project.lines('~/turns-at-end')).toEqual(['2']);
});
