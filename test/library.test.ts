import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstalled, installLibrary } from './installed.ts';

const installed = createInstalled('library');

beforeAll(async () => {
  await installed.install();
  await installLibrary(installed);
}, 120_000);
afterAll(() => rmSync(installed.folder, { recursive: true, force: true }));

/** Runs a program in a project of its own, and what it prints as JSON, a line each. */
function run(program: string, files: Readonly<Record<string, string>> = {}): unknown[] {
  const project = mkdtempSync(join(installed.folder, 'project-'));
  const home = mkdtempSync(join(installed.folder, 'home-'));
  mkdirSync(join(project, '.git'));
  const imports = "import { deny, fire, proceed, resumeSession, startSession, tell } from 'hookloop';\n";
  const say = 'const say = value => console.log(JSON.stringify(value));\n';
  const all = {
    'agent.yaml': 'turns: [{ text: done }]\nrepeat: true\n',
    ...files,
    'main.mjs': imports + say + program,
  };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(project, name), text);
  const { exit, stdout, stderr } = installed.runShell('node main.mjs', { cwd: project, home });
  expect([exit, stderr]).toEqual([0, '']);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line));
}

test('a session tells its events from its beginning, and its end is a value', () => {
  const program = `
const session = await startSession({ prompt: 'go', agent: 'scripted:agent.yaml', name: 'one', maxIterations: 1 });
const types = [];
for await (const event of session) types.push(event.type);
const { status } = await session.result;
say([session.name, status, types[0], types.at(-1), (await session.state()).status]);
`;
  expect(run(program)).toEqual([['one', 'completed', 'session.starting', 'session.summary', 'completed']]);
});

test('functions gate what an agent does, and what they say reaches it', () => {
  const script = `
turns:
  - tools: [{ name: Bash, input: { command: touch forbidden } }]
    text: tried
`;
  const program = `
const heard = [];
const session = await startSession({
  prompt: 'go', agent: 'scripted:agent.yaml', maxIterations: 1,
  hooks: {
    'prompt.submitting': event => { heard.push(event.message); return tell('be careful'); },
    'tool.calling': [() => proceed(), event => (event.tool === 'Bash' ? deny('no shells today') : proceed())],
  },
});
const decisions = [];
for await (const event of session) if (event.type === 'hook.finished') decisions.push([event.event, event.result.decision.kind]);
const { existsSync } = await import('node:fs');
say([heard, decisions, existsSync('forbidden')]);
`;
  expect(run(program, { 'agent.yaml': script })).toEqual([
    [
      ['go'],
      [
        ['prompt.submitting', 'proceed'],
        ['tool.calling', 'proceed'],
        ['tool.calling', 'block'],
      ],
      false,
    ],
  ]);
});

test('a function that throws refuses where it could refuse', () => {
  const program = `
const result = await fire({ name: 'tool.calling', tool: 'Bash' }, { hooks: { 'tool.calling': () => { throw new Error('broken') } } });
say([result.decision.kind, result.results[0].verdict]);
`;
  expect(run(program)).toEqual([['block', { kind: 'failed', reason: expect.stringContaining('broken') }]]);
});

test('a question to a person is answered by the program', () => {
  const hooks = `
hooks:
  session.starting:
    - { type: webhook, url: 'http://127.0.0.1:1/', await: true, question: Deploy?, retries: 0 }
`;
  const receiver = `
const { createServer } = await import('node:http');
const server = createServer((request, response) => { request.resume(); response.end('{}') }).listen(0, '127.0.0.1');
await new Promise(resolve => server.once('listening', resolve));
const { writeFileSync } = await import('node:fs');
writeFileSync('hookloop.yaml', \`${hooks.replace('http://127.0.0.1:1/', 'http://127.0.0.1:${server.address().port}/')}\`);
`;
  const program = `${receiver}
const session = await startSession({ prompt: 'go', agent: 'scripted:agent.yaml', maxIterations: 1 });
for await (const event of session)
  if (event.type === 'approval.requested')
    say([event.question, await session.answer(event.approval, { approve: true, message: 'fine' })]);
say((await session.result).status);
server.close();
`;
  expect(run(program)).toEqual([['Deploy?', { kind: 'answered' }], 'completed']);
});

test('a session that is stopped goes on when it is resumed', () => {
  const script = 'turns: [{ text: first }, { text: second, delay: 60 }, { text: third }]\n';
  const program = `
const session = await startSession({ prompt: 'go', agent: 'scripted:agent.yaml', name: 's', maxIterations: 2 });
for await (const event of session) if (event.type === 'iteration.starting' && event.iteration === 2) await session.stop();
say((await session.result).status);
const { writeFileSync } = await import('node:fs');
writeFileSync('agent.yaml', 'turns: [{ text: again }]\\nrepeat: true\\n');
say((await (await resumeSession('s')).result).status);
`;
  expect(run(program, { 'agent.yaml': script })).toEqual(['stopped', 'completed']);
});

test.each([
  ['nothing to do', '{ agent: "scripted:agent.yaml" }', 'usage'],
  ['no agent', '{ prompt: "go" }', 'usage'],
  ['an unknown agent', '{ prompt: "go", agent: "nobody" }', 'usage'],
  ['a pipeline that is not there', '{ pipeline: "none", agent: "scripted:agent.yaml" }', 'bad-config'],
])('%s is refused before anything runs', (_, options, why) => {
  const program = `
await startSession(${options}).catch(error => say([error.name, error.why, error.message.length > 10]));
say(await import('node:fs').then(({ existsSync }) => existsSync('.hookloop')));
`;
  expect(run(program)).toEqual([['SessionError', why, true], false]);
});

test.each([
  [
    'an event that no one knows',
    "hooks: { 'tool.callin': () => deny('no') }",
    /unknown event tool\.callin; did you mean/,
  ],
  ['a folder that is not there', "cwd: '/nowhere/at/all'", /\/nowhere\/at\/all is not a folder/],
])('%s is misuse: neither a session nor an event runs without its gates', (_, option, message) => {
  const program = `
const told = [];
for (const start of [
  () => startSession({ prompt: 'go', agent: 'scripted:agent.yaml', ${option} }),
  () => fire({ name: 'tool.calling', tool: 'Bash' }, { ${option} }),
]) await start().then(() => told.push('began'), error => told.push(error.message));
say(told);
`;
  expect(run(program)).toEqual([[expect.stringMatching(message), expect.stringMatching(message)]]);
});

test('numbers that no session can run with are misuse, and so are two things to do', () => {
  const program = `
const refused = [];
for (const option of [{ maxIterations: 0 }, { maxRetries: -1 }, { maxFailures: 1.5 }, { turnTimeoutMs: -5 }, { tasks: ['a'] }])
  await startSession({ prompt: 'go', agent: 'scripted:agent.yaml', ...option }).catch(({ name, message }) => refused.push([name, message.split(':')[0]]));
say(refused);
`;
  const names = ['maxIterations', 'maxRetries', 'maxFailures', 'turnTimeoutMs', 'prompt'];
  expect(run(program)).toEqual([names.map(name => ['SessionError', name])]);
});
