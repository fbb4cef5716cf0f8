import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { receiver } from '../../src/actions/webhook/fixtures/receiver.ts';
import { dialects } from '../../src/dialects/index.ts';
import { findPlaces } from '../../src/hooks/discovery/load.ts';
import { createLook } from '../../src/hooks/discovery/look.ts';
import { resolvePipeline } from '../../src/loop/pipeline/resolve.ts';
import type { PipelinePlan } from '../../src/model/pipeline.ts';
import { encodeLine } from '../../src/session/file-store/journal-lines.ts';
import { root } from '../program.ts';
import { bundleForTests, diary, diaryAgent, eventually, type Project } from './project.ts';

const bundled = await bundleForTests();
const journal = '.hookloop/sessions/s/journal.jsonl';
const slowOnce = 'test -e ~/again || { touch ~/again; sleep 300; }';

const commands = [
  ['log', 's', '--json'],
  ['log', 's'],
  ['show', 's', '--json'],
  ['show', 's'],
  ['runs', '--json'],
];

/** What every command prints about session `s`. */
const printedOf = (project: Project, env: Readonly<Record<string, string>> = {}): string =>
  commands.map(args => project.run(args, { env }).stdout).join('\n');

/** That, and every file of the session. */
function toldOf(project: Project): string {
  const find = 'find .hookloop -type f -exec cat {} +';
  return `${execFileSync('sh', ['-c', find], { cwd: project.project })}\n${printedOf(project)}`;
}

function planOf({ project, home }: Project): PipelinePlan {
  const places = findPlaces(project, { HOME: home }, dialects, createLook());
  const resolved = resolvePipeline('p', { places });
  if (resolved.kind !== 'plan') throw new Error(resolved.kind);
  return resolved.plan;
}

const literal = (url: string): string => `
stages: [{ name: a, prompt: do it }]
hooks:
  on_session_complete:
    - type: webhook
      url: "${url.replace('//', '//bob:PWSECRET@')}/PATHSECRET?token=QUERYSECRET"
      headers: { Authorization: "Bearer HEADERSECRET" }
      body: { text: hello, token: BODYSECRET }
      secret: whsec_U0lHTklOR1NFQ1JFVA==
`;

async function killInTurn(project: Project, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const started = project.start(['run', '--session', 's', ...args], env);
  await eventually(() => existsSync(project.pathOf('~/again')));
  started.process.kill('SIGKILL');
  await started.ended;
}

async function resume(project: Project, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const started = project.start(['resume', 's'], env);
  const { code } = await started.ended;
  expect([started.stderr(), code]).toEqual([started.stderr(), 0]);
}

test("secrets of a pipeline's webhooks are in no journal and in no output, and the webhook is sent with them after a crash, as it was when the session began", async () => {
  const { url, received } = await receiver();
  const project = bundled.project({ ...diary({ 1: slowOnce }), 'pipelines/p.yaml': literal(url) });
  await killInTurn(project, ['p', '--agent', diaryAgent]);
  project.write('pipelines/p.yaml', 'stages: [{ name: another, prompt: something else }]\n');
  await resume(project);
  expect(received[0]).toMatchObject({
    url: '/PATHSECRET?token=QUERYSECRET',
    headers: { authorization: 'Bearer HEADERSECRET' },
  });
  expect(JSON.parse(received[0]!.body)).toEqual({ text: 'hello', token: 'BODYSECRET' });
  const told = toldOf(project);
  expect(told).not.toMatch(/PWSECRET|PATHSECRET|QUERYSECRET|HEADERSECRET|BODYSECRET|whsec_/);
  // Where it goes is no secret.
  expect(project.read(journal)).toContain(`"url":"${url}/***"`);
});

test('so are those of a child, and of a session that requires trust', async () => {
  const { url, received } = await receiver();
  const project = bundled.project({
    ...diary({ 1: 'true', 2: slowOnce }),
    'pipelines/p.yaml': `${literal(url)}  on_iteration_complete:\n    - { type: spawn, pipeline: c, inputs: { apiKey: INPUTSECRET } }\n`,
    'pipelines/c.yaml': literal(url),
  });
  project.run(['trust', '--yes']);
  await killInTurn(project, ['p', '--agent', diaryAgent, '--require-trust']);
  await resume(project);
  expect(received.map(request => request.headers['authorization'])).toEqual([
    'Bearer HEADERSECRET',
    'Bearer HEADERSECRET',
  ]);
  expect(project.read('.hookloop/sessions/s/children/on_iteration_complete-1/inputs.json')).toContain('INPUTSECRET');
  for (const file of [journal, '.hookloop/sessions/s/children/on_iteration_complete-1/journal.jsonl'])
    expect(project.read(file)).not.toMatch(/[A-Z]SECRET|whsec_/);
});

