import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureInTurn } from './measure.mjs';
import { writeProject } from './projects.mjs';

const sessions = 1000;
const calls = 10_000;

/** Commands that a person waits for, whole processes in turn. Returns rows `{ name, ms, ratio, boundMs? }`. */
export async function measureCommands({ folder, program, rounds }) {
  const place = writeProject(folder, {
    'package.json': JSON.stringify({ scripts: { test: 'node --test', lint: 'eslint .' } }),
    '~/bin/hookloop': `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`,
  });
  chmodSync(join(place.home, 'bin/hookloop'), 0o755);
  for (let at = 0; at < sessions; at += 1) {
    const session = join(place.project, '.hookloop/sessions', `session-${at}`);
    mkdirSync(session, { recursive: true });
    writeFileSync(join(session, 'journal.jsonl'), '{}\n');
  }
  const cases = casesOf(place, program);
  for (const { name, before, run } of cases) {
    before?.();
    const { status, stderr } = run();
    if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
  }
  const measured = await measureInTurn(
    cases.map(({ name, before, run }) => ({ name, run: () => timed(before, run) })),
    { rounds, base: 'node -e 0' },
  );
  return measured.map((row, at) => ({ ...row, boundMs: cases[at].boundMs }));
}

function casesOf({ project, home }, program) {
  const env = { PATH: `${home}/bin:${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8' };
  const runOf = (file, args) => () => spawnSync(file, args, { cwd: project, env, encoding: 'utf8' });
  const hookloop = (...args) => runOf(process.execPath, [program, ...args]);
  const script = join(home, 'completion.bash');
  writeFileSync(script, hookloop('completion', 'bash')().stdout);
  const complete = '. "$1"; COMP_WORDS=(hookloop show session-99); COMP_CWORD=2; _hookloop; [ ${#COMPREPLY[@]} = 11 ]';
  const removeFile = () => rmSync(join(project, 'hookloop.yaml'), { force: true });
  return [
    { name: 'node -e 0', run: runOf(process.execPath, ['-e', '0']) },
    { name: 'hookloop completion bash', run: hookloop('completion', 'bash'), boundMs: 300 },
    {
      name: `the name of one of ${sessions} sessions, completed in bash`,
      run: runOf('bash', ['--norc', '-c', complete, 'bash', script]),
      boundMs: 100,
    },
    {
      name: 'hookloop init --yes',
      before: removeFile,
      run: hookloop('init', '--yes'),
      boundMs: 300,
    },
    { name: 'hookloop check', run: hookloop('check'), boundMs: 300 },
    { name: 'hookloop --help', run: hookloop('--help'), boundMs: 300 },
    {
      name: `\`hookloop backtest\` of ${calls.toLocaleString('en-GB')} calls with four rules`,
      run: hookloop('backtest', '-C', writeCalls(home), 'calls.jsonl'),
    },
  ];
}

/** A transcript of Claude Code with what agents run most, and results of the usual length between the calls. */
function writeCalls(home) {
  const folder = join(home, 'tried');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'hookloop.yaml'),
    `hooks:
  tool.calling:
    - { deny: CI pushes., command: git push }
    - { ask: Delete it?, command: rm -rf }
    - { deny: It is generated., files: "dist/**" }
    - { tell: Small steps., when: "AGENT == 'codex'" }
`,
  );
  const commands = [
    'npm test',
    'git status',
    'git push origin main',
    'ls -la src && cat a.txt',
    'sed -n 1,20p a | head',
  ];
  const result = JSON.stringify({
    type: 'user',
    message: { content: [{ type: 'tool_result', content: 'x'.repeat(4000) }] },
  });
  const lines = Array.from({ length: calls }, (_, at) => {
    const input = { command: commands[at % commands.length] };
    const content = [{ type: 'tool_use', id: `toolu_${String(at).padStart(20, '0')}`, name: 'Bash', input }];
    return `${JSON.stringify({ type: 'assistant', cwd: folder, sessionId: 's', message: { content } })}\n${result}\n`;
  });
  writeFileSync(join(folder, 'calls.jsonl'), lines.join(''));
  return folder;
}

function timed(before, run) {
  before?.();
  const from = process.hrtime.bigint();
  run();
  return Number(process.hrtime.bigint() - from) / 1e6;
}
