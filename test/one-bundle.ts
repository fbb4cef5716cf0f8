import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { cleanMemory } from '../scripts/memory.mjs';

const variable = 'HOOKLOOP_TEST_BUNDLE';
const limitMs = 60_000;

/** For the time of a run there is a folder with one bundle for all test files. The first that needs it makes it. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-bundle-'));
  process.env[variable] = folder;
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  // The source has changed.
  project.onTestsRerun(() => {
    remove();
    mkdirSync(folder);
  });
  return () => {
    remove();
    cleanMemory();
  };
}

/** Copies the bundle of this run to a folder, so that whoever spoils it spoils only the copy. */
export async function copyBundle(outdir: string, bundle: (outdir: string) => Promise<Metafile>): Promise<Metafile> {
  const shared = process.env[variable];
  if (shared === undefined) return bundle(outdir);
  const made = join(shared, 'made');
  for (const endMs = performance.now() + limitMs; !existsSync(made); await new Promise(next => setTimeout(next, 20))) {
    if (performance.now() > endMs) throw new Error(`nobody has bundled the program in ${limitMs} ms`);
    if (isFirst(shared, made)) await makeBundle(shared, made, bundle);
  }
  cpSync(join(made, 'bin'), outdir, { recursive: true });
  return JSON.parse(readFileSync(join(made, 'metafile.json'), 'utf8')) as Metafile;
}

function isFirst(shared: string, made: string): boolean {
  const making = join(shared, 'making');
  try {
    mkdirSync(making);
    if (!existsSync(made)) return true;
    // It was finished between our look and now, and its folder has the other name.
    rmSync(making, { recursive: true });
    return false;
  } catch {
    return false;
  }
}

async function makeBundle(shared: string, made: string, bundle: (outdir: string) => Promise<Metafile>): Promise<void> {
  const making = join(shared, 'making');
  try {
    const metafile = await bundle(join(making, 'bin'));
    writeFileSync(join(making, 'metafile.json'), JSON.stringify(metafile));
    renameSync(making, made);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    throw error;
  }
}
