// npm test [-- VITEST ARGUMENTS]: installs what is missing, runs the tests once, and ends with a line that counts them.
import { installDependencies, installPrograms } from './setup.mjs';
import { runSuite } from './suite.mjs';

installDependencies();
installPrograms();

const { passed, failed, isGood } = runSuite(process.execPath, ['--reporter=default', ...process.argv.slice(2)]);
for (const name of failed) console.log(`!!! ${name}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exitCode = isGood ? 0 : 1;
