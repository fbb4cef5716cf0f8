import { existsSync, readdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeSettings, createEngineProject } from '../../test/engine-project.ts';
import type { HookResult } from '../model/index.ts';

const { path, write, log, engineHere, fire } = createEngineProject();

describe('what leaves the engine', () => {
  test('hides secrets in output, reasons and feedback', async () => {
    write('.sauna/hooks.json', '["echo token is $API_TOKEN; exit 1"]');
    const { decision, feedback, results } = await engineHere({ env: { API_TOKEN: 's3cr3t-value' } }).fire({
      name: 'task.completing',
    });
    expect(JSON.stringify({ decision, feedback, results })).not.toContain('s3cr3t-value');
    expect(feedback).toContain('token is ***');
  });

  test('is capped at 32 KiB a hook for the agent, with the path of the whole text between head and tail', async () => {
    write('.sauna/hooks.json', '["seq 1 20000; exit 1"]');
    const { feedback } = await fire({ name: 'task.completing' });
    const path = /\n\.\.\. \(\d\d,\d{3} more lines: (\S+)\)\n/.exec(feedback)?.[1];
    expect(Buffer.byteLength(feedback)).toBeLessThanOrEqual(32 * 1024);
    expect(feedback).toMatch(/^Hook failed: seq 1 20000; exit 1[\s\S]*\n20000$/);
    expect(readFileSync(path!, 'utf8')).toContain('\n10000\n');
  });
});

describe('matching', () => {
  test.each([
    ['git_commit', { tool: 'Bash', input: { command: 'cd x && GIT_DIR=y git -C . commit -m z' } }, true],
    ['git_commit', { tool: 'run_shell_command', input: { command: 'echo "git commit"' } }, false],
    ['git_*', { tool: 'exec_command', input: { cmd: ['bash', '-lc', 'git push'] } }, true],
    ['Bash', { tool: 'run_shell_command', input: {} }, true],
    ['write_file, Edit', { tool: 'apply_patch', input: {} }, true],
    ['Write', { tool: 'Edit', input: {} }, false],
    ['Bash', { tool: 'Read', input: { command: 'git push' } }, true],
    ['Read', { tool: 'Read', input: { command: 'git push' } }, true],
    ['git_push', { tool: 'frobnicate', input: { cmd: 'git push' } }, true],
    ['git_push', { tool: 'Bash', input: { program: 'git', with: ['push'] } }, true],
    ['git_push', { tool: 'mcp__x__run', input: {} }, false],
    ['mcp__github__*', { tool: 'mcp_github_create_issue', input: {} }, true],
  ])('tool_name %s on %j: %s', async (wanted, call, runs) => {
    write('.nyzhi/config.toml', `[[agent.hooks]]\nevent = "pre_tool"\ncommand = "true"\ntool_name = "${wanted}"\n`);
    expect((await fire({ name: 'tool.calling', ...call })).results[0]?.status).toBe(runs ? 'finished' : 'skipped');
  });

  test('gates do not run for a planner', async () => {
    write('.sauna/hooks.json', '["exit 1"]');
    const skipped = { status: 'skipped', why: 'gates do not run for a planner' };
    for (const event of [{ stage: 'plan' }, { role: 'planner' }])
      expect((await fire({ name: 'task.completing', ...event })).results[0]).toMatchObject(skipped);
    expect((await fire({ name: 'task.completing', stage: 'plan', role: 'builder' })).decision.kind).toBe('revise');
  });

  test('Claude-style hooks are left to Claude', async () => {
    write('.claude/settings.json', claudeSettings('Stop', 'exit 2'));
    expect((await fire({ name: 'turn.ending', agent: 'claude' })).results[0]).toMatchObject({ status: 'skipped' });
    expect((await fire({ name: 'turn.ending', agent: 'codex' })).decision.kind).toBe('block');
  });
});

test('cancelling ends the running hook and starts no other', async () => {
  write('.sauna/hooks.json', '["touch started; sleep 60", "echo next >> log"]');
  const stop = new AbortController();
  const fired = engineHere({ env: { PATH: process.env['PATH']! } }).fire(
    { name: 'task.completing' },
    { signal: stop.signal },
  );
  while (!existsSync(path('started'))) await new Promise(resolve => setTimeout(resolve, 10));
  stop.abort();
  expect((await fired).results.map(statusOf)).toEqual(['cancelled', 'skipped']);
});

