// node scripts/picture-page.mjs: asks a person through a webhook, opens the link and takes docs/approval.png of the page.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root } from './setup.mjs';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const folder = mkdtempSync(join(tmpdir(), 'hookloop-picture-'));

execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: ['ignore', 2, 2] });
try {
  await takePicture(join(root, 'docs/approval.png'));
  console.error('docs/approval.png');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function takePicture(path) {
  const receiver = await listen();
  const asking = ask(`http://127.0.0.1:${receiver.port}/`);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  try {
    const link = await receiver.link;
    const page = await browser.newPage({ viewport: { width: 760, height: 400 }, colorScheme: 'light' });
    await page.goto(link);
    await page.screenshot({ path, fullPage: true });
    await fetch(link, { method: 'POST' });
    await asking;
  } finally {
    await browser.close();
    receiver.close();
  }
}

/** Stands in for a chat: it gets the message with the link. */
async function listen() {
  let found;
  const link = new Promise(resolve => {
    found = resolve;
  });
  const server = createServer(async (request, response) => {
    const parts = await request.toArray();
    response.end();
    found(JSON.parse(Buffer.concat(parts).toString()).link);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, link, close: () => server.close() };
}

function ask(url) {
  const [project, home] = [join(folder, 'shop'), join(folder, 'home')];
  for (const each of [project, home]) mkdirSync(each);
  const hook = {
    type: 'webhook',
    url,
    title: 'The plan for ${SESSION} is ready',
    question: 'Tokens expire after 15 minutes instead of a day. All tests pass. Shall the agent build it?',
    body: { link: '${CALLBACK_URL}?action=approve' },
    await: true,
    timeout: 86_400,
  };
  writeFileSync(join(project, 'hookloop.yaml'), JSON.stringify({ hooks: { 'stage.completed': [hook] } }));
  const args = [join(root, 'dist/bin/hookloop.cjs'), 'dispatch', 'stage.completed'];
  const env = { PATH: process.env.PATH, HOME: home };
  const child = spawn(process.execPath, args, { cwd: project, env, stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end(JSON.stringify({ session: 'release', stage: 'plan', iteration: 1 }));
  return new Promise(resolve => child.once('exit', resolve));
}
