#!/usr/bin/env node
import { readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { BrokenPart, entryFile, goneText } from '../model/gone.ts';
import { build, isWhole } from '../platform/build.ts';
import { keepCached, pruneCached, readCached } from '../platform/cache.ts';
import { cacheFolder } from '../platform/folders.ts';

/** A bundle of the program. */
interface Part {
  /** `isWarm`: whether its compiled code is worth keeping; without `isWarm` it always is. */
  exports: { isWarm?(): boolean };
  script: Script;
  /** Where to keep the compiled code; absent if it came from there, or cannot be kept. */
  keepAs?: string;
}

const parts = new Map<string, Part>();
/** Node's own modules: every file of a part asks for them again, and Node takes its time to answer. */
const builtins = new Map<string, unknown>();
const folder = cacheFolder(process.env);
/** Parts of some builds, on some Nodes. */
const maxKept = 300;

/**
 * The `require` of every part. A part that another one requires at its top runs only when something of it is used: most
 * commands need few of the packages that the others need.
 */
function load(id: string): unknown {
  if (!id.startsWith('./')) {
    if (!builtins.has(id)) builtins.set(id, require(id));
    return builtins.get(id);
  }
  const known = parts.get(id);
  if (known) return known.exports;
  const file = join(__dirname, id);
  const source = sourceOf(file);
  const exports = (): Part['exports'] => (parts.get(id) ?? run(id, file, source)).exports;
  return new Proxy(
    {},
    {
      get: (_, name) => Reflect.get(exports(), name),
      // What `import()` returns is a copy of all there is.
      ownKeys: () => Reflect.ownKeys(exports()),
      getOwnPropertyDescriptor(_, name) {
        const found = Reflect.getOwnPropertyDescriptor(exports(), name);
        return found && { ...found, configurable: true };
      },
    },
  );
}

/**
 * Runs a part with the code that V8 made of it the last time: that saves an eighth of the start of `dispatch`, and more
 * where more is loaded. The name of the cache file holds the build, since V8 checks only its own version and the length
 * of the source.
 */
function run(id: string, file: string, source: string): Part {
  const cache = folder && join(folder, 'code', `${build} ${id.slice(2)} ${process.version} ${process.arch}.bin`);
  const cachedData = cache && readCached(cache);
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  const isMade = cachedData && !script.cachedDataRejected;
  const part: Part = { exports: {}, script, ...(cache && !isMade && { keepAs: cache }) };
  parts.set(id, part);
  try {
    script.runInThisContext()(part.exports, load, part, file, __dirname);
  } catch (error) {
    // A part that has only half run must not be found the next time.
    parts.delete(id);
    throw error;
  }
  return part;
}

/** The build wraps every part in a function: to wrap it here would mean copying a long text. */
function sourceOf(file: string): string {
  let source: string | undefined;
  try {
    source = readFileSync(file, 'utf8');
  } catch {
    throw new BrokenPart(`${file} is gone`);
  }
  if (!isWhole(source)) throw new BrokenPart(`${file} is broken`);
  return source;
}

// At the end V8 has compiled what this run needed. The code of parts that start with every event is kept only after a run
// that had its plan at hand: one that had to read the hook files needs other functions.
process.once('exit', () => {
  for (const { exports, script, keepAs } of parts.values())
    if (keepAs && (exports.isWarm?.() ?? true) && keepCached(keepAs, script.createCachedData()))
      pruneCached(dirname(keepAs), maxKept);
});

try {
  const first = process.argv[2] === 'dispatch' ? './dispatch.cjs' : './main.cjs';
  const file = join(__dirname, first);
  run(first, file, sourceOf(file));
} catch (error) {
  if (!(error instanceof BrokenPart)) throw error;
  writeSync(2, `hookloop: ${goneText(error.message, entryFile(process.argv))}\n`);
  process.exit(1);
}
