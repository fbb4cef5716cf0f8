import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Command } from '../command.ts';
import { ownCommand } from '../demo/own-command.ts';
import { demoFiles, demoIntroduction, whatToTryNext } from '../demo/project.ts';
import { startReceiver } from '../demo/receiver.ts';
import { exit } from '../exit.ts';
import { run } from './run.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'See a session at work: a scripted agent, real hooks, no model, no network',
  arguments: [],
  options: { quiet: { doc: 'print only what goes wrong, and what waits for a person' } },
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
    const values = { tasks: 'tasks.md', agent: 'scripted:agent.yaml', session: 'demo' };
    const receiver = await startReceiver();
    // The user's own hooks are not for strangers' projects.
    const env = { ...io.env, XDG_CONFIG_HOME: join(folder, '.config'), DEMO_RECEIVER: receiver.url };
    const args = { positionals: ['greeter'], values, lists: {}, flags };
    const code = await run.run(args, { ...io, cwd: folder, env });
    receiver.close();
    if (code === exit.done)
      io.err(whatToTryNext(folder, ownCommand(realpathSync(process.argv[1]!), io.env['PATH'] ?? '')));
    return code;
  },
};
