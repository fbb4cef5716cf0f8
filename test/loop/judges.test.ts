import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../program.ts';
import { bundleForTests, eventually, type Project, processesOf } from './project.ts';

const bundled = await bundleForTests();

const worker = { 'script.yaml': 'repeat: true\nturns: [{ text: at work }]\n' };

/** A judge that gives one answer, whatever it is asked. */
const judge = (text: string, more: object = {}): Record<string, string> => ({
  'judge.yaml': JSON.stringify({ repeat: true, turns: [{ text, ...more }] }),
});

/** A gate that a judge decides. */
const gated = (hook: string, agent = 'scripted:judge.yaml'): Record<string, string> => ({
  ...worker,
  'hookloop.yaml': `judge: { agent: ${JSON.stringify(agent)} }
hooks:
  task.completing:
    - { ${hook} }
    - { type: shell, await: true, command: "echo passed >> ~/passed" }
`,
});

const asks = 'type: prompt, prompt: "Is ${STAGE} fine?", block: true';
const looks = 'type: agent, prompt: "Is it fine?", block: true';

const run = (project: Project) => project.session(['--prompt', 'do the work', '--max-retries', '0']);

test('a judge that says yes lets it pass, and one that says no gives its reason', () => {
  const yes = bundled.project({ ...gated(asks), ...judge('Well: {"ok": true, "reason": "all is well"} indeed') });
  const passed = run(yes);
  expect([passed.stderr, passed.exit]).toEqual([passed.stderr, 0]);
  expect(yes.lines('~/passed')).toEqual(['passed']);
  const no = bundled.project({ ...gated(asks), ...judge('{"ok": false, "reason": "tests are missing"}') });
  const refused = run(no);
  expect(refused.exit).toBe(1);
  expect(refused.stderr).toContain('tests are missing');
  expect(no.lines('~/passed')).toEqual([]);
});

test('a judge that is limited has not answered: the gate says no, and until when', () => {
  const limit = { kind: 'usage', until: '2999-01-01T00:00:00Z', reason: 'resets later' };
  const project = bundled.project({ ...gated(asks), ...judge('', { limit }) });
  const ran = run(project);
  expect([ran.exit, project.lines('~/passed')]).toEqual([1, []]);
  expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain('the judge is limited until 2999-01-01T00:00:00Z: resets later');
});

test.each([
  ['iteration.completed', 'revise'],
  ['task.completing', 'block'],
])(
  "a judge's no at %s aborts the session where its failure does, and else asks for better work",
  (event, otherwise) => {
    const said = (policy: string) => {
      const project = bundled.project({
        ...worker,
        ...judge('{"ok": false, "reason": "tests are missing"}'),
        'hookloop.yaml': `judge: { agent: "scripted:judge.yaml" }
hooks:
  ${event}:
    - { type: prompt, prompt: "Is it fine?"${policy} }
  iteration.starting:
    - { type: shell, await: true, command: "echo begun >> ~/begun" }
`,
      });
      const ran = project.session(['--prompt', 'do the work', '--max-retries', '0', '--max-iterations', '2']);
      const decided = project
        .journal('s')
        .flatMap(entry => (entry.kind === 'hook.finished' ? [(entry.result as { decision?: object }).decision] : []))
        .filter(decision => decision && (decision as { kind: string }).kind !== 'proceed');
      return { exit: ran.exit, begun: project.lines('~/begun').length, decided };
    };
    const aborted = said(', on_failure: abort');
    expect(aborted).toMatchObject({ exit: 1, begun: 1, decided: [{ kind: 'abort' }] });
    expect(JSON.stringify(aborted.decided)).toContain('tests are missing');
    expect(said('').decided[0]).toMatchObject({ kind: otherwise });
  },
);

test('a judge is asked the question with its variables, and the event as data', () => {
  const project = bundled.project({
    ...gated(asks, 'command:cat > ~/question; env > ~/judge-env; echo \'{"ok": true, "reason": ""}\''),
  });
  const ran = run(project);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const question = project.read('~/question');
  expect(question).toContain('Is work fine?');
  expect(question).toContain('"event": "task.completing"');
  expect(question).toContain('exactly one JSON object');
  expect(project.read('~/judge-env')).toMatch(/^HOOKLOOP_MARK=/m);
});

