// npm run bench [-- --quick] [-- --print] [-- nodes | rules | commands | journal | view | checkpoints]: measures everything in docs/performance.md and writes its tables; `nodes`, `rules`: prints `dispatch` on each Node alone; `commands`: those that people wait for; `journal`: what a journal of 1 GB costs; `view`: what the live view costs; `checkpoints`: one of a repository of 20,000 files.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cleanMemory } from '../scripts/memory.mjs';
import { installDependencies, installNode, root, supportedNodes } from '../scripts/setup.mjs';
import { dialectProjects, writeProject } from './projects.mjs';
import { commandsTable, nodesTable, rulesTable, tables } from './tables.mjs';

const quick = process.argv.includes('--quick');
const rounds = quick ? 5 : 41;

installDependencies();
const { build } = await import('esbuild');
const { bundleProgram } = await import('../scripts/bundle.mjs');
const { measureCold, measureNode } = await import('./cold.mjs');
const { checkpointsTable, measureCheckpoints } = await import('./checkpoints.mjs');
const { measureCommands } = await import('./commands.mjs');
const { measureMemory } = await import('./memory.mjs');
const { installLefthook } = await import('./lefthook.mjs');
const { journalTable, measureJournal } = await import('./journal.mjs');
const { measureLoop } = await import('./loop.mjs');
const { measurePeople } = await import('./people.mjs');
const { measureRules } = await import('./rules.mjs');
const { measureServe } = await import('./serve.mjs');
const { measureView } = await import('./view.mjs');

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-bench-')));
try {
  await bundleProgram({ root, outdir: join(folder, 'bin'), version: 'bench', build: `bench ${Date.now()}` });
  const program = join(folder, 'bin/hookloop.cjs');
  if (process.argv.includes('nodes')) console.log(nodesTable(await onEachNode(program, 'node', measureNode)));
  else if (process.argv.includes('rules')) console.log(rulesTable(await onEachNode(program, 'rules', measureRules)));
  else if (process.argv.includes('commands'))
    console.log(commandsTable(await measureCommands({ folder: join(folder, 'commands'), program, rounds })));
  else if (process.argv.includes('journal'))
    console.log(
      journalTable(await measureJournal({ folder: join(folder, 'journal'), program, megabytes: quick ? 50 : 1000 })),
    );
  else if (process.argv.includes('view'))
    console.log(await measureView({ folder: join(folder, 'view'), program, quick }));
  else if (process.argv.includes('checkpoints')) console.log(checkpointsTable(await checkpointsOfLoop()));
  else await measureAll(program);
} finally {
  rmSync(folder, { recursive: true, force: true });
  cleanMemory();
}

async function measureAll(program) {
  const dispatcher = join(root, 'bench/shell-dispatcher.sh');
  const lefthook = installLefthook(join(folder, 'lefthook'));
  say('whole processes ...');
  const cold = await measureCold({ folder: join(folder, 'cold'), program, rounds, dispatcher, lefthook });
  say('each Node ...');
  const nodes = await onEachNode(program, 'node', measureNode);
  const rules = await onEachNode(program, 'rules', measureRules);
  say('commands ...');
  const commands = await measureCommands({ folder: join(folder, 'commands'), program, rounds });
  say('serve ...');
  const launcherText = await importBundled('src/serve/launcher.ts', 'launcherText');
  const serve = await measureServe({ folder: join(folder, 'serve'), program, rounds, launcherText, lefthook });
  say('in process ...');
  const inProcess = await measureInProcess();
  say('memory ...');
  const memoryMb = await measureMemory({ folder: join(folder, 'memory'), program });
  say('the loop ...');
  const loop = await measureLoop({ folder: join(folder, 'loop'), program, rounds, quick });
  say('the live view ...');
  const view = await measureView({ folder: join(folder, 'view'), program, quick });
  say('checkpoints ...');
  const checkpoints = await checkpointsOfLoop();
  say('webhooks and approvals ...');
  const people = await measurePeople({ folder: join(folder, 'people'), program, quick });
  const text = tables({
    cold,
    nodes,
    commands,
    rules,
    serve,
    hasPeer: lefthook !== undefined,
    inProcess,
    memoryMb,
    loop: { ...loop, view },
    checkpoints: checkpointsTable(checkpoints),
    people,
    rounds,
    machine: machineOf(),
  });
  console.log(text);
  if (!quick && !process.argv.includes('--print')) writeInto(join(root, 'docs/performance.md'), text);
}

async function checkpointsOfLoop() {
  const checkpoint = await importBundled('src/loop/checkpoints.ts', 'checkpoint');
  return measureCheckpoints({ folder: join(folder, 'checkpoints'), rounds, checkpoint });
}

async function onEachNode(program, name, measure) {
  const measured = [];
  for (const version of supportedNodes) {
    const node = installNode(version);
    if (node === undefined) continue;
    const rows = await measure({ node, folder: join(folder, `${name}-${version}`), program, rounds });
    measured.push({ version: execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1), rows });
  }
  return measured;
}

/** The library inside a process, bundled the way a program that embeds it would be. */
async function measureInProcess() {
  const bundle = join(root, 'node_modules', `.hookloop-bench-${process.pid}.mjs`);
  const { project, home } = writeProject(join(folder, 'in-process'), {
    ...dialectProjects.sauna.files(10),
    ...dialectProjects.claude.files(10),
  });
  await build({
    entryPoints: [join(root, 'bench/in-process.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  try {
    const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' };
    return JSON.parse(execFileSync(process.execPath, [bundle, String(rounds), project], { env, encoding: 'utf8' }));
  } finally {
    rmSync(bundle, { force: true });
  }
}

/** One thing of the source, which Node 20 cannot import as it is. */
async function importBundled(path, name) {
  const outfile = join(folder, `${name}.mjs`);
  await build({ entryPoints: [join(root, path)], outfile, bundle: true, platform: 'node', format: 'esm' });
  return (await import(pathToFileURL(outfile).href))[name];
}

function writeInto(file, text) {
  const [before, rest] = readFileSync(file, 'utf8').split('<!-- measured -->');
  const after = rest?.split('<!-- /measured -->')[1];
  if (after === undefined) throw new Error(`${file} has lost its markers`);
  writeFileSync(file, `${before}<!-- measured -->\n\n${text}\n\n<!-- /measured -->${after}`);
}

function machineOf() {
  return `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores`;
}

function say(text) {
  console.error(text);
}
