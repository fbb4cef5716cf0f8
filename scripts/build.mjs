// Builds dist/: types (tsc), the library as modules and the program as bundles that start fast (esbuild).
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleLibrary, bundleProgram, keepReachedTypes } from './bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

rmSync(`${root}dist`, { recursive: true, force: true });
execFileSync(`${root}node_modules/.bin/tsc`, ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
keepReachedTypes(`${root}dist/lib`);
await bundleLibrary({ root, outdir: `${root}dist/lib` });
await bundleProgram({ root, outdir: `${root}dist/bin`, version, build: `${version} ${Date.now()}` });