test.each([
  ['nothing', judge('')],
  ['no JSON', judge('yes, all is fine')],
  ['ok that is no boolean', judge('{"ok": "true", "reason": "fine"}')],
  ['a reason that is no text', judge('{"ok": true, "reason": 7}')],
  ['a quote, and then it was cut off', judge('It says {"ok": true, "reason": "x"}', { stop_reason: 'max_tokens' })],
  ['a list', judge('[{"ok": true, "reason": "fine"}]')],
  ['two answers that disagree', judge('{"ok": true, "reason": "a"} and {"ok": false, "reason": "b"}')],
  ['an answer inside another object', judge('{"quoted": {"ok": true, "reason": "fine"}}')],
  ['an answer inside a string', judge('"{\\"ok\\": true, \\"reason\\": \\"fine\\"}')],
  ['both yes and no', judge('{"ok": true, "reason": "a"} {"ok": false, "reason": "b"}')],
  ['a cut-off answer', judge('{"ok": true, "reason": "fi')],
  ['a refusal of the model', judge('{"ok": true, "reason": "x"}', { stop_reason: 'refusal' })],
  ['a failed turn', judge('{"ok": true, "reason": "x"}', { fail: 'no more credit' })],
  ['a dead agent', judge('{"ok": true, "reason": "x"}', { exit: 1 })],
  ['a script that does not exist', {}],
])('a judge that gives %s never counts as a yes', (_, script) => {
  const project = bundled.project({ ...gated(asks), ...(script as Record<string, string>) });
  const ran = run(project);
  expect(ran.exit).toBe(1);
  expect(project.lines('~/passed')).toEqual([]);
  const isStarted = Object.keys(script).length > 0;
  expect(ran.stderr.includes('could not start')).toBe(!isStarted);
  expect(ran.stderr).not.toContain('the agent fixes it');
  expect(ran.stderr.replaceAll(/\s+/g, ' ')).not.toMatch(/gave no answer[^.]*gave no answer/);
});

test('with gate: false a judge that cannot answer stops nothing, and is told', () => {
  const project = bundled.project({ ...gated(asks.replace(', block: true', ', gate: false')), ...judge('hm') });
  const ran = run(project);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(ran.stderr).toContain('what it said is not {"ok": ..., "reason": ...}');
  expect(project.lines('~/passed')).toEqual(['passed']);
});

const touching = ['Bash', 'Write', 'WebFetch', 'mcp__x__y', 'NobodyKnows'].map(name => ({
  name,
  input: { command: `touch ~/touched-${name}`, file_path: `touched-${name}`, content: 'x' },
}));
const yes = '{"ok": true, "reason": "I looked"}';

test('a prompt judge has no tools, an agent judge may only look', () => {
  const tools = [...touching, { name: 'Read', input: { file_path: 'script.yaml' } }];
  const told = (project: Project): string[] =>
    project
      .run(['log', 's', '--json'])
      .stdout.split('\n')
      .filter(line => line.includes('tool.'));
  for (const hook of [asks, looks]) {
    const project = bundled.project({ ...gated(hook), ...judge(yes, { tools }) });
    const ran = run(project);
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    for (const { name } of touching) {
      expect(existsSync(project.pathOf(`touched-${name}`))).toBe(false);
      expect(existsSync(project.pathOf(`~/touched-${name}`))).toBe(false);
    }
    // What a judge does is no event of the session.
    expect(told(project)).toEqual([]);
  }
});

/** The small agent over ACP does what the first word of each line says; `silentshell` does not ask. */
const acpAgent = `acp:${process.execPath} ${root}test/fixtures/agents/acp-agent.mjs`;
const acp = (...lines: string[]): Record<string, string> =>
  gated(`type: agent, prompt: ${JSON.stringify(['Look.', ...lines, `say ${yes}`].join('\n'))}, block: true`, acpAgent);

