// node scripts/test-nodes.mjs [VERSION ...]: what depends on Node most, and the demo, on the supported Nodes that this machine does not have.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { installDependencies, installNode, installPrograms, root, supportedNodes } from './setup.mjs';

const exclude = name => `--exclude=${name}.test.ts`;
const tests = [
  ...['src/actions', 'src/cli/commands/dispatch.test.ts', 'src/hosts', 'src/journal', 'src/loop'],
  ...['src/serve/ready.test.ts', 'test/loop', 'test/startup.test.ts', 'test/package.test.ts'],
  'test/bad-input/streams.test.ts',
  // The longest of those whose findings do not depend on Node: texts of settings, checklists, links, judges.
  ...['src/hosts/install/command', 'src/hosts/install/uninstall', 'test/loop/done-fuzz', 'test/loop/done'].map(exclude),
  ...['test/loop/links', 'test/loop/usage', 'test/loop/judges'].map(exclude),
];

installDependencies();
installPrograms();
const own = process.versions.node.split('.')[0];
const versions =
  process.argv.length > 2 ? process.argv.slice(2) : supportedNodes.filter(each => each.split('.')[0] !== own);
const failed = versions.filter(version => !isGood(version));
for (const version of failed) console.log(`!!! Node ${version} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;

function isGood(version) {
  const begunMs = performance.now();
  const node = installNode(version);
  if (node === undefined) return false;
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` };
  const run = (args, options) => spawnSync(node, args, { cwd: root, env, ...options });
  const isTested =
    run(['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', ...tests], {
      stdio: ['ignore', 'inherit', 'inherit'],
    }).status === 0;
  const demo = run(['scripts/demo.mjs'], { encoding: 'utf8' });
  const isShown = demo.status === 0;
  if (!isShown) console.log(`the demo failed:\n${demo.stdout}${demo.stderr}`);
  console.log(`Node ${version}: ${Math.round((performance.now() - begunMs) / 1000)} s`);
  return isTested && isShown;
}
