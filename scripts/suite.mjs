import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from './setup.mjs';

/** Runs vitest once with a Node. `failed` names what failed, to be said last: a long output is read from its end. */
export function runSuite(node, args, env = process.env) {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-report-'));
  const report = join(folder, 'report.json');
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile.json=${report}`, ...args];
  const { status } = spawnSync(node, words, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const files = readReport(report);
  rmSync(folder, { recursive: true, force: true });
  const failed = files.flatMap(failuresOf);
  const passed = files.flatMap(({ assertionResults }) =>
    assertionResults.filter(each => each.status === 'passed'),
  ).length;
  return { passed, failed, isGood: status === 0 && files.length > 0 };
}

function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    return [];
  }
}

/** A file that could not even be loaded has no tests to count: it is one failure itself. */
function failuresOf({ name, status, assertionResults }) {
  if (status === 'passed') return [];
  const file = relative(root, name);
  const tests = assertionResults
    .filter(each => each.status === 'failed')
    .map(({ fullName }) => `${file} > ${fullName}`);
  return tests.length > 0 ? tests : [file];
}
