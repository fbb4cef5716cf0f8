import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { keepHttpEntry, newToken, readAddress, tokenVariable } from '../../src/app/serve-address.ts';
import { headless } from './cases/headless.ts';
import { claude } from './cases/index.ts';
import { missingIn } from './heard.ts';
import { nyzhiGate } from './hooks/five-dialects.ts';
import { createPlace, type Place } from './place.ts';
import { runCommand, runProgram } from './run-program.ts';

const binFolder = inject('agentFolders')['claude'];
const alone = headless['claude']!;
const seen = '[[agent.hooks]]\nevent = "post_tool"\ncommand = "echo tool.called nyzhi >> ../fired.log"\n';

/** Its calls around tools go straight to serve, which the entry before them starts. */
describe.skipIf(binFolder === undefined)('claude', () => {
  let place: Place;
  let state: string;
  let heard: readonly string[] = [];
  const token = newToken();
  const hookloop = async (...args: string[]) => {
    const { exit, stderr } = await runProgram(inject('program'), args, place).ended;
    expect(exit, stderr).toBe(0);
  };
  const run = async () => {
    const command = [join(binFolder!, alone.program), ...alone.args('Do the work.')];
    const ended = await runCommand(command, place, alone.env).ended;
    heard = place.model.heard();
    return `${ended.exit}\n${ended.stdout}\n${ended.stderr}`;
  };

  beforeAll(async () => {
    place = await createPlace(claude, binFolder!);
    state = join(place.home, '.local/state/hookloop');
    mkdirSync(state, { recursive: true, mode: 0o700 });
    keepHttpEntry(state, { port: await freePort(), token });
    place.write('config.toml', nyzhiGate + seen);
    await hookloop('trust', '--yes');
    await hookloop('install', 'claude', '--http');
  });
  afterAll(() => place.leave());

  test('over http: without the token no prompt reaches the model, and the user is told why', async () => {
    place.model.script([{ text: 'I work.' }]);
    expect(missingIn(await run(), `${tokenVariable} is not set`)).toEqual([]);
    expect(heard).toEqual([]);
  });

  test('over http: a refused command does not run, another does, and none once serve is gone', async () => {
    const ended = `kill -9 "$(sed 's/.*"pid":\\([0-9]*\\).*/\\1/' ${state}/serve.json)"`;
    place.model.script([
      { text: 'One.', tools: [claude.shell('echo ran > refused-nyzhi.txt')] },
      { text: 'Two.', tools: [claude.shell('echo ran > ran.txt')] },
      { text: 'Three.', tools: [claude.shell(ended)] },
      { text: 'Four.', tools: [claude.shell('echo ran > unguarded.txt')] },
      { text: 'That is all.' },
    ]);
    // As docs/agents.md says; the loop below gets it from its environment.
    place.write('../home/.claude/settings.json', JSON.stringify({ env: { [tokenVariable]: token } }));
    const told = await run();
    expect(heard.length, told).toBe(5);
    expect(place.read('refused-nyzhi.txt')).toBeUndefined();
    expect(missingIn(heard[1]!, 'nyzhi refuses this call')).toEqual([]);
    expect(place.read('ran.txt'), told).toBe('ran\n');
    expect(place.read('unguarded.txt'), told).toBeUndefined();
    expect(readAddress(state)).toBeUndefined();
  });

  test('over http: each call is told once', () => {
    const calling = 'tool.calling nyzhi\n';
    expect(place.read('../fired.log')).toBe(`${calling}${calling}tool.called nyzhi\n${calling}`);
  });

  test('over http: in a loop each call is told once, and the session answers it', async () => {
    place.write('../home/.claude/settings.json', '{}');
    place.write('../fired.log', '');
    place.write('hookloop.yaml', inSession);
    place.model.script([
      { text: 'One.', tools: [claude.shell('echo ran > refused-nyzhi.txt')] },
      { text: 'Two.', tools: [claude.shell('echo ran > in-loop.txt')] },
      { text: 'That is all.' },
    ]);
    const words = ['run', '--prompt', 'Do the work.', '--agent', 'claude', '--max-iterations', '1'];
    const command = [process.execPath, inject('program'), ...words];
    const { exit, stderr } = await runCommand(command, place, { [tokenVariable]: token }).ended;
    expect(exit, stderr).toBe(0);
    expect(place.read('in-loop.txt'), stderr).toBe('ran\n');
    expect(place.read('refused-nyzhi.txt')).toBeUndefined();
    // Not trusted, so that outside the session it would refuse.
    const calls = 'tool.calling native\ntool.calling nyzhi\n';
    expect(place.read('../fired.log')).toBe(`${calls}${calls}tool.called nyzhi\n`);
  });
});

const inSession = `{ "hooks": { "tool.calling": [{ "type": "shell", "block": true, "command": "echo tool.calling native >> ../fired.log" }] } }\n`;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}
