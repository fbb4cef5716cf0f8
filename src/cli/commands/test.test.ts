import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleInto, createWorld, temporaryFolder, type World } from '../../../test/program.ts';

const folder = temporaryFolder('test-command');
let program: string;
beforeAll(async () => {
  program = (await bundleInto(join(folder, 'bin'))).program;
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hooks = `hooks:
  tool.calling:
    - { deny: "CI pushes.", command: git push }
    - { ask: "Change \${TOOL}?", files: "db/**" }
    - { shell: 'grep -q hunter2 && { printf "\\\\001<bad>&\\\\377 \\\\"x\\\\"" >&2; exit 1; }; true', name: no secrets, tool: Bash }
  task.completing:
    - { shell: test -f done.txt, name: done }
    - { judge: "Is \${TASK_CONTENT} done?" }
  iteration.starting:
    - { tell: Small commits. }
  tool.called:
    - { shell: cat >/dev/null, name: heard }
`;

function worldWith(files: Readonly<Record<string, string>> = {}): World {
  const world = createWorld(folder, program);
  for (const [path, text] of Object.entries({ 'hookloop.yaml': hooks, ...files })) world.write(path, text);
  return world;
}

describe('a case', () => {
  const cases = [
    ['block', '{ name: n, event: tool.calling, with: { tool: Bash, command: git push }, expect: block, message: CI }'],
    [
      'ask',
      '{ name: n, event: tool.calling, with: { tool: Edit, file: db/a.sql }, expect: ask, message: Change Edit }',
    ],
    ['block', '{ name: n, event: task.completing, expect: block, hooks: [done] }'],
    ['proceed', '{ name: n, event: on-iteration-start, expect: proceed, message: Small commits. }'],
    ['proceed', '{ name: n, event: tool.calling, with: { tool: Read, file: a.ts }, expect: proceed, hooks: [] }'],
  ];
  test.each(cases)('that comes to %s passes without anyone being asked: %s', (decision, line) => {
    const world = worldWith({ 'hookloop.test.yaml': `tests:\n  - ${line}\n` });
    const ran = world.run(['test', '--json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({ passed: 1, failed: 0, tests: [{ name: 'n', decision }] });
    expect(ran.exit).toBe(0);
  });

  test('whose deciding hook is a judge is judged', () => {
    const line = '{ name: n, event: task.completing, with: { content: it }, expect: judge, message: Is it done? }';
    const world = worldWith({ 'hookloop.test.yaml': `tests:\n  - ${line}\n`, 'done.txt': '' });
    expect(world.run(['test'])).toMatchObject({ exit: 0, stdout: '+ n\n' });
  });
});

test('hook files with errors: nothing runs, 78', () => {
  const world = worldWith({
    'hookloop.yaml': 'hooks:\n  tool.calling:\n    - { shel: touch ran }\n',
    'hookloop.test.yaml': 'tests:\n  - { name: n, event: tool.calling, expect: block }\n',
  });
  const { exit, stderr } = world.run(['test']);
  expect([exit, existsSync(world.pathOf('ran'))]).toEqual([78, false]);
  expect(stderr).toContain('hookloop.yaml:3');
});

describe('JUnit', () => {
  const line =
    '{ name: "a <b> & \\"c\\" \\u0001", event: tool.calling, with: { tool: Bash, command: hunter2 }, expect: ask }';

  test('is well-formed whatever hooks print', () => {
    const world = worldWith({ 'hookloop.test.yaml': `tests:\n  - ${line}\n` });
    expect(world.run(['test', '--junit', 'out.xml']).exit).toBe(1);
    const xml = readFileSync(world.pathOf('out.xml'), 'utf8');
    expect(xml).toContain('name="a &lt;b&gt; &amp; &quot;c&quot; \ufffd"');
    expect(xml).toContain('&lt;bad&gt;&amp;');
    expect(xml).toContain('<failure message="expected ask, got block">');
    // Nothing but XML's own characters, and no bare & or < beyond tags.
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|&(?!amp;|lt;|gt;|quot;)/);
    expect(xml.replaceAll(/<\/?[a-z]+(?: [a-z]+="[^"<]*")*\/?>|<\?xml[^?]*\?>/g, '')).not.toContain('<');
  });

  test('that cannot be written is told, and leaves nothing behind', () => {
    const world = worldWith({ 'hookloop.test.yaml': `tests:\n  - ${line}\n` });
    const { exit, stderr } = world.run(['test', '--junit', 'no/such/out.xml']);
    expect(exit).toBe(64);
    expect(stderr).toContain('--junit no/such/out.xml: it does not exist (ENOENT)');
  });
});

describe('a hostile file', () => {
  const bomb = `a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n${'bcdefghi'.replaceAll(/./g, name => {
    const before = String.fromCharCode(name.charCodeAt(0) - 1);
    return `${name}: &${name} [${Array(10).fill(`*${before}`).join(', ')}]\n`;
  })}tests: *i\n`;
  test.each([
    ['deep', '['.repeat(100_000), 'nested too deeply'],
    ['aliases', bomb, 'holds more than'],
    ['a circle', 'tests: &a [*a]\n', 'nested too deeply'],
    ['huge', `tests:\n${'  - { name: a, event: tool.calling, expect: block }\n'.repeat(40_000)}`, 'larger than 1 MiB'],
    ['not text', '\0\x01', 'not a text file'],
    ['not YAML', 'tests: [\n', 'not valid YAML'],
    ['nothing', '', 'there are no tests'],
    ['unknown keys', 'tests: []\nmore: 1\n', 'unknown key "more"'],
    ['a list', '[1]', 'expected a map, found a list'],
    ['wrong types', 'tests: 3\n', 'expected a list'],
    [
      'a prototype',
      'tests:\n  - { name: a, event: tool.calling, expect: block, with: { __proto__: 1 } }\n',
      'not allowed',
    ],
    ['a property of all objects', 'tests:\n  - { name: a, event: constructor, expect: block }\n', 'unknown event'],
  ])('is refused: %s', (_, text, why) => {
    const { exit, stderr } = worldWith({ 'hookloop.test.yaml': text }).run(['test']);
    expect(exit).toBe(78);
    expect(stderr).toContain(`hookloop.test.yaml:`);
    expect(stderr).toContain(why);
  });

  test('is refused: one that is not there', () => {
    const ran = worldWith().run(['test', 'gone.yaml']);
    expect(ran).toMatchObject({
      exit: 78,
      stdout: '',
      stderr: expect.stringContaining('gone.yaml:1:1: error: does not'),
    });
  });

  test('runs nothing, also where its mistake stands behind good cases, or in another file', () => {
    const good = '  - { name: a, event: tool.calling, expect: proceed }\n';
    const world = worldWith({
      'hookloop.yaml': 'hooks: { tool.calling: [ "touch ran" ] }',
      'good.yaml': `tests:\n${good}`,
      'bad.yaml': `tests:\n${good}  - { name: b, event: tool.calling, expect: maybe }\n`,
    });
    for (const files of [['bad.yaml'], ['good.yaml', 'bad.yaml'], ['good.yaml', 'gone.yaml']])
      expect(world.run(['test', ...files])).toMatchObject({ exit: 78, stdout: '' });
    expect(existsSync(world.pathOf('ran'))).toBe(false);
  });

  test('of 10,000 cases is run to its end', () => {
    const cases = Array.from(
      { length: 10_000 },
      (_, at) => `  - { name: n${at}, event: iteration.starting, expect: proceed }`,
    );
    const ran = worldWith({ 'hookloop.test.yaml': `tests:\n${cases.join('\n')}\n` }).run(['test', '--json']);
    expect(ran.exit).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ passed: 10_000, failed: 0 });
  });

  test('cannot steer the terminal by the name of a case', () => {
    const line = '  - { name: "a\\e[31m\\u0007b", event: iteration.starting, expect: block }';
    const ran = worldWith({ 'hookloop.test.yaml': `tests:\n${line}\n` }).run(['test']);
    expect(ran.exit).toBe(1);
    expect(ran.stdout + ran.stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  });

  test('is refused: a folder', () => {
    const world = worldWith();
    mkdirSync(world.pathOf('hookloop.test.yaml'));
    expect(world.run(['test'])).toMatchObject({ exit: 78, stderr: expect.stringContaining('is a folder, not a file') });
  });
});

describe('--record', () => {
  const agent = `turns:
  - tools:
      - { name: Bash, input: { command: git push } }
      - { name: Bash, input: { command: "echo a: b # 'c' \\"d\\"" } }
      - { name: Bash, input: { command: "echo a: b # 'c' \\"d\\"" } }
      - { name: Bash, input: { command: echo hunter2-top-secret } }
    tick: { file: tasks.md }
  - tools: [{ name: Write, input: { file_path: done.txt, content: "yes" } }]
    tick: { file: tasks.md }
`;

  test('prints what happened, each event once and without secrets, and test passes on it', () => {
    const world = worldWith({
      'hookloop.yaml': hooks.replace(/ {4}- \{ judge.*\n/, ''),
      'agent.yaml': agent,
      'tasks.md': '- [ ] write done.txt\n',
    });
    const env = { API_TOKEN: 'hunter2-top-secret' };
    world.run(['run', '--tasks', 'tasks.md', '--agent', 'scripted:agent.yaml', '--session', 's1'], { env });
    const recorded = world.run(['test', '--record', 's1'], { env });
    expect(recorded).toMatchObject({ exit: 0, stderr: '' });
    expect(recorded.stdout.split(`tool.calling: Bash echo a: b`).length - 1).toBe(1);
    expect(recorded.stdout).toContain('name: "tool.calling: Bash git push is blocked"');
    expect(recorded.stdout).toContain('message: CI pushes.');
    expect(recorded.stdout).toContain('***');
    expect(recorded.stdout).not.toContain('hunter2');
    // The gate refused the task before its file was there; what counts is what it said last.
    expect(recorded.stdout).toContain('name: "task.completing: write done.txt passes"');
    // What stands in place of a secret is no secret, so the hook that looks for one has nothing to find.
    const known = recorded.stdout.replaceAll('echo ***', 'echo hunter2-top-secret');
    world.write('hookloop.test.yaml', known);
    const ran = world.run(['test'], { env });
    expect(ran.stdout.split('\n').filter(line => !line.startsWith('+ ') && line !== '')).toEqual([]);
    expect(ran.exit).toBe(0);
  });

  test('of a session that is not there: 64', () =>
    expect(worldWith().run(['test', '--record', 'nope'])).toMatchObject({
      exit: 64,
      stderr: expect.stringContaining('there is no session named nope'),
    }));
});