test.each([['shell touch made'], ['edit made'], ['gemini made'], ['write made']])(
  'a judge over ACP is refused "%s", and its answer counts',
  line => {
    const project = bundled.project(acp(line));
    const ran = run(project);
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    expect(existsSync(project.pathOf('made'))).toBe(false);
    expect(project.lines('~/passed')).toEqual(['passed']);
  },
);

test('a judge over ACP that runs something without asking has no say', () => {
  const project = bundled.project(acp('silentshell touch made'));
  const ran = run(project);
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain('the judge used Bash, which it is not allowed to');
  expect(project.lines('~/passed')).toEqual([]);
});

test('an agent hook refuses where the judge is a program whose tools no one can refuse', () => {
  const project = bundled.project(gated(looks, `command:touch ~/asked; echo '${yes}'`));
  const ran = run(project);
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain('whose tools can be refused');
  expect(existsSync(project.pathOf('~/asked'))).toBe(false);
});

test('without judge: the agent of the session is asked, in a conversation of its own', () => {
  const project = bundled.project({
    'script.yaml': `repeat: true\nturns: [{ when: exactly one JSON object, text: '${yes}' }, { text: at work }]\n`,
    'hookloop.yaml': `hooks:\n  task.completing:\n    - { ${asks} }\n`,
  });
  const ran = run(project);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
});

test('judges of nyzhi and Claude files decide as well', () => {
  const files = {
    ...worker,
    ...judge('{"ok": false, "reason": "the judge objects"}'),
    'hookloop.yaml': 'judge: { agent: "scripted:judge.yaml" }\nhooks: {}\n',
  };
  const nyzhi = bundled.project({
    ...files,
    'config.toml': '[[agent.hooks]]\nevent = "task_completed"\ntype = "prompt"\nprompt = "fine?"\nblock = true\n',
  });
  const claude = bundled.project({
    ...files,
    '.claude/settings.json': JSON.stringify({
      hooks: { UserPromptSubmit: [{ hooks: [{ type: 'prompt', prompt: 'May this be? $ARGUMENTS' }] }] },
    }),
  });
  for (const project of [nyzhi, claude]) {
    const ran = run(project);
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain('the judge objects');
  }
});

test('a judge that takes too long is ended with its processes, and has not said yes', () => {
  const project = bundled.project(gated(`${asks}, timeout: 1`, `command:setsid sleep 66 & sleep 67; echo '${yes}'`));
  const ran = run(project);
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain('timed out after 1 s');
  expect(processesOf(project)).toEqual([]);
});

test('an interrupt ends the judge', async () => {
  const project = bundled.project(gated(asks, 'command:echo up > ~/up; sleep 60'));
  const started = project.start(['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'do it']);
  await eventually(() => project.lines('~/up').length === 1);
  started.process.kill('SIGINT');
  expect(await started.ended).toEqual({ code: 130, signal: null });
  expect(processesOf(project)).toEqual([]);
});

test('dispatch asks judges and runs children too, in the session dispatch', () => {
  const project = bundled.project({
    ...judge('{"ok": false, "reason": "not like this"}'),
    'hookloop.yaml': `judge: { agent: "scripted:judge.yaml" }
agent: 'command:cat > ~/told; echo "child $HOOKLOOP_DEPTH"'
hooks:
  tool.calling:
    - { type: prompt, prompt: "May it?" }
  session.completed:
    - { type: spawn, pipeline: after, inputs: { of: "\${SESSION}" } }
    - { type: shell, await: true, command: 'echo "$SPAWN_OUTPUT" > ~/seen' }
`,
    'pipelines/after.yaml': 'prompt: "after ${INPUTS.of}"\n',
  });
  const refused = project.run(['dispatch', 'tool.calling'], { input: '{"tool":"Bash"}' });
  expect(refused.exit).toBe(2);
  expect(refused.stdout).toContain('not like this');
  const ended = project.run(['dispatch', 'session.completed'], { input: '{"session":"mine"}' });
  expect([ended.stderr, ended.exit]).toEqual([ended.stderr, 0]);
  expect(project.lines('~/seen')).toEqual(['child 1']);
  expect(project.read('~/told')).toBe('after mine');
  expect(existsSync(project.pathOf('.hookloop/sessions/dispatch/children/session.completed-0'))).toBe(true);
});
