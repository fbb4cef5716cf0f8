#!/usr/bin/env node
import { readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { BrokenPart, entryFile, goneText } from '../model/gone.ts';
import { build, isWhole } from '../platform/build.ts';
import { keepCached, pruneCached, readCached } from '../platform/cache.ts';
import { cacheFolder } from '../platform/folders.ts';

/**
 * Starts a part of the program, and with it those that it requires, with the code that V8 made of it the last time: that saves
 * an eighth of the start of `dispatch`, and more where more is loaded. The file's name holds the build: V8 itself looks only at its own
 * version and the length of the source.
 */
interface Part {
  /** `isWarm`: whether its code is worth keeping; that of parts without it always is. */
  exports: { isWarm?(): boolean };
  script: Script;
  /** Absent where the code was at hand, or cannot be kept. */
  keepAs?: string;
}

const parts = new Map<string, Part>();
/** Those of Node: every file of a part asks anew, and Node takes its time to answer. */
const builtins = new Map<string, unknown>();
const folder = cacheFolder(process.env);
/** Parts of some builds, on some Nodes. */
const maxKept = 300;

/**
 * A part that another one names at its top is there, but runs only when something of it is used: most commands need few of
 * the packages that the others need.
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
    // Half of a part must not be found the next time.
    parts.delete(id);
    throw error;
  }
  return part;
}

/** Every part is one function already: to put that around so long a text would mean to copy it. */
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

// At the end, when V8 has compiled what a run needs. What starts with every event waits for a run that had its plan at hand:
// one that had to read the hook files needs other functions of it.
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
