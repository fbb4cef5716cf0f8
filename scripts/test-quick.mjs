// npm run test:quick [-- VITEST ARGUMENTS]: the tests between two edits. Not those that bundle and start the program, nor the long ones.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { installDependencies, root } from './setup.mjs';
import { runSuite } from './suite.mjs';

/** Whoever imports it starts the program as it is shipped. */
const starter = 'test/program.ts';
const checks = ['test/architecture.test.ts', 'test/schema.test.ts'];
/** Named for what takes long: many kills, many random inputs, many processes at once, a process per conversation or per agent's hook. */
const long = /\/(crash|exact|fuzz|hostile|load|lock|memory|race)\.test\.ts$|\/agents\/acp\/|\/doctor\b/;

installDependencies();
const units = readdirSync(join(root, 'src'), { recursive: true })
  .map(file => `src/${file}`)
  .filter(file => file.endsWith('.test.ts') && !long.test(file) && !startsProgram(file));
const { passed, failed, isGood } = runSuite(process.execPath, [
  '--reporter=dot',
  ...checks,
  ...units,
  ...process.argv.slice(2),
]);
for (const name of failed) console.log(`!!! ${name}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exitCode = isGood ? 0 : 1;

/** Asks also the helpers of the tests that a file imports. */
function startsProgram(file) {
  const imported = [...readFileSync(join(root, file), 'utf8').matchAll(/^(?:import|} from)\b.*'(\.[^']+)'/gm)].map(
    ([, path]) => normalize(join(dirname(file), path)),
  );
  return imported.some(path => path === starter || (path.startsWith('test/') && startsProgram(path)));
}
