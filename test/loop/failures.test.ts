import { existsSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../program.ts';
import { bundleForTests, diary, noticesOf, type Project, processesOf } from './project.ts';

const bundled = await bundleForTests();

const acp = (flags: string) => `acp:'${process.execPath}' '${root}/test/fixtures/agents/acp-agent.mjs' ${flags}`;

const watched = {
  'hookloop.yaml': `
hooks:
  iteration.failed: [{ type: shell, await: true, command: 'echo "$ERROR" >> ~/errors' }]
  session.failed: [{ type: shell, await: true, command: 'echo failed >> ~/ends' }]
  session.ended: [{ type: shell, await: true, command: 'echo ended >> ~/ends' }]
`,
};

const run = (project: Project, agent: string, prompt: string, args: readonly string[] = [], env = {}) =>
  project.run(['run', '--agent', agent, '--session', 's', '--prompt', prompt, ...args], { env });

test.each([
  ['dies', acp(''), 'orphan pids\ndie', 'out of cheese'],
  ['cannot start its work', acp('--bad-start'), 'x', 'no configuration was found'],
  ['fails', acp(''), 'fail', 'the model said 400'],
  ['needs a login', acp(''), 'auth', 'uthenticat'],
  ['is a command that fails', 'command:sh -c "echo broken >&2; exit 5"', 'x', 'exit code 5'],
  ['has nothing left to say', 'scripted:none.yaml', 'x', 'no turn left'],
])('an agent that %s fails the iteration with a clear error, and nothing stays', (_, agent, prompt, error) => {
  const project = bundled.project({ ...watched, 'none.yaml': 'turns: []\n' });
  const ran = run(project, agent, prompt);
  expect(ran.exit).toBe(1);
  expect(project.read('~/errors')).toContain(error);
  expect(ran.stderr).toContain(error);
  expect(project.lines('~/ends')).toEqual(['failed', 'ended']);
  expect(processesOf(project)).toEqual([]);
  expect(project.journal('s').at(-1)).toMatchObject({ kind: 'session.closed', status: 'failed' });
});

test('garbage and noise around the protocol disturb nothing', () => {
  const project = bundled.project(watched);
  const ran = run(project, acp('--garbage --stderr --late-updates'), 'unknown\nburst 50\nsay well', ['--json']);
  expect([ran.exit, project.lines('~/ends')]).toEqual([0, ['ended']]);
  const said = noticesOf(ran).flatMap(notice => (notice.type === 'agent.message' ? [notice.text] : []));
  expect(said.join('')).toContain('well');
});

test('what the agent prints beside its answers is kept in its folder, without secrets, and not shown', () => {
  const project = bundled.project({});
  const printing = "command:sh -c 'echo noise s3cr3t-value >&2; echo said'";
  const ran = run(project, printing, 'x', [], { API_TOKEN: 's3cr3t-value' });
  expect([ran.exit, ran.stderr]).toEqual([0, expect.not.stringMatching(/noise|s3cr3t/)]);
  expect(project.lines('.hookloop/sessions/s/agent.log')).toEqual([expect.stringMatching(/^\S+Z noise \*\*\*$/)]);
  const loud = project.run(['run', '--agent', acp('--garbage --stderr'), '--session', 'loud', '--prompt', 'say well']);
  expect([loud.exit, loud.stderr]).toEqual([0, expect.not.stringMatching(/noise|Welcome/)]);
  expect(project.read('.hookloop/sessions/loud/agent.log')).toMatch(
    /noise noise[\s\S]*Welcome!|Welcome![\s\S]*noise noise/,
  );
});

test('where the agent fails its last words are shown, and where the rest of them is', () => {
  const project = bundled.project({});
  const ran = run(project, acp('--stderr'), 'fail');
  expect(ran.exit).toBe(1);
  const shown = ran.stderr.split('\n').filter(line => line.includes('noise'));
  expect(shown.length).toBeGreaterThan(1);
  expect(shown.length).toBeLessThanOrEqual(10);
  expect(ran.stderr).toContain('.hookloop/sessions/s/agent.log');
});

test('an agent that prints without end fills no disk', () => {
  const project = bundled.project({});
  const ran = run(
    project,
    `command:sh -c 'head -c 12000000 /dev/zero | tr "\\0" x | fold -w 1000 >&2; echo said'`,
    'x',
  );
  expect(ran.exit).toBe(0);
  expect(statSync(project.pathOf('.hookloop/sessions/s/agent.log')).size).toBeLessThan(9 * 1024 * 1024);
});

test('a link in the place of the log is not followed', () => {
  const project = bundled.project({ 'mine.txt': 'mine\n' });
  run(
    project,
    `command:sh -c 'ln -s "$PWD/mine.txt" "$HOOKLOOP_SESSION_DIR/agent.log"; echo noise >&2; echo said'`,
    'x',
  );
  expect(project.read('mine.txt')).toBe('mine\n');
});

test.each([
  ['one that obeys', acp('')],
  ['one that answers after all', acp('--answer-after-cancel')],
  ['a command', 'command:sh -c "setsid sleep 300 & sleep 300"'],
])('a turn that takes too long is cancelled and fails the iteration: %s', (_, agent) => {
  const project = bundled.project(watched);
  const ran = run(project, agent, 'orphan pids\nwait', ['--turn-timeout', '0.5']);
  expect(ran.exit).toBe(1);
  expect(project.read('~/errors')).toContain('the turn took longer than 0.5 s');
  expect(processesOf(project)).toEqual([]);
});

test('a dead agent is started anew: a conversation that it can load goes on, another begins with a note', () => {
  const kill =
    'kill -9 $(cat agent); while kill -0 $(cat agent) 2>&-; do grep -q "State:.Z" /proc/$(cat agent)/status && break; done; sleep 0.2';
  const gate = `test -e fixed || { ${kill}; echo; echo shell touch fixed; exit 1; }`;
  const prompt = 'silentshell echo $PPID > agent';
  for (const flags of ['--load', '']) {
    const project = bundled.project({ ...watched, '.sauna/hooks.json': JSON.stringify([gate]) });
    const ran = run(project, acp(flags), prompt, [], { AGENT_MEMORY: project.pathOf('~/memory.json') });
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    const heard = Object.values(JSON.parse(project.read('~/memory.json')) as Record<string, string[]>);
    const failed = expect.stringContaining('Hook failed: test -e fixed');
    if (flags !== '') expect(heard).toEqual([[prompt, failed]]);
    else expect(heard).toEqual([[prompt], [failed]]);
    if (flags === '')
      expect(heard[1]![0]).toMatch(/^The conversation in which you worked on this is lost[\s\S]*silentshell echo/);
  }
});

test.each([
  ['acp:no-such-program-anywhere --flag', 'no-such-program-anywhere'],
  ["acp:'/no/such program' --flag", '/no/such program'],
  ['command:no-such-program-anywhere "$HOME" > out', 'no-such-program-anywhere'],
  ['command:FOO=bar ./not-there.sh', './not-there.sh'],
  ['scripted:not-there.yaml', 'not-there.yaml'],
  ['codex', 'npm install -g @agentclientprotocol/codex-acp'],
])('the program of %s is looked for before anything happens', (agent, told) => {
  const project = bundled.project({
    ...watched,
    'p.yaml': `stages: [{ name: a, prompt: do it }, { name: b, prompt: do more, agent: ${JSON.stringify(agent)} }]`,
  });
  const env = { PATH: '/usr/bin:/bin' };
  const args = [['--agent', agent, '--prompt', 'x'], ['./p.yaml']];
  for (const [nth, each] of args.entries()) {
    if (nth === 1) project.write('hookloop.yaml', `agent: 'command:cat'\n${project.read('hookloop.yaml')}`);
    const ran = project.run(['run', '--session', 's', ...each], { env });
    expect([ran.exit, project.lines('~/ends')]).toEqual([69, []]);
    expect(ran.stderr).toContain(told);
    expect(existsSync(project.pathOf('.hookloop/sessions'))).toBe(false);
  }
});

test('a name that no one knows', () => {
  const project = bundled.project(watched);
  const unknown = project.run(['run', '--agent', 'cluade', '--session', 't', '--prompt', 'x']);
  expect(unknown.exit).toBe(64);
  expect(unknown.stderr).toContain('claude');
  expect(existsSync(project.pathOf('.hookloop/sessions/t'))).toBe(false);
});

test('an abort of any event ends the session, and resume runs that hook again', () => {
  const points = [
    'on_session_start',
    'stage.starting',
    'on_iteration_start',
    'task.completing',
    'on_iteration_complete',
    'on_stage_complete',
    'on_session_complete',
  ];
  const project = bundled.project({
    ...diary(),
    'hookloop.yaml': `hooks:\n${points
      .map(
        (point, n) =>
          `  ${point}: [{ type: shell, await: true, on_failure: abort, command: 'echo ${n} >> ~/ran; test -e ~/ok-${n}' }]\n`,
      )
      .join('')}`,
  });
  const first = project.talk(['--prompt', 'go']);
  expect([first.exit, project.lines('~/ran')]).toEqual([1, ['0']]);
  expect(first.stderr).toContain('hookloop.yaml:2');
  const turns: number[] = [];
  for (const [n, point] of points.entries()) {
    project.write(`~/ok-${n}`, '');
    const ran = project.run(['resume', 's']);
    const isLast = n === points.length - 1;
    expect([point, ran.stderr, ran.exit]).toEqual([point, ran.stderr, isLast ? 0 : 1]);
    expect([point, project.lines('~/ran').at(-1)]).toEqual([point, String(isLast ? n : n + 1)]);
    turns.push(project.heard().length);
  }
  // A gate and the end of an iteration do it anew; the end of a stage or session does not.
  expect(turns.at(-1)).toBe(turns.at(-3));
});

test('what a hook printed when it refused a step stands in lines of its own, and tells no one to fix anything', () => {
  const project = bundled.project({
    ...diary(),
    'hookloop.yaml':
      'hooks: { step.dispatching: [{ type: shell, block: true, name: budget, command: "echo budget is used up; exit 1" }] }\n',
  });
  const { exit, stderr } = project.talk(['--prompt', 'x']);
  expect([exit, stderr]).toEqual([1, stderr]);
  const below = (indent: string) => `${indent}$ echo budget is used up; exit 1\n${indent}budget is used up\n`;
  expect(stderr).toMatch(/iteration failed after .*: Hook "budget" refused this step: exit code 1\.\n/);
  expect(stderr).toContain(`refused this step: exit code 1.\n${below('        | ')}[`);
  expect(stderr).toContain(`refused this step: exit code 1.\n${below('    ')}`);
  expect(stderr).not.toContain('Fix this first');
});
