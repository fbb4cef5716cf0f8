// npm run test:quick [-- VITEST ARGUMENTS]: the tests between two edits. Not those that bundle and start the program, nor the long and the large ones.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isQuick } from './quick.mjs';
import { installDependencies, root } from './setup.mjs';
import { runSuite } from './suite.mjs';

/** Named for how much they read, how many processes race, or whom they wait for. */
const large = [
  ...['in linear time', 'is read in time', 'of any size', String.raw`\d0,000 `],
  ...['whatever happens', 'at the same time one has it', 'never finish their request'],
].join('|');
const checks = ['test/architecture.test.ts', 'test/schema.test.ts'];

installDependencies();
const units = readdirSync(join(root, 'src'), { recursive: true })
  .map(file => `src/${file}`)
  .filter(file => file.endsWith('.test.ts') && isQuick(file));
const { passed, failed, isGood } = runSuite(process.execPath, [
  '--reporter=dot',
  `--testNamePattern=^(?!.*(?:${large}))`,
  ...checks,
  ...units,
  ...process.argv.slice(2),
]);
for (const name of failed) console.log(`!!! ${name}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exitCode = isGood ? 0 : 1;
