// npm test [-- VITEST ARGUMENTS]: installs what is missing, runs the tests once, and ends with a line that counts them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installDependencies, installPrograms, root } from './setup.mjs';

installDependencies();
installPrograms();

const folder = mkdtempSync(join(tmpdir(), 'hookloop-report-'));
const report = join(folder, 'report.json');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
const args = ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
const files = readReport();
rmSync(folder, { recursive: true, force: true });
const sum = key => files.reduce((total, file) => total + file[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = status === 0 && files.length > 0 ? 0 : 1;

/** A file that could not even be loaded has no tests to count: it is one failure itself. */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults.map(({ status: ended, assertionResults }) => {
      const count = wanted => assertionResults.filter(result => result.status === wanted).length;
      return { passed: count('passed'), failed: ended === 'passed' ? 0 : Math.max(1, count('failed')) };
    });
  } catch {
    return [];
  }
}
