// npm run picture: runs a session in a terminal (tmux), with gates as in the README, and draws all of it as docs/demo.svg.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drawFrames, plain } from './picture-frames.mjs';
import { createWorld } from './picture-scenes.mjs';
import { installDependencies, root } from './setup.mjs';

const [columns, rows] = [88, 30];
/** Each picture of the terminal; a spinner that turns faster only makes the file larger. */
const frameMs = 160;
const restMs = 6000;
const title =
  'A session in a terminal: a failing test goes back to the agent, which fixes it; a push is refused; both tasks are done';

const files = {
  'shop/.git/HEAD': '',
  'shop/hookloop.yaml': `agent: acp:node ${join(root, 'scripts/picture-agent.mjs')}
hooks:
  task.completing:
    - npm test
  tool.calling:
    - { deny: "CI pushes, not you.", name: no push, command: git push }
`,
  'shop/package.json': '{ "name": "shop", "type": "module", "scripts": { "test": "node test.js" } }\n',
  'shop/src/price.js': 'export const withTax = cents => cents;\n',
  'shop/test.js': `import { withTax } from './src/price.js';
await new Promise(done => setTimeout(done, 900));
const got = withTax(1050);
console.log(got === 1250 ? 'ok - adds 19 % tax' : \`not ok - adds 19 % tax: expected 1250, got \${got}\`);
process.exitCode = got === 1250 ? 0 : 1;
`,
  'shop/tasks.md': '- [ ] Show the price with tax\n- [ ] Publish it\n',
};

installDependencies();
execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: ['ignore', 2, 2] });
const world = createWorld();
for (const [path, text] of Object.entries(files)) world.write(path, text);
try {
  const frames = await play();
  const svg = drawFrames(frames, { columns, rows: heightOf(frames), restMs, title });
  writeFileSync(join(root, 'docs/demo.svg'), svg);
  console.error(`docs/demo.svg: ${frames.length} frames, ${Math.round(svg.length / 1024)} KB`);
} finally {
  await world.end();
}

/** Every frame until the session has ended. */
async function play() {
  const tmux = (...args) =>
    execFileSync('tmux', ['-S', join(world.home, 'tmux'), '-f', '/dev/null', ...args], { encoding: 'utf8' });
  const command = 'hookloop run --tasks tasks.md --session shop';
  const env = {
    ...world.env,
    TERM: 'tmux-256color',
    LANG: 'C.UTF-8',
    CI: '',
    NO_COLOR: '',
    npm_config_loglevel: 'error',
  };
  const exports = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
  const lines = [...exports, `printf '\\033[1m$\\033[0m ${command}\\n'`, 'sleep 0.8', command, 'sleep 30'];
  world.write('run.sh', `${lines.join('\n')}\n`);
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('-u', 'new-session', '-d', ...size, '-c', join(world.home, 'shop'), 'sh', join(world.home, 'run.sh'));
  const seen = [];
  try {
    for (const endMs = Date.now() + 60_000; Date.now() < endMs; await sleep(frameMs)) {
      const text = tmux('capture-pane', '-e', '-p');
      if (text !== seen.at(-1)?.text) seen.push({ atMs: Date.now(), text });
      if (text.includes('See how it went')) return seen.filter(({ text: shown }) => plain(shown).trim() !== '');
      if (text.includes('Go on with')) break;
    }
  } finally {
    tmux('kill-server');
  }
  throw new Error(`the session did not complete:\n${plain(seen.at(-1).text)}`);
}

/** The terminal is as high as what it shows. */
function heightOf(frames) {
  return Math.max(...frames.map(({ text }) => plain(text).trimEnd().split('\n').length));
}
