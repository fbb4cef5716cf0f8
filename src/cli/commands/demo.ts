import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { quoted } from '../../model/own-entry.ts';
import type { Command } from '../command.ts';
import { demoFiles, demoIntroduction, whatToTryNext } from '../demo-project.ts';
import { exit } from '../exit.ts';
import { runOptions } from '../run/run-options.ts';
import { run } from './run.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'See a session at work: a scripted agent, real hooks, no model, no network',
  options: { quiet: runOptions.quiet },
  streams: true,
  example: 'hookloop demo',
  async run({ flags }, io) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-demo-')));
    for (const [file, text] of Object.entries(demoFiles)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    // A repository, so that changed files are seen the way they mostly are; without git their times do.
    spawnSync('git', ['init', '--quiet'], { cwd: folder, stdio: 'ignore' });
    io.err(`${demoIntroduction}\n`);
    const values = { tasks: 'tasks.md', session: 'demo' };
    const lists = { agent: ['scripted:agent.yaml'] };
    const receiver = await startReceiver();
    // The user's own hooks are not for strangers' projects.
    const env = { ...io.env, XDG_CONFIG_HOME: join(folder, '.config'), DEMO_RECEIVER: receiver.url };
    const args = { positionals: ['greeter'], values, lists, flags };
    const code = await Promise.resolve(run.run(args, { ...io, cwd: folder, env })).finally(receiver.close);
    if (code === exit.done)
      io.err(whatToTryNext(folder, ownCommand(realpathSync(process.argv[1]!), io.env['PATH'] ?? '')));
    return code;
  },
};

/** Long enough to read the question. */
const thinkingMs = 1500;

/** Stands in for the chat in which a person would press a button: it gets the question and says yes after a while. */
async function startReceiver(): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const { approve } = (await json(request)) as { approve: string };
    response.end('ok');
    setTimeout(() => void press(approve), thinkingMs);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

/** Someone at the terminal may have been faster, and the session have ended meanwhile. */
const press = (url: string): Promise<unknown> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"message":"go ahead"}',
  }).catch(() => {});

/** What a person can type to start this program. What npm puts on PATH for one script is not there afterwards. */
export function ownCommand(program: string, searchPath: string): string {
  const lasting = searchPath
    .split(':')
    .filter(folder => folder.startsWith('/') && !folder.endsWith('/node_modules/.bin'));
  const found = lasting.map(folder => join(folder, 'hookloop')).find(path => existsSync(path));
  return found !== undefined && realpathSync(found) === program ? 'hookloop' : `node ${quoted(program)}`;
}
