import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** What the counts are about, in words. */
export const definition =
  'source is src/**/*.ts without *.test.ts and without folders called fixtures; imports of types count as imports';

/** Counts a tree, row by row of the table; `cycles` names the files of each group that import each other in a circle. */
export function countTree(root) {
  const files = readSource(root);
  const tests = ['src', 'test'].flatMap(folder => textsIn(join(root, folder)).filter(isTest));
  const lines = files.map(file => file.lines).sort((a, b) => a - b);
  const largest = files.reduce((most, file) => (file.lines > most.lines ? file : most));
  const imports = files.flatMap(({ file, imports }) => imports.map(target => [file, target]));
  const importers = imports.map(([, target]) => target);
  const parts = new Set(files.map(({ file }) => partOf(file)));
  const topFiles = [...parts].filter(part => part.endsWith('.ts'));
  return {
    files: files.length,
    lines: sum(lines),
    medianLines: median(lines),
    largestFile: { file: largest.file, lines: largest.lines },
    oneImporterFiles: files.filter(({ file }) => importers.filter(target => target === file).length === 1).length,
    filesUnder50Lines: lines.filter(count => count < 50).length,
    folders: foldersOf(files.map(({ file }) => file)).size,
    parts: parts.size - topFiles.length,
    topFiles: topFiles.length,
    folderDependencies: edgesBetween(imports, dirname).length,
    partDependencies: edgesBetween(imports, partOf).length,
    partCycles: circlesIn(edgesBetween(imports, partOf)),
    cycles: circlesIn(imports),
    testFiles: tests.length,
    testLines: sum(tests.map(({ text }) => linesOf(text))),
  };
}

/** The source files of a tree with their texts, named as they stand below src. */
export const sourceIn = root =>
  textsIn(join(root, 'src')).filter(found => !isTest(found) && !/(^|\/)fixtures\//.test(found.file));

/** Each with its lines and the other source files that it imports. */
function readSource(root) {
  const texts = sourceIn(root);
  const known = new Set(texts.map(({ file }) => file));
  return texts.map(({ file, text }) => {
    const targets = [...text.matchAll(/(\bimport\(|\bfrom |^import )'(\.[^']+)'/gm)].map(([, , path]) =>
      normalize(join(dirname(file), path)),
    );
    return { file, lines: linesOf(text), imports: [...new Set(targets)].filter(target => known.has(target)) };
  });
}

function textsIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
    .map(path => ({ file: path.slice(folder.length + 1), text: readFileSync(path, 'utf8') }));
}

const isTest = ({ file }) => file.endsWith('.test.ts');
const linesOf = text => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
const sum = numbers => numbers.reduce((total, number) => total + number, 0);
const median = sorted => (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
/** A file directly under src is a part of its own. */
const partOf = file => file.split('/')[0];

/** src and every folder below it that holds source, itself or in a folder of its own. */
function foldersOf(files) {
  const folders = new Set(['.']);
  for (const file of files)
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  return folders;
}

/** Who depends on whom when files are put together as `groupOf` says, each pair once. */
function edgesBetween(imports, groupOf) {
  const edges = new Map();
  for (const [from, to] of imports.map(edge => edge.map(groupOf)))
    if (from !== to) edges.set(`${from} ${to}`, [from, to]);
  return [...edges.values()];
}

/** The groups in which each one reaches all others and itself. */
function circlesIn(edges) {
  const next = new Map();
  for (const [from, to] of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const reached = new Map([...next.keys()].map(node => [node, reachedFrom(node, next)]));
  const groups = new Map();
  for (const [node, others] of reached) {
    const group = [...others].filter(other => reached.get(other)?.has(node)).sort();
    if (others.has(node)) groups.set(group[0], group);
  }
  return [...groups.values()];
}

function reachedFrom(node, next) {
  const reached = new Set(next.get(node));
  for (const one of reached) for (const other of next.get(one) ?? []) reached.add(other);
  return reached;
}
