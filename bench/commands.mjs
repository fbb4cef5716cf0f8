import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureInTurn } from './measure.mjs';
import { writeProject } from './projects.mjs';

const sessions = 1000;

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
  ];
}

function timed(before, run) {
  before?.();
  const from = process.hrtime.bigint();
  run();
  return Number(process.hrtime.bigint() - from) / 1e6;
}
