import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    environment: 'node',
    globalSetup: 'test/one-bundle.ts',
    pool: 'forks',
    // Half a second a file: the modules stay loaded. What tests change of their process they put back.
    isolate: false,
    // Most tests wait for processes and the disk.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 30_000,
  },
});
