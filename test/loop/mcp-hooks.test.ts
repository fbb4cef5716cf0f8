import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundleForTests, eventually, type Project, processesOf } from './project.ts';

const bundled = await bundleForTests();
const server = fileURLToPath(new URL('../fixtures/mcp-server.mjs', import.meta.url));
const stdio = (more: object = {}) => ({ command: process.execPath, args: [server], ...more });
const projectWith = (hook: object, servers: object, event = 'PreToolUse', more: Record<string, string> = {}): Project =>
  bundled.project({
    '.claude/settings.json': JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: 'mcp_tool', ...hook }] }] } }),
    '.mcp.json': JSON.stringify({ mcpServers: servers }),
    ...more,
  });
const call = (file: string): string =>
  JSON.stringify({ tool_name: 'Write', tool_input: { file_path: file, content: '' } });
const scan = { server: 'scanner', tool: 'scan', input: { path: '${tool_input.file_path}' } };
/** What `dispatch` says of a call. */
const asked = (project: Project, file = 'a.ts', env = {}) => {
  const { exit, stdout, stderr } = project.run(['dispatch', 'PreToolUse', '--json'], { input: call(file), env });
  return { exit, told: `${stdout}${stderr}` };
};
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

test('a tool of an MCP server answers as a script would: it refuses, or says nothing', () => {
  const project = projectWith(scan, { scanner: stdio() });
  const refused = asked(project, 'my-secret; touch x');
  expect(refused.exit).toBe(2);
  expect(refused.told).toContain('no my-secret; touch x');
  expect(asked(project, 'a.ts')).toMatchObject({ exit: 0 });
});

test('fields of the event are filled in as values, and variables of the environment in .mcp.json', () => {
  const project = projectWith(
    { server: 's', tool: 'tell', input: { text: 'said: ${prompt}', all: ['${nothing.here}', '$(id)', 7] } },
    { s: stdio({ env: { TOKEN: '${MY_TOKEN:-none}-${OTHER:-otherwise}' } }) },
    'UserPromptSubmit',
  );
  const { stdout } = project.run(['dispatch', 'UserPromptSubmit', '--json'], {
    input: JSON.stringify({ prompt: '${cwd} `id`' }),
    env: { MY_TOKEN: 'abc' },
  });
  const { feedback } = JSON.parse(stdout) as { feedback: string };
  expect(JSON.parse(feedback)).toEqual({
    given: { text: 'said: ${cwd} `id`', all: ['', '$(id)', 7] },
    token: 'abc-otherwise',
    root: project.project,
  });
});

