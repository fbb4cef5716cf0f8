import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isQuick } from './scripts/quick.mjs';

/** Files that are soon at their end come last, so that all workers end together; the largest of the others come first. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weigh = ({ moduleId }: TestSpecification): number =>
      statSync(moduleId).size + (isQuick(relative(import.meta.dirname, moduleId)) ? 0 : 1e9);
    return files
      .map(file => ({ file, weight: weigh(file) }))
      .sort((a, b) => b.weight - a.weight)
      .map(({ file }) => file);
  }
}

export default defineConfig({
  // Whoever runs the tests may be an agent; what the program under test refuses agents must not depend on it.
  define: { __HOOKLOOP_OUTERMOST__: process.pid },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    environment: 'node',
    globalSetup: 'test/one-bundle.ts',
    pool: 'forks',
    // Half a second a file: the modules stay loaded. What tests change of their process they put back.
    isolate: false,
    sequence: { sequencer: LongFirst },
    // Most tests wait for processes and the disk.
    maxWorkers: availableParallelism() * 2,
    // Wide: a busy machine is slow, and a test that hangs hangs for ever.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