test('cancelling in the pause before a further try is not the failure of the hook', async () => {
  const retried = `command: 'echo $$ > tries; exit 1', await: true, on_failure: retry, retry_delay: 60`;
  write('hookloop.yaml', `hooks: { turn.ended: [{ type: shell, ${retried} }] }\n`);
  const stop = new AbortController();
  const fired = engineHere({ env: { PATH: process.env['PATH']! } }).fire(
    { name: 'turn.ended' },
    { signal: stop.signal },
  );
  const isOver = (): boolean =>
    existsSync(path('tries')) && !existsSync(`/proc/${readFileSync(path('tries'), 'utf8').trim()}`);
  while (!isOver()) await new Promise(resolve => setTimeout(resolve, 10));
  stop.abort();
  expect((await fired).results).toMatchObject([{ outcome: { kind: 'cancelled' }, attempts: 1 }]);
});

const statusOf = (result: HookResult): string => (result.status === 'finished' ? result.outcome.kind : result.status);

test('a misspelt event is an error, not an event that every hook has passed', async () => {
  await expect(fire({ name: 'task.complete' as never })).rejects.toThrow('there is no event "task.complete"');
});

test('a file under a link to the project is inside the project', async () => {
  write(
    '.nyzhi/config.toml',
    '[[agent.hooks]]\nevent = "after_edit"\ncommand = "exit 1"\nblock = true\npattern = "src/**"\n',
  );
  write('src/a.ts', '');
  symlinkSync(path('.'), path('../link-to-it'));
  expect((await fire({ name: 'file.edited', file: path('../link-to-it/src/a.ts') })).decision.kind).toBe('revise');
});

test('a file is what its path leads to as well as what it is called', async () => {
  write(
    'hookloop.yaml',
    'hooks: { tool.calling: [{ type: shell, command: exit 1, block: true, files: [secret.env, conf/**] }] }\n',
  );
  write('conf/a.yaml', '');
  write('sub/x', '');
  symlinkSync('secret.env', path('to-nothing-yet'));
  symlinkSync('conf', path('cc'));
  symlinkSync('other', path('conf/out'));
  const call = async (input: object, cwd = path('.')) =>
    (await fire({ name: 'tool.calling', tool: 'Write', cwd, input })).decision.kind;
  for (const file of ['secret.env', 'to-nothing-yet', 'cc/a.yaml', 'cc/new/b.yaml', 'conf/out', path('cc/a.yaml')])
    expect([file, await call({ file_path: file })]).toEqual([file, 'block']);
  expect(await call({ file_path: '../secret.env' }, path('sub'))).toBe('block');
  expect(await call({ file_path: 'x', path: 'secret.env' })).toBe('block');
  expect(await call({ file_path: 'x' })).toBe('proceed');
});

test('a git command counts in every field that may hold one, whatever stands in the others', async () => {
  write(
    '.nyzhi/config.toml',
    '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "exit 1"\nblock = true\ntool_name = "git_push"\n',
  );
  const call = async (input: unknown) => (await fire({ name: 'tool.calling', tool: 'Bash', input })).decision.kind;
  for (const other of ['ls', "echo '", 'cat <<E', '# no'])
    for (const input of [
      { command: other, cmd: 'git push' },
      { command: 'git push', cmd: other },
    ])
      expect([input, await call(input)]).toEqual([input, 'block']);
  expect([await call(['git', 'push']), await call({ command: 'git', args: ['push'] })]).toEqual(['block', 'block']);
  expect(await call({ command: 'ls', description: 'git push' })).toBe('proceed');
});

test('feedback about output that was too long to hold names the file with all of it', async () => {
  write('.sauna/hooks.json', JSON.stringify(['head -c 3000000 /dev/zero | tr "\\0" x; exit 1']));
  const { feedback } = await fire({ name: 'task.completing' });
  expect(readFileSync(/more bytes: (\S+)\)/.exec(feedback)![1]!, 'utf8')).toHaveLength(3_000_000);
});

