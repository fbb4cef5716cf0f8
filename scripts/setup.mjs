// What the other scripts need before they can start. Plain Node, since nothing is installed yet.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Installs the packages of the lockfile where they are missing or older than it. */
export function installDependencies() {
  checkNode();
  const installed = `${root}node_modules/.package-lock.json`;
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs) return;
  if (existsSync(installed) && samePackages(installed)) return;
  console.error('Installing dependencies (npm ci) ...');
  // On standard error, so that what the caller prints stays clean. Without dev dependencies nothing could be built.
  run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], { stdio: ['ignore', 2, 2] });
}

/** Debian packages that hold the programs tests run. */
const packages = {
  ...{ bash: 'bash', dash: 'dash', jq: 'jq', strace: 'strace', tmux: 'tmux', script: 'bsdutils', openssl: 'openssl' },
  ...{ chromium: 'chromium', python3: 'python3', git: 'git', zsh: 'zsh', fish: 'fish' },
};

/** Installs system programs when it may; otherwise says which are missing and ends. */
export function installPrograms() {
  const missing = Object.keys(packages).filter(name => !isOnPath(name));
  if (missing.length === 0) return;
  const wanted = missing.map(name => packages[name]);
  if (process.getuid?.() !== 0 || !isOnPath('apt-get'))
    stop(`The tests need ${missing.join(', ')}. On Debian or Ubuntu: sudo apt-get install ${wanted.join(' ')}`);
  console.error(`Installing ${wanted.join(', ')} (apt-get) ...`);
  const options = { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  spawnSync('apt-get', ['update', '-q'], options);
  run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...wanted], options);
}

export const supportedNodes = ['20.19', '22', '24', '26'];

/** A Node of another version, from the package of this platform: it holds the program itself and needs no script to be installed. undefined where it cannot be had. */
export function installNode(version) {
  const folder = `${root}node_modules/.cache/hookloop-nodes/${version}`;
  const name = `node-${process.platform}-${process.arch}`;
  const node = `${folder}/node_modules/${name}/bin/node`;
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', `${name}@${version}`];
  spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] });
  if (existsSync(node)) return node;
  console.error(`!!! Node ${version} cannot be installed (npm package ${name})`);
  return undefined;
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) stop(`Node 20.19 or newer is needed, this is ${process.version}.`);
}

/** A fresh clone gives the lockfile a new time: what counts is what it says. */
function samePackages(installed) {
  const [wanted, have] = [`${root}package-lock.json`, installed].map(
    file => JSON.parse(readFileSync(file, 'utf8')).packages,
  );
  return Object.entries(wanted).every(
    ([path, { version, optional, devOptional }]) =>
      path === '' || have[path]?.version === version || ((optional || devOptional) && !have[path]),
  );
}

const isOnPath = name =>
  (process.env.PATH ?? '').split(':').some(folder => folder !== '' && existsSync(`${folder}/${name}`));

function run(program, args, options) {
  try {
    execFileSync(program, args, { cwd: root, ...options });
  } catch (error) {
    stop(`${program} ${args[0]} failed${error.status ? ` with exit code ${error.status}` : `: ${error.message}`}.`);
  }
}

function stop(message) {
  console.error(message);
  process.exit(1);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  installDependencies();
  installPrograms();
}
