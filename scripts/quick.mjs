import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from './setup.mjs';

/** Whoever imports it starts the program as it is shipped. */
const starter = 'test/program.ts';
/** Named for what takes long: many kills, many random inputs, many processes at once, a process per conversation or per agent's hook. */
const long = /\/(crash|exact|fuzz|hostile|load|lock|memory|race)\.test\.ts$|\/agents\/acp\/|\/doctor\b/;

/** Whether a test file is soon at its end: it does not start the program, and is none of the long ones. */
export const isQuick = file => !long.test(file) && !startsProgram(file);

/** Asks also the helpers of the tests that a file imports. */
function startsProgram(file) {
  const imported = [...readFileSync(join(root, file), 'utf8').matchAll(/^(?:import|} from)\b.*'(\.[^']+)'/gm)].map(
    ([, path]) => normalize(join(dirname(file), path)),
  );
  return imported.some(path => path === starter || (path.startsWith('test/') && startsProgram(path)));
}
