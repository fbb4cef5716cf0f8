// npm run demo: sets everything up, then shows the dispatcher on a small project in a temporary folder.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { installDependencies, root } from './setup.mjs';

const program = join(root, 'dist/bin/hookloop.cjs');

installDependencies();
buildIfNeeded();
const folder = mkdtempSync(join(tmpdir(), 'hookloop-demo-'));
const [project, home] = [join(folder, 'shop'), join(folder, 'home')];
mkdirSync(home);
try {
  tellStory();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function tellStory() {
  write('.sauna/hooks.json', '["node --check price.js", "! grep -n TODO price.js"]\n');
  write(
    '.iteratr.hooks.yml',
    'hooks:\n  pre_iteration:\n    - command: echo "Iteration {{iteration}} of {{session}}"\n',
  );
  write(
    '.nyzhi/config.toml',
    '[[agent.hooks]]\nevent = "pre_tool"\ntool_name = "git_push"\nblock = true\ncommand = "echo only people push; exit 1"\n',
  );
  write('.a5c/hooks/on-iteration-start/announce.sh', '#!/bin/sh\necho "a script hears of it too" >&2\n', 0o755);
  write('price.js', 'export const price = net => net * 1.19; // TODO rounding\n');

  say('A project with hook files of four systems. What would run here?');
  hookloop('list', { expect: 0 });

  say('One event reaches the hooks of every system. Their log is on stderr, the result is JSON on stdout:');
  hookloop('dispatch pre_iteration', { payload: { session: 'demo', iteration: 1 }, expect: 0 });

  say('A task is done, says the agent. The gates of sauna disagree (exit code 2), and the feedback says why:');
  const task = { taskId: '7', content: 'Prices with tax' };
  hookloop('dispatch task.completing', { payload: task, show: 'feedback', expect: 2 });

  say('The agent mends price.js. All gates run again from the first, and the task may be completed:');
  write('price.js', 'export const price = net => Math.round(net * 119) / 100;\n');
  hookloop('dispatch task.completing', { payload: task, show: 'decision', expect: 0 });

  say('The agent wants to push. The hook of nyzhi refuses the tool call:');
  hookloop('dispatch PreToolUse', {
    payload: { tool_name: 'Bash', tool_input: { command: 'cd shop && git push origin main' } },
    show: 'decision',
    expect: 2,
  });

  say('A hook file with mistakes. check shows each with its place and what to write instead (exit code 78):');
  write(
    '.iteratr.hooks.yml',
    'hooks:\n  pre_iteration:\n    - command: echo hello\n      timeout: 30s\n      pipe_ouput: true\n',
  );
  hookloop('check', { expect: 78 });

  say('That is the dispatcher. `node dist/bin/hookloop.cjs --help` shows all commands.');
}

function buildIfNeeded() {
  const names = readdirSync(join(root, 'src'), { recursive: true }).filter(name => /^[^.]+\.ts$/.test(name));
  const sources = [...names.map(name => join(root, 'src', name)), join(root, 'package.json')];
  const changedAt = Math.max(...sources.map(file => statSync(file).mtimeMs));
  if (existsSync(program) && statSync(program).mtimeMs > changedAt) return;
  console.error('Building ...');
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: ['ignore', 2, 2] });
}

function write(path, text, mode = 0o644) {
  const file = join(project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

function say(text) {
  console.log(`\n# ${text}`);
}

/** Runs a command as a person would; `show` prints that part of the JSON result alone. */
function hookloop(line, { payload, show, expect }) {
  console.log(
    `$ hookloop ${line}${payload ? ` <<< '${JSON.stringify(payload)}'` : ''}${show ? ` | jq -r .${show}` : ''}`,
  );
  const { HOME: _, NODE_EXTRA_CA_CERTS: __, ...rest } = process.env;
  const env = Object.fromEntries(Object.entries(rest).filter(([name]) => !/^(XDG_|CLAUDE_|REPO_ROOT)/.test(name)));
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...line.split(' ')], {
    cwd: project,
    env: { ...env, HOME: home },
    input: payload ? JSON.stringify(payload) : '',
    encoding: 'utf8',
  });
  process.stdout.write(stderr + (show ? shown(JSON.parse(stdout)[show]) : stdout));
  if (status === expect) return;
  console.error(`The demo is broken: exit code ${status}, not ${expect}.`);
  process.exitCode = 1;
}

function shown(value) {
  return `${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n`;
}
