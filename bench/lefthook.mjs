import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The native binary of a peer to measure beside us, installed for the purpose; undefined where that is not possible. */
export function installLefthook(folder) {
  mkdirSync(folder, { recursive: true });
  const options = ['--prefix', folder, '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['install', ...options, 'lefthook'], {
    cwd: folder,
    stdio: 'ignore',
    timeout: 120_000,
  });
  const binary = join(folder, `node_modules/lefthook-${process.platform}-${process.arch}/bin/lefthook`);
  return status === 0 && existsSync(binary) ? binary : undefined;
}
