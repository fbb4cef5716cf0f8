import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';

interface Bundler {
  bundleProgram(options: { root: string; outdir: string; version: string; build: string }): Promise<Metafile>;
}

export const root: string = fileURLToPath(new URL('..', import.meta.url));

/** Bundles the program as it is shipped. */
export async function bundleInto(outdir: string): Promise<{ program: string; metafile: Metafile }> {
  const bundler: string = join(root, 'scripts/bundle.mjs');
  const { bundleProgram } = (await import(bundler)) as Bundler;
  const metafile = await bundleProgram({ root, outdir, version: '0.0.0-test', build: `test ${Date.now()}` });
  return { program: join(outdir, 'hookloop.cjs'), metafile };
}
