import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Bundler {
  bundleProgram(options: { root: string; outdir: string; version: string; build: string }): Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles the program as it is shipped, into a folder that can stand on PATH. */
export async function buildProgram(folder: string): Promise<void> {
  const bundler: string = join(root, 'scripts/bundle.mjs');
  const { bundleProgram } = (await import(bundler)) as Bundler;
  await bundleProgram({ root, outdir: folder, version: '0.0.0-test', build: `test ${Date.now()}` });
  symlinkSync('hookloop.cjs', join(folder, 'hookloop'));
}
