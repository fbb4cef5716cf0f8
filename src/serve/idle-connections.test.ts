import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundleInto, temporaryFolder } from '../../test/program.ts';
import { payload, send, served } from './fixtures/http.ts';

const folder = temporaryFolder('serve-idle');
let program: string;
beforeAll(async () => {
  ({ program } = await bundleInto(folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Connections that say nothing and read what they are told, all made; what was accepted and thrown out again counts as made. */
async function idle(port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () =>
    connect({ host: '127.0.0.1', port })
      .on('error', () => {})
      .resume(),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(
    sockets.map(socket => new Promise(resolve => socket.once('connect', resolve).once('close', resolve))),
  );
  return sockets;
}

describe('connections that say nothing', () => {
  test('do not keep the next call out, over HTTP and for the launcher', async () => {
    const { world, address } = await served(folder, program);
    for (const port of [new URL(address.url).port, address.thin.split(' ')[0]]) await idle(Number(port), 600);
    const sent = await send(address, { body: payload.replace('ls', 'forbidden') }, world.project);
    expect(sent).toMatchObject({ status: 200, text: expect.stringContaining('deny') });
    expect(
      `${(await world.launchAside(['hook', 'claude', 'PreToolUse'], payload.replace('ls', 'forbidden'))).stdout}`,
    ).toContain('deny');
  });

  test('do not end a call whose hook is still running', async () => {
    const { world, address } = await served(folder, program);
    world.write(
      '~/.config/nyzhi/config.toml',
      '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "touch begun; until test -e end; do sleep 0.05; done; echo no >&2; exit 1"\nblock = true\n',
    );
    const sent = send(address, {}, world.project);
    while (!existsSync(world.pathOf('begun'))) await delay(10);
    await idle(Number(new URL(address.url).port), 600);
    world.write('end', '');
    expect(await sent).toMatchObject({ status: 200, text: expect.stringContaining('deny') });
  });

  test('are ended after ten seconds', async () => {
    const { address } = await served(folder, program);
    const [socket] = await idle(Number(new URL(address.url).port), 1);
    const begunMs = performance.now();
    await once(socket!, 'close');
    expect(performance.now() - begunMs).toBeGreaterThan(8000);
  });
});