const token = { MY_TOKEN: 's3cr3t-abcdef' };
const agent = `${diaryAgent}; : --key ${token.MY_TOKEN}`;

test('a secret in --agent is in no journal and in no output, and the agent gets it after a crash, whatever the environment is by then', async () => {
  const project = bundled.project(diary({ 1: slowOnce }));
  project.write('~/agent.sh', `echo "$2" >> ~/keys\n${project.read('~/agent.sh')}`);
  await killInTurn(project, ['--agent', `${diaryAgent} ${token.MY_TOKEN}`, '--prompt', 'go'], token);
  await resume(project);
  expect(project.lines('~/keys')).toEqual([token.MY_TOKEN, token.MY_TOKEN]);
  // Without the variable no one knows any more that it is a secret: the journal must not have it.
  expect(toldOf(project)).not.toContain(token.MY_TOKEN);
  expect(project.run(['show', 's']).stdout).toContain('***');
});

test('in a journal of an older version secrets are in clear, and no output has them', async () => {
  const project = bundled.project({ ...diary(), 'pipelines/p.yaml': literal('http://127.0.0.1:9') });
  const [plan, settings] = [planOf(project), { agent, root: project.project, turnTimeoutMs: null }];
  const run = { number: 1, pid: 1, startTime: '1', mark: 'm' };
  const started = { kind: 'session.started', version: 1, program: '1.0.0', plan, settings, run };
  const line = encodeLine({ seq: 1, at: new Date(0).toISOString(), ...started });
  project.write('.hookloop/sessions/s/journal.jsonl', line);
  expect(project.read(journal)).toMatch(/PATHSECRET.*s3cr3t-abcdef/);
  expect(printedOf(project, token)).not.toMatch(/[A-Z]SECRET|whsec_|s3cr3t-abcdef/);
});

test('without what it was begun with a session is not resumed, and its journal stays as it is', async () => {
  const { url, received } = await receiver();
  const project = bundled.project({ ...diary({ 1: slowOnce }), 'pipelines/p.yaml': literal(url) });
  await killInTurn(project, ['p', '--agent', diaryAgent]);
  const before = project.read(journal);
  const starts = '~/.local/state/hookloop/starts';
  const [name] = readdirSync(project.pathOf(starts));
  const file = `${starts}/${name}`;
  expect(statSync(project.pathOf(file)).mode & 0o777).toBe(0o600);
  const kept = project.read(file);
  rmSync(project.pathOf(file));
  const gone = project.run(['resume', 's']);
  expect([gone.exit, gone.stderr]).toEqual([
    65,
    expect.stringMatching(/the pipeline of s cannot be read: .*\.json is gone/),
  ]);
  project.write(file, kept.slice(0, -10));
  expect(project.run(['resume', 's']).stderr).toMatch(/\.json is damaged/);
  expect(project.read(journal)).toBe(before);
  project.write(file, kept);
  await resume(project);
  expect(received).toHaveLength(1);
  // Nothing goes on any more that would need it.
  expect(readdirSync(project.pathOf(starts))).toEqual([]);
});

test('what an agent says of a task is masked in the journal', () => {
  const told = '~/hookloop task add one; ~/hookloop task done T1 --summary "used $MY_TOKEN"';
  const project = bundled.project(diary({ 1: told }));
  const ran = project.talk(['--prompt', 'x'], { env: { MY_TOKEN: 's3cr3t-abcdef' } });
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.journal('s')).toContainEqual(expect.objectContaining({ kind: 'task.done', summary: 'used ***' }));
});

test('of a session without secrets nothing is kept apart', () => {
  const project = bundled.project(diary());
  expect(project.talk(['--prompt', 'go']).exit).toBe(0);
  expect(existsSync(project.pathOf('~/.local/state/hookloop/starts'))).toBe(false);
  expect(project.read(journal)).not.toContain('"secret"');
});

