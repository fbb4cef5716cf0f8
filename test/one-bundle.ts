import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { cleanMemory } from '../scripts/memory.mjs';

const variable = 'HOOKLOOP_TEST_BUNDLE';
const limitMs = 60_000;

/** For the time of a run there is a folder with one bundle for all test files. The first that needs it makes it. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-bundle-'));
  process.env[variable] = folder;
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  // The source has changed.
  project.onTestsRerun(() => {
    remove();
    mkdirSync(folder);
  });
  return () => {
    remove();
    cleanMemory();
  };
}

/** Copies the bundle of this run to a folder, so that whoever spoils it spoils only the copy. */
export async function copyBundle(outdir: string, bundle: (outdir: string) => Promise<Metafile>): Promise<Metafile> {
  const shared = process.env[variable];
  if (shared === undefined) return bundle(outdir);
  const made = join(shared, 'made');
  for (const endMs = performance.now() + limitMs; !existsSync(made); await new Promise(next => setTimeout(next, 20))) {
    if (performance.now() > endMs) throw new Error(`no one has bundled the program in ${limitMs} ms`);
    if (isFirst(shared, made)) await makeBundle(shared, made, bundle);
  }
  cpSync(join(made, 'bin'), outdir, { recursive: true });
  return JSON.parse(readFileSync(join(made, 'metafile.json'), 'utf8')) as Metafile;
}

/** Gives a home the code that V8 has made of the program in this run: every test has a home of its own, and would compile it anew. */
export function shareCode(home: string): void {
  const shared = process.env[variable];
  const cache = join(home, '.cache');
  if (shared === undefined || !existsSync(home) || existsSync(cache)) return;
  for (const folder of [cache, join(cache, 'hookloop')]) {
    mkdirSync(folder);
    // Some tests run the program as another user.
    chmodSync(folder, 0o777);
  }
  symlinkSync(join(shared, 'made/home/.cache/hookloop/code'), join(cache, 'hookloop/code'));
}

function isFirst(shared: string, made: string): boolean {
  const making = join(shared, 'making');
  try {
    mkdirSync(making);
    if (!existsSync(made)) return true;
    // It was finished between our look and now, and its folder has the other name.
    rmSync(making, { recursive: true });
    return false;
  } catch {
    return false;
  }
}

async function makeBundle(shared: string, made: string, bundle: (outdir: string) => Promise<Metafile>): Promise<void> {
  const making = join(shared, 'making');
  try {
    const metafile = await bundle(join(making, 'bin'));
    writeFileSync(join(making, 'metafile.json'), JSON.stringify(metafile));
    keepCode(making);
    renameSync(making, made);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    throw error;
  }
}

/** Runs the commands that tests start most, so that nearly all parts of the program are loaded once. That one fails is for the tests to find. */
function keepCode(making: string): void {
  const [home, project] = [join(making, 'home'), join(making, 'project')];
  for (const folder of [home, join(project, '.git')]) mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(seedFiles)) writeFileSync(join(project, name), text);
  for (const [command, input] of seedCommands)
    spawnSync(process.execPath, [join(making, 'bin/hookloop.cjs'), ...command.split(' ')], {
      ...{ cwd: project, env: { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8' }, input, timeout: limitMs },
    });
  rmSync(project, { recursive: true });
}

const hook = '{ type: shell, await: true, command: echo heard }';
const seedFiles = {
  'script.yaml': 'turns: [{ text: done, tools: [{ name: Write, input: { file_path: a, content: b } }] }]',
  'hookloop.yaml': `hooks: { session.starting: [${hook}], tool.calling: [${hook}], turn.ended: [${hook}] }`,
  'config.toml': '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "true"\nblock = true\n',
  'tasks.md': '- [x] one\n',
};
const call = JSON.stringify({ session_id: 's', tool_name: 'Bash', tool_input: { command: 'ls' } });
const seedCommands: [command: string, input: string][] = [
  ['trust --yes', ''],
  ['install claude', ''],
  ['run --agent scripted:script.yaml --session s --prompt work --tasks tasks.md', ''],
  ['runs', ''],
  ['dispatch tool.calling', '{"tool":"Bash"}'],
  ['dispatch tool.calling', '{"tool":"Bash"}'],
  ['hook claude PreToolUse', call],
  ['hook claude PreToolUse', call],
];
