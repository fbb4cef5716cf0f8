import { createSpill, type OpenFile, type Spill } from './spill.ts';

/** Of each kind so many wait to be used; more hooks at once make their own. */
const spares = 2;
/** Older ones may have been cleaned away. */
const freshMs = 60 * 60 * 1000;

/**
 * For a program that stays: files are made and removed while nobody waits for them. On a disk either takes as long as
 * everything else that is done around a short hook. No file is used twice.
 */
export function createSpareSpill(folder: string): Spill & { close(): void } {
  const spill = createSpill(folder);
  const ready = { stdout: [] as Spare[], stderr: [] as Spare[] };
  let isClosed = false;
  const later = (work: () => void): void => {
    setImmediate(() => {
      try {
        work();
      } catch {
        // The next one who needs a file hears why there is none.
      }
    });
  };
  const refill = (name: keyof typeof ready): void => {
    while (!isClosed && ready[name].length < spares) ready[name].push({ file: spill.open(name), atMs: Date.now() });
  };
  return {
    open(name) {
      for (let spare = ready[name].shift(); spare; spare = ready[name].shift()) {
        if (Date.now() - spare.atMs < freshMs) return spare.file;
        spill.discard(spare.file);
      }
      later(() => refill(name));
      return spill.open(name);
    },
    // Not sooner: while a hook runs we are to hear at once that it has ended.
    discard: file =>
      later(() => {
        spill.discard(file);
        refill('stdout');
        refill('stderr');
      }),
    close() {
      isClosed = true;
      for (const { file } of [...ready.stdout.splice(0), ...ready.stderr.splice(0)]) spill.discard(file);
    },
  };
}

interface Spare {
  file: OpenFile;
  atMs: number;
}
