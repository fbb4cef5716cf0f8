// node scripts/test-nodes.mjs [VERSION ...]: what depends on Node most, and the demo, on the supported Nodes that this machine does not have.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { installDependencies, installNode, installPrograms, root, supportedNodes } from './setup.mjs';
import { runSuite } from './suite.mjs';

// Processes, streams, signals, files, sockets and start-up; what only reads texts and decides is the same on every Node.
const inLoop = 'agent-start ask crash cut-off gates lost-lease mcp piped resume signals stop tools';
const tests = [
  ...['src/actions', 'src/agents/acp', 'src/platform', 'src/loop', 'src/session/file-store', 'src/session/control'],
  ...['src/hosts/process.test.ts', 'src/hosts/install/node-options.test.ts', 'src/hosts/opencode/plugin.test.ts'],
  ...['src/cli/commands/dispatch.test.ts', 'src/serve/life.test.ts'],
  ...inLoop.split(' ').map(name => `test/loop/${name}.test.ts`),
  ...[
    'test/startup.test.ts',
    'test/package.test.ts',
    'test/library.test.ts',
    'test/bad-input/streams.test.ts',
    'test/examples.test.ts',
  ],
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