test('of what a session writes no file tells a secret but inputs.json and context.json', async () => {
  const secrets = {
    API_TOKEN: 's3cr3t-abcdef',
    GITHUB_PAT: 'pat-of-some-one',
    MYKEY: 'key-of-some-one',
    /** Not in the environment: told by its form. */
    LEAKED: ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_'),
  };
  const { LEAKED, ...env } = secrets;
  const all = Object.values(secrets).join(' ');
  const project = bundled.project({
    ...diary({
      1: `echo "${all}"; echo "${all}" >&2; echo '{"decision":"stop","reason":"${all}"}' > "$STATUS"; ~/hookloop task add "${all}"`,
    }),
    'hookloop.yaml': `hooks:
  iteration.completed:
    - { type: shell, command: 'i=0; while [ $i -lt 60000 ]; do echo "line $i $API_TOKEN"; i=$((i+1)); done; cat leaked', await: true }
  iteration.starting:
    - { type: shell, command: 'cat leaked; echo "$GITHUB_PAT"', await: true }
`,
    '.iteratr.hooks.yml': `version: 1
hooks:
  session_start:
    - { command: 'i=0; while [ $i -lt 9000 ]; do echo "$MYKEY"; i=$((i+1)); done; cat leaked', pipe_output: true }
`,
    leaked: `${LEAKED}\n`,
  });
  const ran = project.talk(['--prompt', `use ${all}`], { env });
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const files = execFileSync('find', [project.pathOf('.hookloop'), project.pathOf('~/.local'), '-type', 'f'])
    .toString()
    .split('\n')
    .filter(file => file !== '');
  const telling = files.filter(file => {
    const text = readFileSync(file, 'utf8');
    return Object.values(secrets).some(secret => text.includes(secret));
  });
  const names = (paths: readonly string[]): string[] => paths.map(path => path.replace(/^.*\//, ''));
  // The first the agent may read, the second it has written itself.
  expect(telling.filter(file => !/\/(?:context\.json|current\/status\.json)$/.test(file))).toEqual([]);
  expect(names(files)).toEqual(expect.arrayContaining(['prompt.md', 'output.md', 'status.json', 'journal.jsonl']));
  expect(files.filter(file => /hooks\/hook-.*stdout\.txt$/.test(file))).toHaveLength(1);
  expect(`${ran.stdout}${ran.stderr}`).not.toMatch(new RegExp(Object.values(secrets).join('|')));
});

test('a secret that an agent says in pieces is masked wherever it is printed or kept', () => {
  const project = bundled.project({});
  const agent = `acp:'${process.execPath}' '${root}/test/fixtures/agents/acp-agent.mjs'`;
  const env = { API_TOKEN: 'hush-hush-4711-and-more' };
  const prompt = 'pieces it is hush-hush-|4711-and|-more, said\nshell true\nsay done';
  const ran = project.run(['run', '--agent', agent, '--session', 's', '--prompt', prompt, '--json'], { env });
  expect(ran.exit).toBe(0);
  const messages = ran.stdout.split('\n').filter(line => line.includes('"agent.message"'));
  expect(messages.map(line => JSON.parse(line).text).join('')).toBe('it is ***, said(selected yes)done');
  expect(toldOf(project)).not.toContain('4711-and-more');
});

test('a NUL that a hook prints does not reach the agent', () => {
  const gate = `test -e ~/once || { touch ~/once; printf 'a\\0b'; exit 1; }`;
  const project = bundled.project({ ...diary(), '.sauna/hooks.json': JSON.stringify([gate]) });
  expect(project.talk(['--prompt', 'go']).exit).toBe(0);
  expect(project.heard().at(-1)!.text).toContain('ab');
  expect(project.heard().at(-1)!.text).not.toContain('\0');
});

test('of an agent that says more than memory holds, the file with all of it tells no secret', () => {
  const many = 'i=0; while [ $i -lt 60000 ]; do echo "line $i of $MY_TOKEN"; i=$((i+1)); done';
  const project = bundled.project(diary({ 1: many }));
  const ran = project.talk(['--prompt', 'go'], { env: token });
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const folder = project.pathOf('~/.local/state/hookloop/output');
  const files = readdirSync(folder).filter(name => /stdout\.txt$/.test(name));
  expect(files).toHaveLength(1);
  const text = readFileSync(`${folder}/${files[0]}`, 'utf8');
  expect(text).toContain('line 59999 of ***');
  expect(text).not.toContain(token.MY_TOKEN);
});
