import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transform } from 'esbuild';
import { parseAst } from 'vite';
import { sourceIn } from './tree.mjs';

/**
 * Builds the program of a tree so that it records which of its source files work, and when: what coverage of V8 tells, with the
 * time, so that the way of one event can be cut out of a session. Each source file becomes one file; every function of
 * it notes at its start, and behind each `await`, that its file works. That a module is loaded is no work.
 */
export async function buildRecorded(root, folder) {
  mkdirSync(folder);
  const recorder = join(folder, 'recorder.js');
  const trace = join(folder, 'trace');
  writeFileSync(recorder, recorderText(trace));
  writeFileSync(trace, '');
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  for (const { file, text } of sourceIn(root)) {
    const output = join(folder, 'src', file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, await recordedText(file, text, recorder));
  }
  const bin = join(folder, 'src/bin');
  for (const part of ['main', 'dispatch'])
    writeFileSync(join(bin, `${part}.cjs`), partText(join(bin, `${part}.js`), root));
  return { program: join(bin, 'hookloop.js'), filesBetween: (from, to) => filesBetween(trace, from, to) };
}

/** The files that worked between two times of `process.hrtime.bigint()`, in the order of their first use. */
function filesBetween(trace, from, to) {
  const lines = readFileSync(trace, 'utf8').split('\n').slice(0, -1);
  const noted = lines.map(line => line.split(' ')).map(([at, file]) => ({ at: BigInt(at), file }));
  const inTime = noted.filter(({ at }) => at >= from && at <= to).sort((a, b) => (a.at < b.at ? -1 : 1));
  return [...new Set(inTime.map(({ file }) => file))];
}

/** Loaded once in each process of the program; a line for every change from one file to another. */
const recorderText = trace => `
const { openSync, writeSync } = require('node:fs');
const trace = openSync(${JSON.stringify(trace)}, 'a');
let last = '';
module.exports = file => value => {
  if (last !== file) writeSync(trace, process.hrtime.bigint() + ' ' + (last = file) + '\\n');
  return value;
};
`;

async function recordedText(file, text, recorder) {
  const plain = await transform(text, {
    loader: 'ts',
    format: 'esm',
    target: 'node20.19',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    define: {
      __HOOKLOOP_VERSION__: '"0.0.0-census"',
      __HOOKLOOP_BUILD__: '"census"',
      __HOOKLOOP_OUTERMOST__: String(process.pid),
    },
  });
  const { code } = await transform(withNotes(plain.code), {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    supported: { 'dynamic-import': false },
    banner: `const $note = require(${JSON.stringify(recorder)})(${JSON.stringify(file)});`,
  });
  return code;
}

/** Puts the notes into a module, and lets its imports lead to the files that come of the others. */
function withNotes(code) {
  const edits = [];
  const put = (at, text, until = at) => edits.push({ at, text, until });
  const around = (node, before, after, visitInner) => {
    put(node.start, before);
    visitInner();
    put(node.end, after);
  };
  const visit = node => {
    const { type, body, source } = node;
    const inner = () => childrenOf(node).forEach(visit);
    if (source?.value?.startsWith?.('.')) put(source.end - '.ts"'.length, '.js', source.end - 1);
    if (type === 'AwaitExpression') return around(node, '$note(', ')', inner);
    if (/Function/.test(type) && body.type !== 'BlockStatement') {
      node.params.forEach(visit);
      return around(body, '($note(), ', ')', () => visit(body));
    }
    if (/Function/.test(type) || (type === 'ForOfStatement' && node.await && body.type === 'BlockStatement'))
      put(body.start + 1, '$note();');
    inner();
  };
  visit(parseAst(code));
  let result = '';
  let at = 0;
  for (const edit of edits.sort((a, b) => a.at - b.at)) {
    result += code.slice(at, edit.at) + edit.text;
    at = edit.until;
  }
  return result + code.slice(at);
}

const childrenOf = node =>
  Object.values(node)
    .flat()
    .filter(value => typeof value?.type === 'string');

/** What bin/hookloop.ts finds where the bundles of the program stand: until 0.1.0 a plain script, then a function. */
function partText(file, root) {
  const start = `require(${JSON.stringify(file)});`;
  const wrapsItself = readFileSync(join(root, 'src/bin/hookloop.ts'), 'utf8').includes('`(function (exports');
  return wrapsItself ? start : `(function (exports, require) { ${start} })`;
}
