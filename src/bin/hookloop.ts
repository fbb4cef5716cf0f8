#!/usr/bin/env node
import { existsSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { build, isWhole } from '../build.ts';
import { cacheFolder } from '../folders.ts';
import { entryFile, goneText } from '../model/gone.ts';
import { keepPrivately, readPrivately } from '../private-cache.ts';

/**
 * Starts dispatch.cjs or main.cjs with the code that V8 made of it the last time, which saves an eighth of the start.
 * V8 itself refuses code of another version or source.
 */
const name = process.argv[2] === 'dispatch' ? 'dispatch' : 'main';
const file = join(__dirname, `${name}.cjs`);
const folder = cacheFolder(process.env);
const cache =
  folder === undefined ? undefined : join(folder, 'code', `${build} ${name} ${process.version} ${process.arch}.bin`);
const cachedData = cache === undefined ? undefined : readPrivately(cache);
const script = readProgram();

const loaded: { exports: { isWarm?(): boolean } } = { exports: {} };

// Made at the end, when V8 has compiled what a run needs; one that had to read the hook files needs other parts.
if (cache !== undefined && (cachedData === undefined || script.cachedDataRejected))
  process.once('exit', () => {
    if (loaded.exports.isWarm?.()) keepPrivately(cache, script.createCachedData());
  });

script.runInThisContext()(loaded.exports, require, loaded, file, __dirname);

/** The bundle is one function already: to put that around so long a text would mean to copy it. */
function readProgram(): Script {
  try {
    const source = readFileSync(file, 'utf8');
    if (isWhole(source)) return new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  } catch {
    // Told below.
  }
  const what = `${file} is ${existsSync(file) ? 'broken' : 'gone'}`;
  writeSync(2, `hookloop: ${goneText(what, entryFile(process.argv))}\n`);
  process.exit(1);
}
