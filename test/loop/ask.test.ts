import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../program.ts';
import { bundleForTests, eventually, type Project } from './project.ts';

const bundled = await bundleForTests();

const decision = {
  hookEventName: 'PreToolUse',
  permissionDecision: 'ask',
  permissionDecisionReason: 'look at it first',
};
const files = {
  '.claude/settings.json': JSON.stringify({
    hooks: {
      PreToolUse: [
        { hooks: [{ type: 'command', command: `echo '${JSON.stringify({ hookSpecificOutput: decision })}'` }] },
      ],
      PostToolUse: [{ hooks: [{ type: 'command', command: 'echo called >> ~/called' }] }],
    },
  }),
};
const agent = `acp:'${process.execPath}' '${root}/test/fixtures/agents/acp-agent.mjs'`;
const args = ['run', '--agent', agent, '--session', 's', '--prompt', 'shell touch made', '--max-iterations', '2'];

/** What the agent was told in its second iteration, where it makes the same call again. */
function secondPrompt(project: Project): string {
  const memory = JSON.parse(project.read('~/memory.json')) as Record<string, string[]>;
  return Object.values(memory)[1]!.join('\n');
}

/** Runs the session in a terminal in which a person types this, a key after the other, whenever the screen has its words. */
async function runWithPerson(
  project: Project,
  types: readonly (readonly [words: string, ...keys: string[]])[],
): Promise<void> {
  const tmux = (...words: readonly string[]): string =>
    execFileSync('tmux', ['-S', join(project.home, 'tmux'), '-f', '/dev/null', ...words], { encoding: 'utf8' });
  const quoted = args.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  project.write(
    '~/run.sh',
    `cd '${project.project}'\n'${process.execPath}' '${bundled.program}' ${quoted}\necho $? > ~/exit\nsleep 1000\n`,
  );
  const env = {
    HOME: project.home,
    CI: '',
    NO_COLOR: '',
    TERM: 'tmux-256color',
    AGENT_MEMORY: project.pathOf('~/memory.json'),
  };
  onTestFinished(() => void tmux('kill-server'));
  tmux(
    ...['-u', 'new-session', '-d', '-x', '100', '-y', '30'],
    ...Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
    `sh ${project.pathOf('~/run.sh')}`,
  );
  let [seen, sinceMs] = ['', 0];
  await eventually(() => {
    const screen = tmux('capture-pane', '-p');
    const [words = '', ...keys] = types.find(([each]) => screen.includes(each)) ?? [];
    if (words !== seen) [seen, sinceMs] = [words, performance.now()];
    // What is typed right when the question appears may still be meant for something else.
    if (words !== '' && performance.now() - sinceMs > 500) {
      tmux('send-keys', ...keys);
      sinceMs = performance.now();
    }
    return project.lines('~/exit').length > 0;
  });
  expect(project.lines('~/exit')).toEqual(['0']);
}

test('what a hook leaves to a person and the person allows is made, and nothing calls it refused', async () => {
  const project = bundled.project(files);
  await runWithPerson(project, [['Allow Bash', 'y']]);
  expect(existsSync(project.pathOf('made'))).toBe(true);
  expect(project.lines('~/called')).toEqual(['called', 'called']);
  expect(secondPrompt(project)).toBe('shell touch made');
});

test('what the person does not allow is refused in the words of the person', async () => {
  const project = bundled.project(files);
  await runWithPerson(project, [
    ['Why not? _', 'not yet', 'Enter'],
    ['y allow', 'n'],
  ]);
  expect(existsSync(project.pathOf('made'))).toBe(false);
  expect(secondPrompt(project)).toBe('Refused: Bash. the person at the terminal said no: not yet\nshell touch made');
});

test('who says no without a reason is said to have said no', async () => {
  const project = bundled.project(files);
  await runWithPerson(project, [
    ['Why not? _', 'Enter'],
    ['y allow', 'n'],
  ]);
  expect(secondPrompt(project)).toBe('Refused: Bash. the person at the terminal said no\nshell touch made');
});

test('where no one is there it is refused in the words of the hook', () => {
  const project = bundled.project(files);
  const ran = project.run(args, { env: { AGENT_MEMORY: project.pathOf('~/memory.json') } });
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(existsSync(project.pathOf('made'))).toBe(false);
  expect(secondPrompt(project)).toBe('Refused: Bash. look at it first\nshell touch made');
  expect(project.lines('~/called')).toEqual([]);
});

test.each([[[]], [['--json']], [['--quiet']]])(
  'where no one is there --permissions ask says what becomes of calls: %j',
  more => {
    const project = bundled.project({});
    const ran = project.run([...args, '--permissions', 'ask', ...more], {
      env: { AGENT_MEMORY: project.pathOf('~/memory.json') },
    });
    const said = ran.stderr.split('\n').filter(line => line.includes('--permissions ask'));
    expect(said).toEqual([
      expect.stringMatching(/warning: --permissions ask: .* no one can be asked here.* is refused$/),
    ]);
    expect(existsSync(project.pathOf('made'))).toBe(false);
  },
);
