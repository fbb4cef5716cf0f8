// What the pages show in their pictures: the program at work in a home of its own, with an agent that follows a script.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './setup.mjs';

/** A hook asks a person through a chat, which gets the link. */
export async function playApproval(world) {
  const chat = await listen();
  const hook = {
    type: 'webhook',
    url: `http://127.0.0.1:${chat.port}/`,
    title: 'The plan for ${SESSION} is ready',
    question: 'Tokens expire after 15 minutes instead of a day. All tests pass. Shall the agent build it?',
    body: { link: '${CALLBACK_URL}?action=approve' },
    await: true,
    timeout: 86_400,
  };
  world.write('shop/hookloop.yaml', JSON.stringify({ hooks: { 'stage.completed': [hook] } }));
  const asking = world.start(['dispatch', 'stage.completed']);
  asking.stdin.end(JSON.stringify({ session: 'release', stage: 'plan', iteration: 1 }));
  return chat.link;
}

/** Sessions that have ended, well and badly, and one that asks in its third iteration, seen through serve. */
export async function playDashboard(world) {
  for (const [path, text] of Object.entries(files)) world.write(path, text);
  world.run(['run', 'nightly', ...as('nightly-20261115-020000')]);
  world.run(['run', 'review', '-C', '../handbook', ...as('review-20261115-075102')]);
  world.run(['run', '--tasks', 'tasks.md', ...as('tasks-20261115-084210')]);
  world.start(['run', 'release', ...as('release-2-4')]);
  world.start(['serve', '--port', '0']);
  await eventually(() => world.run(['approvals', '--json']).includes('staging'));
  return eventually(() => world.run(['serve', '--link']).trim());
}

const as = session => ['--session', session, '--agent', 'command:sh ~/agent.sh', '--quiet'];

const files = {
  'shop/.git/HEAD': '',
  'shop/hookloop.yaml': 'hooks: { task.completing: [{ type: shell, command: sh test.sh, block: true }] }',
  'shop/test.sh': 'test -e receipt.txt',
  'shop/tasks.md': '- [ ] Show the price with tax\n- [ ] Send a receipt\n',
  'shop/pipelines/nightly.yaml': 'stages: [{ name: fix, prompt: Fix what fails. }]',
  'shop/pipelines/release.yaml': `
stages:
  - { name: plan, prompt: Plan it., termination: { type: fixed, iterations: 1 } }
  - { name: build, prompt: Build it., termination: { type: fixed, iterations: 5 } }
`,
  'handbook/.git/HEAD': '',
  'handbook/loops/review.yaml': '{ prompt: Review it., termination: { type: fixed, iterations: 3 } }',
  'agent.sh': `
cat > /dev/null
case $HOOKLOOP_SESSION in
  tasks-*) touch receipt.txt; sed -i '0,/- \\[ ]/s//- [x]/' tasks.md ;;
  release-*)
    echo >> ~/turns
    case $(wc -l < ~/turns) in
      1) for task in "Keep sessions in one place" "Renew tokens before they expire" "Sign out everywhere"
         do hookloop task add "$task"; done ;;
      2) hookloop task done T1 ;;
      3) hookloop task start T2 ;;
      4) hookloop breakpoint --title "Deploy release 2.4 to production?" \\
           --question "All 214 tests pass and the staging run was clean." ;;
    esac ;;
esac
`,
};

/** A home with the project `shop`. Call `end` when all is seen. */
export function createWorld() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-picture-')));
  const program = join(root, 'dist/bin/hookloop.cjs');
  const env = { PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home };
  const place = { cwd: join(home, 'shop'), env };
  const started = [];
  const write = (path, text, mode) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { mode });
  };
  write('bin/hookloop', `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, 0o755);
  return {
    home,
    env,
    write,
    run: args => spawnSync('hookloop', args, { ...place, encoding: 'utf8' }).stdout,
    start(args) {
      const child = spawn(process.execPath, [program, ...args], { ...place, stdio: ['pipe', 'ignore', 'ignore'] });
      started.push({ child, ended: new Promise(resolve => child.once('exit', resolve)) });
      return child;
    },
    async end() {
      for (const { child } of started) child.kill('SIGTERM');
      await Promise.all(started.map(({ ended }) => ended));
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Stands in for the chat, for one message. */
async function listen() {
  let found;
  const link = new Promise(resolve => {
    found = resolve;
  });
  const server = createServer(async (request, response) => {
    const parts = await request.toArray();
    response.setHeader('connection', 'close').end();
    server.close();
    found(JSON.parse(Buffer.concat(parts).toString()).link);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, link };
}

async function eventually(find) {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = find();
    if (found) return found;
    await sleep(100);
  }
  throw new Error(`nothing came: ${find}`);
}
