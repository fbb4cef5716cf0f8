// npm run demo: sets everything up, then runs `hookloop demo` from this clone.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { installDependencies, root } from './setup.mjs';

const program = join(root, 'dist/bin/hookloop.cjs');

installDependencies();
buildIfNeeded();
const { status } = spawnSync(process.execPath, [program, 'demo', ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 1;

function buildIfNeeded() {
  const names = readdirSync(join(root, 'src'), { recursive: true }).filter(name => /^[^.]+\.ts$/.test(name));
  const sources = [...names.map(name => join(root, 'src', name)), join(root, 'package.json')];
  const changedAt = Math.max(...sources.map(file => statSync(file).mtimeMs));
  if (existsSync(program) && statSync(program).mtimeMs > changedAt) return;
  console.error('Building ...');
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: ['ignore', 2, 2] });
}
