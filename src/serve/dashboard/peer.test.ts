import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/program.ts';
import { dashboardCookie } from '../../people/dashboard-link.ts';
import { createDashboard } from './answer.ts';
import { createPass } from './pass.ts';
import { isOtherUser, tables } from './peer.ts';

const folder = temporaryFolder('peer');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Our end of a connection that this process has made to itself, from an address of its own. */
async function connection(localAddress = '127.0.0.1'): Promise<Socket> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, localAddress });
  const [socket] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    client.destroy();
    socket.destroy();
    server.close();
  });
  return socket;
}

function tableWith(change: (line: string) => string): string {
  const file = join(folder, 'tcp');
  writeFileSync(file, readFileSync(tables[0]!, 'latin1').split('\n').map(change).join('\n'));
  return file;
}

const withUid =
  (uid: number): ((line: string) => string) =>
  line =>
    line.replace(/^((?:\s*\S+){7}\s+)\d+/, (_, before) => `${before}${uid}`);

describe.skipIf(process.platform !== 'linux')('at the other end of a connection is', () => {
  test('the user, or root, which may read everything anyway', async () => {
    for (const from of ['127.0.0.1', '127.0.0.2']) {
      const socket = await connection(from);
      expect(isOtherUser(socket)).toBe(false);
      expect(isOtherUser(socket, { tables: [tableWith(withUid(0))] })).toBe(false);
    }
  });

  test('another user, as the system tells', async () => {
    const socket = await connection();
    expect(isOtherUser(socket, { tables: [tableWith(withUid(12_345))] })).toBe(true);
  });

  test('perhaps another user, where the system does not tell', async () => {
    const socket = await connection();
    const missing = tableWith(line => (/^\s*sl/.test(line) ? line : ''));
    for (const table of [missing, join(folder, 'none'), folder, '/dev/null'])
      expect({ table, is: isOtherUser(socket, { tables: [table] }) }).toEqual({ table, is: true });
    expect(isOtherUser(socket, { tables: ['/dev/null', ...tables] })).toBe(false);
  });

  test('a browser of Windows, which no table of the Linux inside of it knows', async () => {
    const socket = await connection();
    expect(isOtherUser(socket, { tables: [], release: '6.6.87.2-microsoft-standard-WSL2' })).toBe(false);
    const tellsOther = { tables: [tableWith(withUid(12_345))], release: '6.6.87.2-microsoft-standard-WSL2' };
    expect(isOtherUser(socket, tellsOther)).toBe(true);
  });
});

test.skipIf(process.platform !== 'linux')('only who has a cookie or a link is looked up', async () => {
  const dashboard = createDashboard({ env: {}, token: 't', callbackPort: 0, forPerson: show => show() });
  // The system's tables do not have this connection, so whoever is looked up is a stranger.
  const path = join(folder, 'socket');
  const server = createHttpServer((request, response) => void dashboard(request, response)).listen(path);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const get = async (url: string, cookie = ''): Promise<string> => {
    const [response] = await once(httpRequest({ socketPath: path, path: url, headers: { cookie } }).end(), 'response');
    return text(response);
  };
  for (const url of ['/', '/enter/x', '/session/a/b']) expect(await get(url)).toContain('needs a new link');
  expect(await get('/', `${dashboardCookie(0)}=${createPass('cookie', 't')}`)).toContain('was not accepted');
  expect(await get(`/enter/${createPass('link', 't')}`)).toContain('was not accepted');
});
