#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { build } from '../build.ts';
import { cacheFolder } from '../folders.ts';
import { keepPrivately, readPrivately } from '../private-cache.ts';

/**
 * Starts main.cjs with the machine code that V8 made of it the last time, which saves a tenth of the start.
 * V8 itself refuses code of another version or source.
 */
const file = join(__dirname, 'main.cjs');
const folder = cacheFolder(process.env);
const cache =
  folder === undefined ? undefined : join(folder, 'code', `${build} ${process.version} ${process.arch}.bin`);
const cachedData = cache === undefined ? undefined : readPrivately(cache);
const source = readFileSync(file, 'utf8');
const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
  filename: file,
  ...(cachedData && { cachedData }),
});

const loaded: { exports: { hasStartedProcess?(): boolean } } = { exports: {} };

// Made at the end, when V8 has compiled what a run needs; a run without hooks has not got there.
if (cache !== undefined && (cachedData === undefined || script.cachedDataRejected))
  process.once('exit', () => {
    if (loaded.exports.hasStartedProcess?.()) keepPrivately(cache, script.createCachedData());
  });

script.runInThisContext()(loaded.exports, require, loaded, file, __dirname);