test('a server over http is asked with its headers', async () => {
  const child = spawn(process.execPath, [server, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const port = await new Promise<string>(resolve => createInterface(child.stdout).once('line', resolve));
    const project = projectWith(scan, {
      scanner: { type: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: { Authorization: 'Bearer ${KEY}' } },
    });
    project.write('call.json', call('secret.txt'));
    const ask = async (env: Record<string, string>) => {
      const line = `exec '${process.execPath}' '${bundled.program}' dispatch PreToolUse --json < call.json`;
      const asking = spawn('sh', ['-c', line], {
        ...{ cwd: project.project, stdio: ['ignore', 'pipe', 'inherit'] },
        env: { PATH: process.env['PATH'], HOME: project.home, ...env },
      });
      let said = '';
      asking.stdout!.on('data', data => (said += data));
      await new Promise(resolve => asking.once('close', resolve));
      return said;
    };
    expect(await ask({ KEY: 'let-me-in' })).toContain('no secret.txt');
    expect(await ask({ KEY: 'wrong' })).toContain('MCP server \\"scanner\\"');
  } finally {
    child.kill();
  }
});

test.each([
  ['no such server', { server: 'other' }, {}, 'MCP server "other": neither .mcp.json nor ~/.claude.json names it'],
  [
    'a program that is not there',
    {},
    { scanner: { command: 'no-such-program' } },
    'not found in PATH: no-such-program',
  ],
  [
    'a program that is no server',
    {},
    { scanner: { command: 'sh', args: ['-c', 'echo bye >&2; exit 3'] } },
    'exit code 3',
  ],
  ['a variable that is not set', {}, { scanner: stdio({ env: { A: '${NOT_SET}' } }) }, 'NOT_SET is not set'],
  ['a type that is not known', {}, { scanner: { type: 'sse', url: 'https://x' } }, 'not "sse"'],
  [
    'plain http to elsewhere',
    {},
    { scanner: { type: 'http', url: 'http://192.0.2.1/' } },
    'http is allowed only to this machine',
  ],
  ['no such tool', { tool: 'nope' }, { scanner: stdio() }, 'nope'],
  ['an error of the tool', { tool: 'fail' }, { scanner: stdio() }, 'fail of scanner failed: the disk is full'],
  ['a server that dies', { tool: 'die' }, { scanner: stdio() }, 'exit code 7'],
  ['a tool that hangs', { tool: 'hang', timeout: 1 }, { scanner: stdio() }, 'timed out after 1 s'],
])('%s decides nothing, unless the hook has onFailure: block', (_, hook, servers, words) => {
  const lenient = asked(projectWith({ ...scan, ...hook }, servers));
  expect([lenient.exit, lenient.told]).toEqual([0, expect.stringContaining(words.replaceAll('"', '\\"'))]);
  const strict = asked(projectWith({ ...scan, ...hook, onFailure: 'block' }, servers));
  expect([strict.exit, strict.told]).toEqual([2, expect.stringContaining(words.replaceAll('"', '\\"'))]);
});

test("a server of the user's own file is called, too; a user's hook starts none that only the project names", () => {
  const users = bundled.project({
    '~/.claude.json': JSON.stringify({ mcpServers: { scanner: stdio() } }),
    '~/.claude/settings.json': JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'mcp_tool', ...scan }] }] } }),
    'a.txt': '',
  });
  expect(asked(users, 'secret').exit).toBe(2);
  const projects = bundled.project({
    '.mcp.json': JSON.stringify({ mcpServers: { scanner: stdio() } }),
    '~/.claude/settings.json': JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'mcp_tool', ...scan }] }] } }),
  });
  expect(asked(projects, 'secret')).toMatchObject({ exit: 0, told: expect.stringContaining('neither .mcp.json') });
});

const script =
  'turns:\n  - tools: [{ name: Write, input: { file_path: a.ts } }, { name: Write, input: { file_path: b.ts } }]\n    text: done\n';

test('in a session a server is started once and ends with it, with all that it has started', () => {
  const project = projectWith(scan, { scanner: stdio({ env: { MCP_PIDS: 'pids' } }) }, 'PreToolUse', {
    'script.yaml': script,
  });
  project.session(['--prompt', 'go']);
  const pids = project.lines('pids').map(Number);
  expect(pids).toHaveLength(2);
  expect(pids.filter(isAlive)).toEqual([]);
});

test('a session that is told to end, or killed and resumed, leaves no server behind', async () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const project = projectWith(
      { ...scan, tool: 'hang' },
      { scanner: stdio({ env: { MCP_PIDS: 'pids' } }) },
      'PreToolUse',
      {
        'script.yaml': script,
      },
    );
    const started = project.start(['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'go']);
    await eventually(() => project.lines('pids').length === 2);
    started.process.kill(signal);
    await started.ended;
    if (signal === 'SIGKILL') {
      project.write('.claude/settings.json', '{}');
      project.run(['resume', 's', '--accept-changes']);
    }
    await eventually(() => !project.lines('pids').map(Number).some(isAlive));
    expect([signal, processesOf(project)]).toEqual([signal, []]);
  }
});

test('trust covers the server that a hook names: another command, or another script of it, is not trusted', () => {
  const project = projectWith(
    scan,
    { scanner: { command: process.execPath, args: ['tools/server.mjs'] } },
    'PreToolUse',
    {
      'tools/server.mjs': `import ${JSON.stringify(server)};\n`,
    },
  );
  const status = () => project.run(['trust', '--status', '--json']).exit;
  const shown = project.run(['trust', '--yes']);
  expect([shown.exit, shown.stdout + shown.stderr]).toEqual([0, expect.stringContaining('tools/server.mjs')]);
  expect(status()).toBe(0);
  project.write('tools/server.mjs', `import ${JSON.stringify(server)};\nconsole.error(1);\n`);
  expect(status()).not.toBe(0);
  project.run(['trust', '--yes']);
  expect(status()).toBe(0);
  project.write('.mcp.json', JSON.stringify({ mcpServers: { scanner: { command: 'sh', args: ['-c', 'true'] } } }));
  expect(status()).not.toBe(0);
});
