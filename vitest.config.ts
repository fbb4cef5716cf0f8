import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    // Most tests wait for processes and the disk.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 30_000,
  },
});