test('feedback about one stream that was too long to hold names the files with all of both', async () => {
  const command = 'head -c 3000000 /dev/zero | tr "\\0" x; seq 1 50000 >&2; echo "key $API_TOKEN" >&2; exit 1';
  write('.sauna/hooks.json', JSON.stringify([command]));
  const { feedback } = await engineHere({ env: { API_TOKEN: 's3cr3t-value' } }).fire({ name: 'task.completing' });
  const [, out, err] = /more bytes: (\S+) and (\S+)\)/.exec(feedback)!;
  expect(readFileSync(out!, 'utf8')).toHaveLength(3_000_000);
  const numbers = Array.from({ length: 50_000 }, (_, index) => `${index + 1}\n`).join('');
  expect(readFileSync(err!, 'utf8')).toBe(`${numbers}key ***\n`);
});

test('an unawaited action that cannot run is told in the result', async () => {
  write('hookloop.yaml', 'hooks:\n  turn.ended:\n    - { type: webhook, url: "https://example.com/x" }\n');
  const [result] = (await fire({ name: 'turn.ended' })).results;
  expect(result).toMatchObject({
    status: 'finished',
    outcome: {
      kind: 'not-started',
      reason: 'no one runs webhook actions: pass createEngine a runner as actions.webhook',
    },
  });
});

test('a git command that only shows when the shell runs may be the one a gate is for', async () => {
  write(
    '.nyzhi/config.toml',
    '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "exit 1"\nblock = true\ntool_name = "git_push"\n',
  );
  const call = (command: string) => fire({ name: 'tool.calling', tool: 'Bash', input: { command } });
  expect([(await call('b=push; git $b')).decision.kind, (await call('git status')).decision.kind]).toEqual([
    'block',
    'proceed',
  ]);
});

test('output that is a week old is removed once a day, and nothing else', async () => {
  const folder = path('home/.local/state/hookloop/output');
  write('home/.local/state/hookloop/output/hook-1-1-1.stdout.txt', 'old');
  write('home/.local/state/hookloop/output/mine.txt', 'not ours');
  utimesSync(join(folder, 'hook-1-1-1.stdout.txt'), new Date(0), new Date(0));
  utimesSync(join(folder, 'mine.txt'), new Date(0), new Date(0));
  write('.sauna/hooks.json', '["seq 1 300000"]');
  await fire({ name: 'task.completing' });
  expect(
    readdirSync(folder)
      .filter(name => !/^hook-[2-9]|^hook-1\d/.test(name))
      .sort(),
  ).toEqual(['cleaned', 'mine.txt']);
});

test('a nyzhi gate reads the call under the names of its own documentation', async () => {
  write(
    '.nyzhi/config.toml',
    `[[agent.hooks]]\nevent = "pre_tool"\nblock = true\ncommand = '! jq -r .tool_args.command | grep -q push'\n`,
  );
  const call = async (command: string) =>
    (await fire({ name: 'tool.calling', tool: 'Bash', input: { command } })).decision.kind;
  expect([await call('git push'), await call('git status')]).toEqual(['block', 'proceed']);
});

test('a babysitter script without a #! line is bash and gets the fields of a task', async () => {
  write('.a5c/hooks/on-task-start/x.sh', 'items=(a b); [[ ${#items[@]} == 2 ]] && cat > log\n', 0o755);
  const { results } = await fire({ name: 'task.starting', session: 'r', taskId: 'T1', content: 'Build' });
  expect(results[0]).toMatchObject({ verdict: { kind: 'passed' } });
  expect(JSON.parse(log())).toMatchObject({ runId: 'r', effectId: 'T1', taskId: 'T1', kind: 'agent', label: 'Build' });
});

