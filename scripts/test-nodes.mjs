// node scripts/test-nodes.mjs [VERSION ...]: what depends on Node most, and the demo, on the supported Nodes that this machine does not have.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { installDependencies, installNode, installPrograms, root, supportedNodes } from './setup.mjs';
import { runSuite } from './suite.mjs';

const exclude = name => `--exclude=${name}.test.ts`;
const tests = [
  ...['src/actions', 'src/cli/commands/dispatch.test.ts', 'src/hosts', 'src/session/file-store', 'src/loop'],
  ...['src/serve/life.test.ts', 'test/loop', 'test/startup.test.ts', 'test/package.test.ts'],
  'test/bad-input/streams.test.ts',
  // The longest of those whose findings do not depend on Node: texts of settings, checklists, links, judges.
  ...['src/hosts/install/command', 'src/hosts/install/uninstall', 'test/loop/done-fuzz', 'test/loop/done'].map(exclude),
  ...['test/loop/links', 'test/loop/usage', 'test/loop/judges', 'test/loop/nested-lists'].map(exclude),
  ...['tasks', 'planner-tasks', 'posted-tasks', 'gone-tasks'].map(name => exclude(`test/loop/${name}`)),
];

installDependencies();
installPrograms();
const own = process.versions.node.split('.')[0];
const versions =
  process.argv.length > 2 ? process.argv.slice(2) : supportedNodes.filter(each => each.split('.')[0] !== own);
const failed = versions.flatMap(failuresOn);
for (const name of failed) console.log(`!!! ${name}`);
process.exitCode = failed.length > 0 ? 1 : 0;

function failuresOn(version) {
  const begunMs = performance.now();
  const node = installNode(version);
  if (node === undefined) return [`Node ${version} could not be installed`];
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` };
  const { failed, isGood } = runSuite(node, ['--reporter=dot', ...tests], env);
  const demo = spawnSync(node, ['scripts/demo.mjs'], { cwd: root, env, encoding: 'utf8' });
  if (demo.status !== 0) console.log(`the demo failed:\n${demo.stdout}${demo.stderr}`);
  console.log(`Node ${version}: ${Math.round((performance.now() - begunMs) / 1000)} s`);
  const others = [
    ...(isGood || failed.length > 0 ? [] : ['the tests did not end']),
    ...(demo.status === 0 ? [] : ['demo']),
  ];
  return [...failed, ...others].map(name => `Node ${version}: ${name}`);
}
