// npm run schema: writes schema/*.schema.json from the shapes that the loaders check files with.
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './setup.mjs';

// Inside the repository, so that the packages of the sources are found from there.
const folder = await mkdtemp(join(root, 'node_modules/.hookloop-schema-'));
try {
  const outfile = join(folder, 'schemas.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['scripts/schema/schemas.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  const { schemas, asFile } = await import(pathToFileURL(outfile).href);
  mkdirSync(join(root, 'schema'), { recursive: true });
  for (const [name, schema] of Object.entries(schemas)) writeFileSync(join(root, 'schema', name), asFile(schema));
} finally {
  await rm(folder, { recursive: true, force: true });
}
