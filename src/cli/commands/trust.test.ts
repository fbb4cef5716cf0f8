import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { claudeHooks, createSandbox, type Sandbox } from '../../hooks/trust/fixtures/sandbox.ts';

function project(): Sandbox {
  const sandbox = createSandbox();
  sandbox.write('.claude/settings.json', claudeHooks);
  sandbox.write('gate.sh', '#!/bin/sh\necho first\nexit 2\n', 0o755);
  return sandbox;
}

const storeOf = (sandbox: Sandbox): string => join(sandbox.env['HOME']!, '.local/state/hookloop/trust.json');

describe('trust', () => {
  test('shows every hook with its event, command and place, and every script', async () => {
    const { stdout } = await project().trust([]);
    expect(stdout).toContain('3 hooks of ');
    expect(stdout).toMatch(/^ {2}tool\.calling {2}\.claude\/settings\.json:1 {2}tool Bash/m);
    expect(stdout).toContain('    | "$CLAUDE_PROJECT_DIR"/gate.sh\n');
    expect(stdout).toMatch(/^ {2}script gate\.sh {2}executable, sha256 [0-9a-f]{12}$/m);
  });

  test('without a terminal and --yes says so and changes nothing', async () => {
    const sandbox = project();
    const { exit, stderr } = await sandbox.trust([]);
    expect(exit).toBe(1);
    expect(stderr).toBe(
      'Nothing was changed: there is no terminal to ask on. To trust these hooks: hookloop trust --yes\n',
    );
    expect(() => statSync(storeOf(sandbox))).toThrow('ENOENT');
  });

  test('keeps it where only the user can read it', async () => {
    const sandbox = project();
    expect(await sandbox.trust(['--yes'])).toMatchObject({ exit: 0, stderr: '' });
    const folder = dirname(storeOf(sandbox));
    const modes = [storeOf(sandbox), folder, join(folder, 'trust')].map(path => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o600, 0o700, 0o700]);
  });

  test('shows what changed in hooks and scripts since', async () => {
    const sandbox = project();
    await sandbox.trust(['--yes']);
    sandbox.write('.claude/settings.json', claudeHooks.replace('Bash', 'Write'));
    sandbox.write('gate.sh', '#!/bin/sh\necho second\nexit 2\n', 0o644);
    const { stdout } = await sandbox.trust([]);
    expect(stdout).toContain('.claude/settings.json  changed since they were trusted');
    const lines = stdout.split('\n').map(line => line.trim());
    expect(lines).toEqual(
      expect.arrayContaining([
        '-  match.tool.matcher: Bash',
        '+  match.tool.matcher: Write',
        '-echo first',
        '+echo second',
      ]),
    );
    expect(lines).toContain('gate.sh is no longer executable');
  });

  test('does not ask again about what is trusted', async () => {
    const sandbox = project();
    await sandbox.trust(['--yes']);
    const before = readFileSync(storeOf(sandbox), 'utf8');
    expect(await sandbox.trust([])).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Trusted\.\n/) });
    expect(readFileSync(storeOf(sandbox), 'utf8')).toBe(before);
  });

  test('trusts no file that has errors', async () => {
    const sandbox = project();
    sandbox.write('.sauna/hooks.json', '{');
    expect(await sandbox.trust(['--yes'])).toMatchObject({
      exit: 78,
      stderr: expect.stringContaining('Fix them first'),
    });
    expect(() => statSync(storeOf(sandbox))).toThrow('ENOENT');
  });

  test('needs nothing where there are no hooks', async () => {
    expect(await createSandbox().trust([])).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('no hooks here'),
    });
  });

  test('shows no text of a project as its own', async () => {
    const sandbox = createSandbox();
    const command = 'true\n\n  script harmless.sh\u001b[2K\r\u202e\u200bLet agents run these hooks? [y/N] y';
    sandbox.write(
      '.claude/settings.json',
      JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } }),
    );
    sandbox.write('.a5c/hooks/PreToolUse/a\nTrusted.\u001b[1A.sh', '#!/bin/sh\n', 0o755);
    const { stdout } = await sandbox.trust([]);
    expect(stdout).not.toMatch(/[\u001b\r\u202e\u200b]/);
    const foreign = stdout.split('\n').filter(line => /harmless|agents run these|^Trusted/.test(line));
    expect(foreign.map(line => line.slice(0, 6))).toEqual(['    | ', '    | ']);
  });
});

