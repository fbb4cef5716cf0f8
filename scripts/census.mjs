// node scripts/census.mjs [--at TREE]... [--paths] [--list PATH] [--json]: how much source there is, and how far an event travels in it.
// TREE is a commit or the folder of a checkout, this one unless something else is said; more than one make more columns.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { paths, walkPaths } from './census/paths.mjs';
import { countTree, definition } from './census/tree.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    at: { type: 'string', multiple: true, default: ['.'] },
    paths: { type: 'boolean', default: false },
    list: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
if (options.list !== undefined && !(options.list in paths)) {
  console.error(`--list takes one of ${Object.keys(paths).join(', ')}`);
  process.exit(64);
}

const temporary = mkdtempSync(join(tmpdir(), 'hookloop-census-'));
try {
  const trees = [];
  for (const [index, at] of options.at.entries()) trees.push(await measure(at, join(temporary, String(index))));
  if (options.json) console.log(JSON.stringify({ definition, trees }, null, 2));
  else if (options.list === undefined) printTable(trees);
  else for (const { walked } of trees) for (const file of walked[options.list] ?? []) console.log(file);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

async function measure(at, folder) {
  mkdirSync(folder);
  const tree = existsSync(resolve(root, at, 'src')) ? resolve(root, at) : checkOut(at, join(folder, 'tree'));
  const names = options.list === undefined ? Object.keys(options.paths ? paths : {}) : [options.list];
  const { walked, failed } = names.length === 0 ? {} : await walkPaths(names, tree, folder);
  for (const [name, why] of Object.entries(failed ?? {})) {
    console.error(`${name} at ${at}: ${why}`);
    process.exitCode = 1;
  }
  return { at, ...countTree(tree), ...(walked && { walked }) };
}

function checkOut(commit, folder) {
  mkdirSync(folder);
  execFileSync('git', ['-C', root, 'archive', `--output=${folder}.tar`, commit, 'src', 'test']);
  execFileSync('tar', ['-xf', `${folder}.tar`, '-C', folder]);
  return folder;
}

/** As Markdown, so that it can stand in docs/architecture.md. */
function printTable(trees) {
  const rows = [
    ['files', tree => tree.files],
    ['lines', tree => tree.lines],
    ['median lines of a file', tree => tree.medianLines],
    ['lines of the largest file', ({ largestFile: { file, lines } }) => `${lines} (${file})`],
    ['files with exactly one importer', tree => tree.oneImporterFiles],
    ['files under 50 lines', tree => tree.filesUnder50Lines],
    ['folders, with src itself', tree => tree.folders],
    ['parts (folders directly under src)', tree => tree.parts],
    ['files directly under src', tree => tree.topFiles],
    ['dependencies from folder to folder', tree => tree.folderDependencies],
    ['dependencies from part to part', tree => tree.partDependencies],
    ['groups of parts that import each other', tree => tree.partCycles.length],
    ['groups of files that import each other', tree => tree.cycles.length],
    ['files in such groups', tree => tree.cycles.flat().length],
    ['test files (`*.test.ts`)', tree => tree.testFiles],
    ['lines of test files', tree => tree.testLines],
  ];
  printRows('', rows, trees);
  if (options.paths) {
    console.log();
    const walks = Object.entries(paths).map(([name, { title }]) => [
      title,
      tree => tree.walked[name]?.length ?? 'failed',
    ]);
    printRows('source files at work', walks, trees);
  }
  console.log(`\n${definition[0].toUpperCase()}${definition.slice(1)}.`);
  for (const tree of trees)
    for (const group of [...tree.partCycles, ...tree.cycles])
      console.log(`\nimport each other (${nameOf(tree)}): ${group.join(', ')}`);
}

function nameOf({ at }) {
  return at === '.' ? 'now' : at;
}

function printRows(heading, rows, trees) {
  const cells = [
    [heading, ...trees.map(nameOf)],
    ['---', ...trees.map(() => '---')],
  ];
  for (const [title, count] of rows) cells.push([title, ...trees.map(tree => String(count(tree)))]);
  const widths = cells[0].map((_, column) => Math.max(...cells.map(row => row[column].length)));
  for (const row of cells)
    console.log(
      `| ${row.map((cell, column) => cell.padEnd(widths[column], cell === '---' ? '-' : ' ')).join(' | ')} |`,
    );
}
