import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleInto, temporaryFolder, type World } from '../../../test/program.ts';
import {
  agentsMd,
  answer,
  filesOf,
  gate,
  generated,
  push,
  rulesWorld,
  textOf,
  unclear,
  words,
} from './fixtures/rules-world.ts';

const folder = temporaryFolder('init-rules');
let program: string;
beforeAll(async () => {
  ({ program } = await bundleInto(join(folder, 'bin')));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const worldWith = (answers: readonly (string | object)[], files?: Readonly<Record<string, string>>): World =>
  rulesWorld({ folder, program }, answers, files);

describe('init --rules --yes', () => {
  test('writes what passes check and its cases, each with its sentence, and lists what no hook can check', () => {
    const world = worldWith([answer(push, generated, gate)]);
    const { exit, stderr } = world.run([...words, '--yes']);
    expect(exit, stderr).toBe(0);
    expect(textOf(world)).toBe(`agent: "scripted:../script.json"
hooks:
  tool.calling:
    # AGENTS.md: Never push to main.
    - { deny: People push., command: git push }
    # AGENTS.md: Do not edit generated files in dist/
    - { deny: dist/ is generated., files: "dist/**" }
  task.completing:
    # AGENTS.md: Run \`make test\` before you are done.
    - { shell: make test }
`);
    expect(textOf(world, 'hookloop.test.yaml')).toContain('- { name: a push, event: tool.calling, with: { tool: Bash');
    expect(stderr).toContain('RUNS: make test');
    expect(stderr).toContain('No hook can check:\n  "Write clear code." no program can tell');
    expect(stderr).toContain('+    - { deny: People push., command: git push }');
    expect(world.run(['check']).exit).toBe(0);
    expect(world.run(['test'])).toMatchObject({ exit: 0, stderr: expect.stringContaining('3 passed') });
  });

  test('adds to files that are there, and leaves all else in them as it is', () => {
    const hooks =
      '# mine\nagent: codex   # for now\nhooks:\n  tool.calling:\n    - { deny: no, command: rm }  # never\n  turn.ending: [ make lint ]\n';
    const cases =
      'tests:\n  # one\n  - { name: rm, event: tool.calling, with: { tool: Bash, command: rm x }, expect: block }\n';
    const world = worldWith([answer(push)], { 'hookloop.yaml': hooks, 'hookloop.test.yaml': cases });
    expect(world.run([...words, '--yes']).exit).toBe(0);
    const isAdded = (line: string): boolean => /AGENTS.md|git pu/.test(line);
    const kept = (text: string): string =>
      text
        .split('\n')
        .filter(line => !isAdded(line))
        .join('\n');
    expect(kept(textOf(world)!)).toBe(hooks);
    expect(kept(textOf(world, 'hookloop.test.yaml')!)).toBe(cases);
    expect(world.run(['test'])).toMatchObject({ exit: 0, stderr: expect.stringContaining('3 passed') });
  });

  test('says until when its agent is limited, and writes nothing', () => {
    const world = worldWith([]);
    const limit = { kind: 'usage', until: '2999-01-01T00:00:00Z', reason: 'resets later' };
    world.write('../script.json', JSON.stringify({ turns: [{ limit }] }));
    const before = filesOf(world);
    const { exit, stderr } = world.run([...words, '--yes']);
    expect(exit).toBe(1);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('the agent is limited until 2999-01-01T00:00:00Z: resets later');
    expect(filesOf(world)).toEqual(before);
  });

  test('says what an entry would have stopped', () => {
    const world = worldWith([answer(push)]);
    const call = (id: string, command: string): string =>
      `${JSON.stringify({
        ...{ type: 'assistant', cwd: world.project, sessionId: 's', timestamp: new Date().toISOString() },
        message: { content: [{ type: 'tool_use', id, name: 'Bash', input: { command } }] },
      })}\n`;
    world.write('~/.claude/projects/p/a.jsonl', call('a', 'git push -f') + call('b', 'ls'));
    const { stderr } = world.run([...words, '--yes']);
    expect(stderr).toContain('2 cases passed; it would have stopped 1 of 2 calls in the last 30 days: git push -f');
  });

  test('as JSON', () => {
    const { stdout } = worldWith([answer(push, gate)]).run([...words, '--yes', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      agent: 'scripted:../script.json',
      entries: [
        { event: 'tool.calling', taken: true, stopped: 0 },
        { runs: 'make test', taken: true },
      ],
      uncheckable: [unclear],
    });
  });

  test.each<[string, object, string]>([
    ['check refuses', { ...push, entry: { denny: 'x', command: 'git push' } }, 'unknown key'],
    ['is at no event', { ...push, event: 'tool.callling' }, 'tool.callling'],
    [
      'fails its own case',
      { ...push, entry: { deny: 'x', command: 'git pull' } },
      'its case "a push" fails: expected block',
    ],
    ['shows nothing', { ...push, cases: [] }, 'it has no case'],
    ['never applies', { ...push, cases: [push.cases[1]] }, 'in none of its cases does it apply'],
    ['comes from no sentence', { ...push, sentence: 'Always obey me.' }, 'its sentence does not stand in AGENTS.md'],
  ])('does not propose an entry that %s, and says why', (_, entry, why) => {
    const world = worldWith([answer(entry)]);
    const { exit, stderr } = world.run([...words, '--yes']);
    expect(exit).toBe(1);
    expect(stderr).toContain('Not proposed:');
    expect(stderr).toContain(why);
    expect(filesOf(world)).toEqual(['AGENTS.md']);
  });

  test('does not propose what stands in hookloop.yaml already, whatever its name', () => {
    const named = { ...push, entry: { ...push.entry, name: 'no push' } };
    const world = worldWith([answer(named, generated), answer(push, generated, gate)]);
    expect(world.run([...words, '--yes']).exit).toBe(0);
    const before = [textOf(world), textOf(world, 'hookloop.test.yaml')];
    world.write('../script.json', JSON.stringify({ turns: [{ text: answer(push, generated) }] }));
    const again = world.run([...words, '--yes']);
    expect(again.exit).toBe(1);
    expect(again.stderr).toContain('hookloop.yaml has it already');
    expect([textOf(world), textOf(world, 'hookloop.test.yaml')]).toEqual(before);
    world.write('../script.json', JSON.stringify({ turns: [{ text: answer(push, gate) }] }));
    expect(world.run([...words, '--yes']).exit).toBe(0);
    expect(textOf(world)!.match(/git push/g)).toHaveLength(1);
    expect(textOf(world)).toContain('make test');
  });

  test('takes no command that the rules do not name, and runs none', () => {
    const evil = { ...gate, entry: { shell: 'touch /tmp/hookloop-evil; touch ran' }, cases: push.cases };
    const world = worldWith([answer(evil, push)]);
    const { exit, stderr } = world.run([...words, '--yes']);
    expect(exit).toBe(0);
    expect(textOf(world)).not.toContain('touch');
    expect(stderr).toContain('RUNS: touch /tmp/hookloop-evil; touch ran');
    expect(stderr).toContain('would be run, and does not stand in AGENTS.md');
    expect(existsSync('/tmp/hookloop-evil')).toBe(false);
  });

  test.each([
    ['a question that is sent somewhere', { ask: 'Push?', command: 'git push', notify: 'https://elsewhere.example/x' }],
    [
      'a webhook that asks another server for the answer',
      {
        type: 'webhook',
        url: 'https://hooks.example/x',
        await: true,
        poll: { url: 'https://elsewhere.example/x', until: 'response.ok == true' },
      },
    ],
  ])('takes nothing that is sent where the rules do not say: %s', (_, entry) => {
    const world = worldWith([answer({ ...push, entry }, generated)]);
    world.write('AGENTS.md', `${agentsMd}- Tell https://hooks.example/x.\n`);
    const { exit, stderr } = world.run([...words, '--yes']);
    expect([exit, stderr]).toEqual([0, expect.stringContaining('an entry of rules sends nothing anywhere')]);
    expect(textOf(world)).not.toContain('elsewhere');
  });

  test.each(['*', ' - ', 'e', 'main`.', 'ver push'])('of a sentence %j is not proposed: it is none', sentence => {
    const world = worldWith([answer({ ...push, sentence })]);
    expect(world.run([...words, '--yes'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('does not stand'),
    });
  });

  test('of a sentence without spaces is proposed where its script has none', () => {
    const world = worldWith([
      answer({ ...push, sentence: '不要推送到 `main` 分支。' }, { ...push, sentence: '请勿推送' }),
    ]);
    world.write('AGENTS.md', '# 规则\n\n- 不要推送到 `main` 分支。请勿推送\n');
    expect(world.run([...words, '--yes'])).toMatchObject({
      exit: 0,
      stderr: expect.not.stringContaining('Not proposed'),
    });
  });

  test('leaves no folder behind', () => {
    const left = (): string[] => readdirSync(tmpdir()).filter(name => name.startsWith('hookloop-rules-'));
    const before = left();
    worldWith([answer(push)]).run([...words, '--yes']);
    expect(left().filter(name => !before.includes(name))).toEqual([]);
  });
});

describe('an agent', () => {
  test('that answers badly is told what is wrong, and asked once more', () => {
    const world = worldWith([
      'I think you should not push.',
      { expect: 'no JSON object', text: `\`\`\`json\n${answer(push)}\n\`\`\`` },
    ]);
    expect(world.run([...words, '--yes'])).toMatchObject({ exit: 0 });
    expect(textOf(world)).toContain('git push');
  });

  test.each<[string, readonly (string | object)[], string]>([
    ['answers nonsense twice', ['no', '{"entries":1}'], 'not what it was asked for, twice'],
    ['has other keys', ['{"entries":[],"uncheckable":[],"x":1}', '{}'], 'not what it was asked for, twice'],
    ['fails', [{ fail: 'usage limit reached' }], 'usage limit reached'],
    ['dies', [{ exit: 3 }], 'did not answer'],
  ])('that %s: an error, and nothing is written', (_, answers, why) => {
    const world = worldWith(answers);
    const { exit, stderr } = world.run([...words, '--yes']);
    expect([exit, filesOf(world)]).toEqual([1, ['AGENTS.md']]);
    expect(stderr).toContain(why);
    expect(stderr).toContain('nothing was written');
  });

  test('may use no tool', () => {
    const tools = [{ name: 'Write', input: { file_path: 'x', content: 'y' } }];
    const world = worldWith([{ tools, text: answer(push) }]);
    world.run([...words, '--yes']);
    expect(existsSync(world.pathOf('x'))).toBe(false);
  });

  test('that is not there, not known, or not named', () => {
    const world = worldWith([]);
    const run = (...args: string[]) =>
      world.run(['init', '--rules', 'AGENTS.md', '--yes', ...args], { env: { PATH: '/usr/bin:/bin' } });
    expect(run('--agent', 'claude').exit).toBe(69);
    expect(run('--agent', 'clade')).toMatchObject({ exit: 64, stderr: expect.stringContaining('claude') });
    expect(run()).toMatchObject({ exit: 64, stderr: expect.stringContaining('there is no agent to ask') });
    expect(filesOf(world)).toEqual(['AGENTS.md']);
  });
});

describe('bad input', () => {
  test.each<[string, string | Buffer | undefined, string]>([
    ['is not there', undefined, 'does not exist'],
    ['is empty', ' \n', 'is empty'],
    ['is no text', Buffer.from([0, 1, 2]), 'is not a text file'],
    ['is huge', 'x'.repeat(300_000), 'is larger than'],
  ])('a file that %s: 65', (_, text, why) => {
    const world = worldWith([answer(push)]);
    if (text !== undefined) world.write('RULES.md', text);
    const run = world.run(['init', '--rules', 'RULES.md', '--yes', '--agent', 'scripted:../script.json']);
    expect(run).toMatchObject({ exit: 65, stderr: expect.stringContaining(why) });
  });

  test('a hookloop.yaml with errors: 78; one that nothing can be added to: 1, and it stays', () => {
    const broken = worldWith([answer(push)], { 'hookloop.yaml': 'hooks: { x: 1 }\n' });
    expect(broken.run([...words, '--yes']).exit).toBe(78);
    const odd = worldWith([answer(push)], {
      'hookloop.yaml': 'hooks:\n  turn.ending: &a [ make ]\n  tool.calling: *a\n',
    });
    expect(odd.run([...words, '--yes'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('nothing can be added'),
    });
    expect(textOf(odd)).toContain('*a');
  });

  test('no terminal and no --yes: 64, and no agent is asked', () =>
    expect(worldWith([]).run(words)).toMatchObject({ exit: 64, stderr: expect.stringContaining('--yes') }));

  test('an agent may not do it', () =>
    expect(worldWith([answer(push)]).run([...words, '--yes'], { env: { CLAUDECODE: '1' } })).toMatchObject({
      exit: 64,
    }));
});
