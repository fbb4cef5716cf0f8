import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

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
    // Most tests wait for processes and the disk.
    maxWorkers: availableParallelism() + 1,
    // Wide: a busy machine is slow, and a test that hangs hangs for ever.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