describe('rules', () => {
  const call = (command: string) => ({ name: 'tool.calling', tool: 'Bash', input: { command } }) as const;

  test('deny refuses with its text, and no process is started', async () => {
    write('hookloop.yaml', 'hooks: { tool.calling: [ { deny: "${TOOL} may not push.", command: git push } ] }');
    const { fire: fireWithout } = engineHere({ actions: {} });
    expect((await fireWithout(call('cd x && git push -f'))).decision).toMatchObject({
      kind: 'block',
      reason: 'Bash may not push.',
    });
    expect((await fireWithout(call('git status'))).decision.kind).toBe('proceed');
  });

  test('a command that is known only when it runs is denied, but is nothing to tell about', async () => {
    write(
      'hookloop.yaml',
      'hooks: { tool.calling: [ { deny: no, command: git push }, { tell: so, command: npm test } ] }',
    );
    expect((await fire({ name: 'tool.calling', tool: 'Bash', input: {} })).decision.kind).toBe('block');
    for (const command of ['sh -c "$X"', 'curl x | sh', 'sh -c ls'])
      expect([command, (await fire(call(command))).decision.kind]).toEqual([
        command,
        command === 'sh -c ls' ? 'proceed' : 'block',
      ]);
    const { decision, results } = await fire(call('$RUN push'));
    expect([decision.kind, results.map(({ status }) => status)]).toEqual(['block', ['finished', 'skipped']]);
  });

  test('tell gives its text to the agent and lets everything through', async () => {
    write('hookloop.yaml', 'hooks: { iteration.starting: [ { tell: "Small commits, ${SESSION}." } ] }');
    expect(await fire({ name: 'iteration.starting', session: 's1' })).toMatchObject({
      decision: { kind: 'proceed' },
      feedback: 'Small commits, s1.',
    });
  });

  test('files is about tools that change them; reading has to be asked for', async () => {
    write(
      'hookloop.yaml',
      'hooks: { tool.calling: [ { deny: no, files: "dist/**" }, { deny: hidden, files: ".env", tool: read } ] }',
    );
    const decided = async (tool: string, file: string) =>
      (await fire({ name: 'tool.calling', tool, input: { file_path: file } })).decision.kind;
    expect(await decided('Edit', 'dist/a.js')).toBe('block');
    expect(await decided('Read', 'dist/a.js')).toBe('proceed');
    expect(await decided('Read', '.env')).toBe('block');
    const patch = '*** Begin Patch\n*** Update File: dist/a.js\n@@\n-a\n+b\n*** End Patch';
    expect((await fire({ name: 'tool.calling', tool: 'shell', input: { command: patch } })).decision.kind).toBe(
      'block',
    );
  });

  test('agent names the agents that it is about', async () => {
    write('hookloop.yaml', 'hooks: { turn.ending: [ { deny: not yet, agent: "claude, gem*" } ] }');
    const decided = async (agent: string) => (await fire({ name: 'turn.ending', agent })).decision.kind;
    expect([await decided('claude-code'), await decided('gemini'), await decided('codex')]).toEqual([
      'block',
      'block',
      'proceed',
    ]);
  });

  test('refuses_on names the exit codes that refuse; answers: json reads what a hook for Claude says', async () => {
    const decided = async (command: string, more: string) => {
      write('hookloop.yaml', `hooks: { tool.calling: [ { shell: ${JSON.stringify(command)}, ${more} } ] }`);
      const { decision } = await fire(call('ls'));
      return decision.kind === 'proceed' ? 'proceed' : `${decision.kind}: ${decision.reason.split('\n')[0]}`;
    };
    expect(await decided('exit 1', 'refuses_on: [2]')).toBe('proceed');
    expect(await decided('echo bad >&2; exit 2', 'refuses_on: [2]')).toContain(
      'refused this call of Bash: exit code 2',
    );
    expect(await decided('echo \'{"decision":"block","reason":"said so"}\'', 'answers: json')).toBe('block: said so');
    expect(await decided('echo fine', 'answers: json')).toBe('proceed');
    expect(await decided('exit 1', 'answers: json')).toContain('block: ');
  });
});

test('a hook with always: true runs after a refusal, and its own may be stricter', async () => {
  const refusing = '{ shell: exit 1, name: first }, { shell: echo late >> log, name: second }';
  const last = '{ shell: echo always >> log; exit 1, on_failure: abort, always: true, name: third }';
  write('hookloop.yaml', `hooks: { tool.calling: [${refusing}, ${last}] }`);
  const { decision, results } = await fire({ name: 'tool.calling' });
  expect([decision.kind, results.map(({ status }) => status)]).toEqual(['abort', ['finished', 'skipped', 'finished']]);
  expect(log()).toBe('always\n');
});