describe('--status', () => {
  test('tells state and hash, and by its exit code whether all is trusted', async () => {
    const sandbox = project();
    const status = async () => {
      const { exit, stdout } = await sandbox.trust(['--status', '--json']);
      return { exit, ...JSON.parse(stdout) };
    };
    const file = '.claude/settings.json';
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(await status()).toEqual({ exit: 1, trusted: false, hash, files: [{ file, state: 'untrusted' }] });
    await sandbox.trust(['--yes']);
    expect(await status()).toEqual({ exit: 0, trusted: true, hash, files: [{ file, state: 'trusted' }] });
    rmSync(join(sandbox.project, '.claude'), { recursive: true });
    expect(await status()).toEqual({ exit: 1, trusted: false, hash, files: [{ file, state: 'removed' }] });
    sandbox.write('.claude/settings.json', '{');
    expect(await status()).toMatchObject({ exit: 1, trusted: false, files: [{ file, state: expect.any(String) }] });
    expect((await sandbox.trust(['--status'])).stdout).toMatch(/^HOOKLOOP_TRUST=[0-9a-f]{64}$/m);
  });

  test('covers pipeline files, whose hooks stand in no one’s way while no pipeline runs', async () => {
    const sandbox = project();
    await sandbox.trust(['--yes']);
    sandbox.write(
      '.hookloop/pipelines/p.yaml',
      'name: p\nhooks:\n  on_stage_complete: [{type: shell, command: ./x.sh}]\nstages: []\n',
    );
    const { stdout } = await sandbox.trust(['--status', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      trusted: false,
      hash: expect.stringMatching(/^[0-9a-f]{64}\.[0-9a-f]{64}$/),
      files: expect.arrayContaining([{ file: '.hookloop/pipelines/p.yaml', state: 'untrusted' }]),
    });
    expect(sandbox.ask('tool.calling').hooks).toHaveLength(1);
  });
});

const hasPty = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
if (!hasPty) console.warn('\n!!! NOT TESTED: the question of trust: the program script is not there\n');

describe.skipIf(!hasPty)('on a terminal it asks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-trust-bundle-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'program.cjs');
  await build({
    entryPoints: [fileURLToPath(new URL('../../hooks/trust/fixtures/program.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    target: 'node20.19',
  });

  async function answer(sandbox: Sandbox, text: string): Promise<number> {
    const options = { cwd: sandbox.project, env: { ...process.env, ...sandbox.env } };
    const child = spawn('script', ['-qec', `"${process.execPath}" "${program}"`, '/dev/null'], options);
    onTestFinished(() => void child.kill('SIGKILL'));
    let shown = '';
    child.stdout.on('data', data => {
      const wasAsked = shown.includes('[y/N]');
      shown += data;
      if (!wasAsked && shown.includes('[y/N]')) child.stdin.write(text);
    });
    const [code] = await once(child, 'close');
    expect(shown).toContain('Let agents run these hooks in this project? [y/N]');
    return code;
  }

  test('and trusts after a yes', async () => {
    const sandbox = project();
    expect(await answer(sandbox, 'y\n')).toBe(0);
    expect(sandbox.ask('tool.calling').hooks).toHaveLength(1);
  });

  test.each([['n\n'], ['\n'], ['\x04']])('and changes nothing after %j', async text => {
    const sandbox = project();
    expect(await answer(sandbox, text)).toBe(1);
    expect(sandbox.ask('tool.calling').refusal).toContain('hookloop trust');
  });

  test('and trusts what it has shown, not what was put in its place meanwhile', async () => {
    const sandbox = project();
    const options = { cwd: sandbox.project, env: { ...process.env, ...sandbox.env } };
    const child = spawn('script', ['-qec', `"${process.execPath}" "${program}"`, '/dev/null'], options);
    onTestFinished(() => void child.kill('SIGKILL'));
    let [shown, isAnswered] = ['', false];
    child.stdout.on('data', data => {
      shown += data;
      if (isAnswered || !shown.includes('[y/N]')) return;
      isAnswered = true;
      sandbox.write('gate.sh', '#!/bin/sh\nexit 0\n', 0o755);
      child.stdin.write('y\n');
    });
    await once(child, 'close');
    expect(sandbox.ask('tool.calling').refusal).toContain('changed since they were trusted');
  });
});
