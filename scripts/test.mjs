// npm test [-- VITEST ARGUMENTS]: installs what is missing, runs the tests, and ends with a line that counts them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installDependencies, installPrograms, root } from './setup.mjs';

installDependencies();
installPrograms();

const folder = mkdtempSync(join(tmpdir(), 'hookloop-report-'));
/** So few may have been unlucky on a busy machine: real processes, signals and browsers take their time. */
const maxUnlucky = 3;

let { files, isDone } = runTests(process.argv.slice(2));
const failed = files.filter(({ isGood }) => !isGood);
if (failed.length > 0 && failed.length <= maxUnlucky) {
  const names = failed.map(({ name }) => name);
  console.log(`!!! once more, by themselves: ${names.join(', ')}`);
  const again = runTests(names);
  files = [...files.filter(({ isGood }) => isGood), ...again.files];
  isDone = again.isDone;
}
rmSync(folder, { recursive: true, force: true });
const sum = key => files.reduce((total, file) => total + file[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = isDone && files.length > 0 && files.every(({ isGood }) => isGood) ? 0 : 1;

function runTests(args) {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  return { files: readReport(report), isDone: status === 0 };
}

/** A file that could not even be loaded has no tests to count: it is one failure itself. */
function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults.map(({ name, status, assertionResults }) => {
      const count = wanted => assertionResults.filter(result => result.status === wanted).length;
      const isGood = status === 'passed';
      return { name, isGood, passed: count('passed'), failed: isGood ? 0 : Math.max(1, count('failed')) };
    });
  } catch {
    return [];
  }
}
