import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleForTests, noticesOf } from './project.ts';

const bundled = await bundleForTests();

const settings = (hooks: object, more: object = {}): string => JSON.stringify({ ...more, hooks });
const command = (text: string, more: object = {}) => ({ hooks: [{ type: 'command', command: text, ...more }] });
const bash = (text: string): string =>
  `turns:\n  - tools: [{ name: Bash, input: { command: "${text}" } }]\n    text: done\n  - text: again\n`;
const taken = (project: ReturnType<typeof bundled.project>): string =>
  project
    .journal('s')
    .flatMap(entry => (entry.kind === 'pending.taken' ? [(entry as { text: string }).text] : []))
    .join('\n');

const server = createServer((request, response) => {
  let body = '';
  request.on('data', data => (body += data));
  request.on('end', () => {
    const { tool_input } = JSON.parse(body);
    const isBad = String(tool_input?.command).includes('bad');
    response.end(
      isBad ? '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"said the server"}}' : '',
    );
  });
});
beforeAll(() => new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

test('a receiver of an http hook refuses what it refuses, and its silence is a yes', async () => {
  const { port } = server.address() as AddressInfo;
  const http = { hooks: [{ type: 'http', url: `http://127.0.0.1:${port}/x` }] };
  for (const [text, ran] of [
    ['echo bad', false],
    ['echo good', true],
  ] as const) {
    const project = bundled.project({
      '.claude/settings.json': settings({ PreToolUse: [http] }),
      'script.yaml': bash(text),
    });
    const started = project.start([
      'run',
      '--agent',
      'scripted:script.yaml',
      '--session',
      's',
      '--prompt',
      'go',
      '--max-iterations',
      '2',
      '--json',
    ]);
    await started.ended;
    expect([text, started.stdout().includes('"type":"tool.called"')]).toEqual([text, ran]);
    if (!ran) expect(taken(project)).toContain('Refused: Bash. said the server');
  }
});

test('a hook with "if" runs for such calls only', () => {
  const guard = {
    matcher: 'Bash',
    hooks: [{ type: 'command', if: 'Bash(git push *)', command: 'echo no push >&2; exit 2' }],
  };
  for (const [text, ran] of [
    ['cd . && git push -f', false],
    ['git status', true],
  ] as const) {
    const project = bundled.project({
      '.claude/settings.json': settings({ PreToolUse: [guard] }),
      'script.yaml': bash(text),
    });
    const happened = noticesOf(project.session(['--prompt', 'go', '--json'])).map(({ type }) => type);
    expect([text, happened.some(type => type === 'tool.called' || type === 'tool.failed')]).toEqual([text, ran]);
  }
});

test('what a hook makes of the output of a tool goes with the next prompt', () => {
  const hook = command(`echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"short"}}'`);
  const project = bundled.project({
    '.claude/settings.json': settings({ PostToolUse: [hook] }),
    'script.yaml': bash('echo long'),
  });
  project.session(['--prompt', 'go', '--max-iterations', '2']);
  expect(taken(project)).toContain('A hook has replaced the output of Bash. Go by this instead:\nshort');
});

test('a hook that wakes holds up the end of the turn with what it says; another that no one waits for decides nothing', () => {
  const wakes = command('echo "look at this" >&2; touch woke; exit 2', { asyncRewake: true });
  const late = command('exit 2', { async: true });
  const waits = command('while ! test -e woke; do sleep 0.05; done; sleep 0.3');
  const project = bundled.project({
    '.claude/settings.json': settings({ PostToolUse: [wakes, late], Stop: [waits] }),
    'script.yaml': bash('echo hi'),
  });
  project.session(['--prompt', 'go', '--max-iterations', '2']);
  expect(taken(project)).toBe('look at this');
});

test('Setup runs before the session starts, and what it exports is there for later hooks', () => {
  const project = bundled.project({
    '.claude/settings.json': settings({
      Setup: [
        command('echo "export FROM_SETUP=yes" >> "$CLAUDE_ENV_FILE"'),
        { matcher: 'maintenance', ...command('touch wrong') },
      ],
      Stop: [command('echo "$FROM_SETUP" > seen')],
    }),
    'script.yaml': bash('true'),
  });
  project.session(['--prompt', 'go']);
  expect([project.read('seen'), project.lines('wrong')]).toEqual(['yes\n', []]);
});

test('a hook of Stop finds the last message of the agent in the transcript, as scripts look for it', () => {
  const jq = `t=$(jq -r .transcript_path); jq -r 'select(.type=="assistant") | .message.content[]? | select(.type=="text") | .text' "$t" | tail -1 > last`;
  const project = bundled.project({
    '.claude/settings.json': settings({ Stop: [command(jq)] }),
    'script.yaml': bash('true'),
  });
  project.session(['--prompt', 'go']);
  expect(project.read('last')).toBe('done\n');
});

test('the message of a hook for its user is shown, and its status while it runs', () => {
  const hook = command(`echo '{"systemMessage":"for you","suppressOutput":true}'`, { statusMessage: 'Looking' });
  const project = bundled.project({
    '.claude/settings.json': settings({ PreToolUse: [hook] }),
    'script.yaml': bash('true'),
  });
  const notices = noticesOf(project.session(['--prompt', 'go', '--json']));
  expect(notices.find(({ type }) => type === 'hook.started')).toMatchObject({ status: 'Looking' });
  expect(notices.find(({ type }) => type === 'hook.finished')).toMatchObject({ result: { message: 'for you' } });
});
